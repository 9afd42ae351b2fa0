import Waiting

/// The running and the waiting jobs of a work queue. A pure value, driven by ``BlockingWorkQueue``.
///
/// A slot takes up to `batch` jobs at a time, the oldest first. At most `maximumWaitingCount` jobs wait.
struct BlockingWorkQueueState: Sendable {
  typealias ID = Int

  enum Admission: Sendable, Equatable {
    case start(slot: Int, jobs: [ID])
    case wait
    case full
    case closed
  }

  let batch: Int
  let maximumWaitingCount: Int
  private let slots: Int
  private var idle: [Int]
  private var waiting = WaitingLine<ID>()
  private var nextID = 0
  private(set) var isClosed = false

  init(slots: Int, batch: Int, maximumWaitingCount: Int) {
    self.slots = max(slots, 1)
    self.batch = max(batch, 1)
    self.maximumWaitingCount = max(maximumWaitingCount, 0)
    idle = Array((0..<self.slots).reversed())
  }

  var waitingCount: Int { waiting.count }

  /// Whether no job is running or waiting.
  var isIdle: Bool { idle.count == slots && waiting.isEmpty }

  /// Returns an id for a job that is about to be submitted.
  mutating func makeID() -> ID {
    defer { nextID += 1 }
    return nextID
  }

  mutating func submit(_ id: ID) -> Admission {
    if isClosed { return .closed }
    if let slot = idle.popLast() { return .start(slot: slot, jobs: [id]) }
    guard waiting.count < maximumWaitingCount else { return .full }
    waiting.append(id)
    return .wait
  }

  /// Cancels a waiting job. Returns true if the job had not started; it will never start.
  mutating func cancel(_ id: ID) -> Bool { waiting.remove(id) }

  /// Marks the jobs of a slot as done. Returns the next jobs of the slot.
  mutating func finished(slot: Int) -> [ID] {
    var jobs: [ID] = []
    while jobs.count < batch, let id = waiting.popFirst() { jobs.append(id) }
    if jobs.isEmpty { idle.append(slot) }
    return jobs
  }

  /// Refuses new jobs. Waiting jobs are still run.
  mutating func close() { isClosed = true }
}
