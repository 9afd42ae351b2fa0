/// Decides which names are looked up, by how many threads, and who is given which answer. Pure: no thread, no clock.
///
/// Equal questions share one look-up, answers are kept for a short time, and a bounded number of threads asks.
struct NameServiceStateMachine<Waiter> {
  /// Names a waiter, so that it can withdraw its question.
  typealias WaiterID = UInt64

  enum Step {
    /// Known already.
    case answer([String], until: Monotonic)
    /// The answer comes later.
    case wait(WaiterID, startsWorker: Bool)
  }

  private struct Question {
    /// Its place in the queue: a name that was withdrawn and asked for again has another one.
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
  /// Names that no worker has taken yet, the last one last; those whose waiters have all left are passed over.
  private var incoming: [Place] = []
  /// The same, the next one last; before all that are coming in.
  private var outgoing: [Place] = []
  private var entries: [String: Entry] = [:]
  private(set) var workers = 0
  private var lastID: WaiterID = 0

  init(maximumWorkers: Int = 64, maximumEntries: Int = 1024, lifetime: Duration = .seconds(60)) {
    self.maximumWorkers = max(1, maximumWorkers)
    self.maximumEntries = max(1, maximumEntries)
    self.lifetime = lifetime
  }

  var questionCount: Int { questions.count }
  var entryCount: Int { entries.count }
  /// How many places of the queue there are, those that are passed over included.
  var queueLength: Int { incoming.count + outgoing.count }

  // MARK: Those who ask

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

  /// The waiter does not want the answer any more. A look-up that is under way goes on; nobody waits for it.
  mutating func withdraw(_ id: WaiterID, from name: String) {
    guard let index = questions[name]?.waiters.firstIndex(where: { $0.id == id }) else { return }
    questions[name]?.waiters.remove(at: index)
    if let question = questions[name], question.waiters.isEmpty, !question.isBeingAsked {
      questions[name] = nil
    }
  }

  /// An address did not work: the next one who asks gets a new answer.
  mutating func forget(_ name: String) { entries[name] = nil }

  // MARK: Workers

  /// What a worker asks next; nil ends it.
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

  /// A worker has an answer; nil when the look-up failed, which is not kept. Gives those who wait for it.
  mutating func answered(_ name: String, _ addresses: [String]?, now: Monotonic) -> [Waiter] {
    if let addresses, !addresses.isEmpty {
      if entries.count >= maximumEntries, entries[name] == nil { makeRoom(now) }
      entries[name] = Entry(addresses: addresses, expiry: now + lifetime)
    }
    return questions.removeValue(forKey: name)?.waiters.map(\.waiter) ?? []
  }

  /// A worker could not be started. Gives the names that nobody is left to ask, with those who wait for them.
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
