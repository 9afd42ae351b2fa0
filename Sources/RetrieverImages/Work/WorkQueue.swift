/// Which jobs run and which wait: at most so many at once, the most important first, then the oldest.
struct WorkQueue: Sendable {
  typealias ID = Int

  let slots: Int
  private(set) var runningCount = 0
  private var waiting: Set<ID> = []
  /// A line for each priority, the most important first. Cancelled jobs stand in it until their turn comes, or until
  /// there are more of them than of others.
  private var lines = WorkPriority.allCases.map { Line(priority: $0) }
  /// Since the lines were last freed of them.
  private var cancelledCount = 0
  private var nextID = 0

  private struct Line: Sendable {
    let priority: WorkPriority
    var jobs: [ID] = []
    var head = 0

    mutating func keep(_ waiting: Set<ID>) {
      jobs = jobs[head...].filter(waiting.contains)
      head = 0
    }

    mutating func takeFirst() -> ID? {
      guard head < jobs.count else { return nil }
      defer {
        head += 1
        if head > 64, head > jobs.count / 2 {
          jobs.removeFirst(head)
          head = 0
        }
      }
      return jobs[head]
    }
  }

  init(slots: Int) { self.slots = max(slots, 1) }

  var waitingCount: Int { waiting.count }

  /// How many stand in the lines, the cancelled ones among them.
  var lineLength: Int { lines.reduce(0) { $0 + $1.jobs.count } }

  /// A number for a job that is about to be submitted.
  mutating func makeID() -> ID {
    defer { nextID += 1 }
    return nextID
  }

  /// The answer is the job that may start now: this one, or none.
  mutating func submit(_ id: ID, priority: WorkPriority) -> ID? {
    waiting.insert(id)
    if let index = lines.firstIndex(where: { $0.priority == priority }) { lines[index].jobs.append(id) }
    return startNext()
  }

  /// A running job has ended. The answer is the one to start in its stead.
  mutating func finished() -> ID? {
    runningCount -= 1
    return startNext()
  }

  /// True when the job had not started, and never will.
  mutating func cancel(_ id: ID) -> Bool {
    guard waiting.remove(id) != nil else { return false }
    // The turn of what is less important may never come.
    cancelledCount += 1
    if cancelledCount > 64, cancelledCount > waiting.count {
      for index in lines.indices { lines[index].keep(waiting) }
      cancelledCount = 0
    }
    return true
  }

  private mutating func startNext() -> ID? {
    guard runningCount < slots else { return nil }
    for index in lines.indices {
      while let id = lines[index].takeFirst() {
        guard waiting.remove(id) != nil else { continue }
        runningCount += 1
        return id
      }
    }
    return nil
  }
}
