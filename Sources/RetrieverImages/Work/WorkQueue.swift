/// The jobs that run and that wait. A limited number run at the same time: the highest priority first, then the
/// oldest.
struct WorkQueue: Sendable {
  typealias ID = Int

  let slots: Int
  private(set) var runningCount = 0
  private var waiting: Set<ID> = []
  /// A queue for each priority, the highest first. Cancelled jobs stay in their queue until their turn comes, or until
  /// they outnumber the others.
  private var queues = WorkPriority.allCases.map { Queue(priority: $0) }
  /// The number of cancellations since cancelled jobs were last removed from the queues.
  private var cancelledCount = 0
  private var nextID = 0

  private struct Queue: Sendable {
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

  /// The number of jobs in the queues, including cancelled ones.
  var queuedCount: Int { queues.reduce(0) { $0 + $1.jobs.count } }

  /// Returns an identifier for a job that is about to be submitted.
  mutating func makeID() -> ID {
    defer { nextID += 1 }
    return nextID
  }

  /// Adds a job. Returns the job that may start now, or nil.
  mutating func submit(_ id: ID, priority: WorkPriority) -> ID? {
    waiting.insert(id)
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
    guard waiting.remove(id) != nil else { return false }
    // The turn of lower priorities may never come, so cancelled jobs are removed here.
    cancelledCount += 1
    if cancelledCount > 64, cancelledCount > waiting.count {
      for index in queues.indices { queues[index].keep(waiting) }
      cancelledCount = 0
    }
    return true
  }

  private mutating func startNext() -> ID? {
    guard runningCount < slots else { return nil }
    for index in queues.indices {
      while let id = queues[index].takeFirst() {
        guard waiting.remove(id) != nil else { continue }
        runningCount += 1
        return id
      }
    }
    return nil
  }
}
