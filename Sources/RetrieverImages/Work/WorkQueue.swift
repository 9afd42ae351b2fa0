import Waiting

/// The jobs that run and that wait. A limited number run at the same time: the highest priority first, then the
/// oldest.
struct WorkQueue: Sendable {
  typealias ID = Int

  let slots: Int
  private(set) var runningCount = 0
  /// The waiting jobs of each priority, the highest first.
  private var queues = WorkPriority.allCases.map { Queue(priority: $0) }
  private var nextID = 0

  private struct Queue: Sendable {
    let priority: WorkPriority
    var jobs = WaitingLine<ID>()
  }

  init(slots: Int) { self.slots = max(slots, 1) }

  var waitingCount: Int { queues.reduce(0) { $0 + $1.jobs.count } }

  /// The number of jobs in the queues, including some cancelled ones.
  var queuedCount: Int { queues.reduce(0) { $0 + $1.jobs.storedCount } }

  /// Returns an identifier for a job that is about to be submitted.
  mutating func makeID() -> ID {
    defer { nextID += 1 }
    return nextID
  }

  /// Adds a job. Returns the job that may start now, or nil.
  mutating func submit(_ id: ID, priority: WorkPriority) -> ID? {
    if let index = queues.firstIndex(where: { $0.priority == priority }) { queues[index].jobs.append(id) }
    return startNext()
  }

  /// Ends a running job. Returns the job to start in its place, or nil.
  mutating func finished() -> ID? {
    runningCount -= 1
    return startNext()
  }

  /// Cancels a job. Returns true if the job had not started; it will never run.
  mutating func cancel(_ id: ID) -> Bool {
    for index in queues.indices where queues[index].jobs.remove(id) { return true }
    return false
  }

  private mutating func startNext() -> ID? {
    guard runningCount < slots else { return nil }
    for index in queues.indices {
      guard let id = queues[index].jobs.popFirst() else { continue }
      runningCount += 1
      return id
    }
    return nil
  }
}
