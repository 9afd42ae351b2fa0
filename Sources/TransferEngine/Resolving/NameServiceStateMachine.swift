/// Decides which names to look up, on how many threads, and who receives which answer. It uses no thread and no clock.
///
/// Requests for the same name share one look-up, answers are cached for a short time, and the number of threads is
/// limited.
struct NameServiceStateMachine<Waiter> {
  /// Identifies a waiter, so that it can withdraw its request.
  typealias WaiterID = UInt64

  enum Step {
    /// The addresses are already known.
    case answer([String], until: Monotonic)
    /// The answer comes later.
    case wait(WaiterID, startsWorker: Bool)
  }

  private struct Question {
    /// The number of the question in the queue. It changes if a name is withdrawn and requested again.
    let place: WaiterID
    var waiters: [(id: WaiterID, waiter: Waiter)] = []
    var isBeingAsked = false
  }

  private struct Place {
    let name: String
    let number: WaiterID
  }

  private struct Entry {
    var addresses: [String]
    var expiry: Monotonic
  }

  let maximumWorkers: Int
  let maximumEntries: Int
  let lifetime: Duration

  private var questions: [String: Question] = [:]
  /// The names that no worker has taken yet, in order. Names whose waiters have all withdrawn are skipped.
  private var incoming: [Place] = []
  /// The same in reverse order, with the next name last. These names come before all in `incoming`.
  private var outgoing: [Place] = []
  private var entries: [String: Entry] = [:]
  private(set) var workers = 0
  private var lastID: WaiterID = 0

  init(
    maximumWorkers: Int = NameService.maximumThreads, maximumEntries: Int = NameService.maximumEntries,
    lifetime: Duration = NameService.lifetime
  ) {
    self.maximumWorkers = max(1, maximumWorkers)
    self.maximumEntries = max(1, maximumEntries)
    self.lifetime = lifetime
  }

  var questionCount: Int { questions.count }
  var entryCount: Int { entries.count }
  /// The length of the queue, including the names that are skipped.
  var queueLength: Int { incoming.count + outgoing.count }

  // MARK: Waiters

  mutating func ask(_ name: String, now: Monotonic, waiter: @autoclosure () -> Waiter) -> Step {
    if let entry = entries[name], entry.expiry > now { return .answer(entry.addresses, until: entry.expiry) }
    lastID += 1
    var isNew = false
    questions[
      name,
      default: {
        isNew = true
        return Question(place: lastID)
      }()
    ].waiters.append((lastID, waiter()))
    guard isNew else { return .wait(lastID, startsWorker: false) }
    if incoming.count > 2 * questions.count + 64 {
      incoming.removeAll { questions[$0.name]?.place != $0.number }
    }
    incoming.append(Place(name: name, number: lastID))
    guard workers < maximumWorkers else { return .wait(lastID, startsWorker: false) }
    workers += 1
    return .wait(lastID, startsWorker: true)
  }

  /// Removes a waiter that no longer wants the answer. A look-up that is already running continues without it.
  mutating func withdraw(_ id: WaiterID, from name: String) {
    guard let index = questions[name]?.waiters.firstIndex(where: { $0.id == id }) else { return }
    questions[name]?.waiters.remove(at: index)
    if let question = questions[name], question.waiters.isEmpty, !question.isBeingAsked {
      questions[name] = nil
    }
  }

  /// Forgets an address that did not work: the next request looks it up again.
  mutating func forget(_ name: String) { entries[name] = nil }

  // MARK: Workers

  /// Returns the next name for a worker to look up; nil ends the worker.
  mutating func nextName() -> String? {
    while let place = popPlace() {
      guard questions[place.name]?.place == place.number else { continue }
      questions[place.name]?.isBeingAsked = true
      return place.name
    }
    workers -= 1
    return nil
  }

  private mutating func popPlace() -> Place? {
    if outgoing.isEmpty {
      swap(&incoming, &outgoing)
      outgoing.reverse()
    }
    return outgoing.popLast()
  }

  /// Records a worker's answer and returns the waiters for it. Nil means that the look-up failed; failures are not
  /// cached.
  mutating func answered(_ name: String, _ addresses: [String]?, now: Monotonic) -> [Waiter] {
    if let addresses, !addresses.isEmpty {
      if entries.count >= maximumEntries, entries[name] == nil { makeRoom(now) }
      entries[name] = Entry(addresses: addresses, expiry: now + lifetime)
    }
    return questions.removeValue(forKey: name)?.waiters.map(\.waiter) ?? []
  }

  /// Records that a worker could not be started. Returns the waiters of all names if no worker is left.
  mutating func workerFailed() -> [Waiter] {
    workers -= 1
    guard workers == 0 else { return [] }
    incoming = []
    outgoing = []
    defer { questions = [:] }
    return questions.values.flatMap { $0.waiters.map(\.waiter) }
  }

  private mutating func makeRoom(_ now: Monotonic) {
    entries = entries.filter { $0.value.expiry > now }
    if entries.count >= maximumEntries, let oldest = entries.min(by: { $0.value.expiry < $1.value.expiry }) {
      entries[oldest.key] = nil
    }
  }
}
