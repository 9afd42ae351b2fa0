/// Which jobs of a lane run and which wait: a pure value, driven by ``Lane``.
///
/// A slot takes up to `batch` jobs at once, the oldest first; no more than `waitingLimit` wait.
struct LaneQueue: Sendable {
  typealias ID = Int

  enum Admission: Sendable, Equatable {
    case start(slot: Int, jobs: [ID])
    case wait
    case full
    case closed
  }

  let batch: Int
  let waitingLimit: Int
  private let slots: Int
  private var idle: [Int]
  private var waiting: Set<ID> = []
  /// In order of arrival. Cancelled jobs stand in it until their turn comes.
  private var line: [ID] = []
  private var head = 0
  private var nextID = 0
  private(set) var isClosed = false

  init(slots: Int, batch: Int, waitingLimit: Int) {
    self.slots = max(slots, 1)
    self.batch = max(batch, 1)
    self.waitingLimit = max(waitingLimit, 0)
    idle = Array((0..<self.slots).reversed())
  }

  var waitingCount: Int { waiting.count }

  /// Whether nothing runs and nothing waits.
  var isIdle: Bool { idle.count == slots && waiting.isEmpty }

  /// A number for a job that is about to be submitted.
  mutating func makeID() -> ID {
    defer { nextID += 1 }
    return nextID
  }

  mutating func submit(_ id: ID) -> Admission {
    if isClosed { return .closed }
    if let slot = idle.popLast() { return .start(slot: slot, jobs: [id]) }
    guard waiting.count < waitingLimit else { return .full }
    waiting.insert(id)
    line.append(id)
    return .wait
  }

  /// True when the job had not started, and never will.
  mutating func cancel(_ id: ID) -> Bool {
    guard waiting.remove(id) != nil else { return false }
    if line.count - head > 2 * waiting.count + 64 {
      line = line[head...].filter(waiting.contains)
      head = 0
    }
    return true
  }

  /// A slot has done its jobs. The answer is what it does next.
  mutating func finished(slot: Int) -> [ID] {
    var jobs: [ID] = []
    while jobs.count < batch, head < line.count {
      let id = line[head]
      head += 1
      if waiting.remove(id) != nil { jobs.append(id) }
    }
    if head > 64, head > line.count / 2 {
      line.removeFirst(head)
      head = 0
    }
    if jobs.isEmpty { idle.append(slot) }
    return jobs
  }

  /// No job is taken any more; those that wait are still done.
  mutating func close() { isClosed = true }
}
