/// Decides which thread of a loop drives it, and which threads run jobs. It has no side effects.
///
/// One thread drives the loop: it waits for sockets, lets libcurl work, and runs the jobs that are queued in between. If it
/// stays in jobs for longer than a time slice, another thread relieves it, so that transfers never wait for a long job.
/// The relieved thread is a worker then: it runs jobs until none is left, and becomes a spare.
///
/// The driver runs jobs only while another thread could relieve it. If all others are busy, it only drives.
struct LoopCrew: Sendable {
  /// A period in which the driver runs jobs.
  struct Stint: Sendable, Equatable {
    fileprivate let number: UInt64
  }

  /// What follows when the driver has not returned from its jobs for a time slice.
  enum Relief: Sendable, Equatable {
    /// The driver has returned in the meantime, or a thread that is starting will relieve it.
    case none
    /// A spare thread is the driver now. Wake it.
    case wake
    /// There is no spare thread. Start one, which calls ``arrive(for:)``, or call ``startFailed()``.
    case start(Stint)
  }

  let maximumThreads: Int
  /// All threads, including one that is about to start.
  private(set) var threads = 1
  private(set) var spares = 0
  private var isStarting = false
  private var number: UInt64 = 0
  private(set) var isInJobs = false
  private var seen: UInt64 = 0

  init(maximumThreads: Int) { self.maximumThreads = maximumThreads }

  /// Whether the driver may run jobs.
  var canBeRelieved: Bool { spares > 0 || threads < maximumThreads }

  mutating func beginJobs() -> Stint? {
    guard canBeRelieved else { return nil }
    isInJobs = true
    number += 1
    return Stint(number: number)
  }

  /// Whether the thread that began a stint is still the driver.
  func isDriver(in stint: Stint) -> Bool { isInJobs && stint.number == number }

  /// The driver returns from its jobs. Returns false if it was relieved.
  mutating func endJobs(_ stint: Stint) -> Bool {
    guard isDriver(in: stint) else { return false }
    isInJobs = false
    return true
  }

  /// A time slice has passed. Returns the stint that began before the slice and has not ended.
  mutating func endSlice() -> Stint? {
    defer { seen = number }
    return isInJobs && seen == number ? Stint(number: number) : nil
  }

  mutating func relieve(_ stint: Stint) -> Relief {
    guard isDriver(in: stint) else { return .none }
    if spares > 0 {
      spares -= 1
      isInJobs = false
      return .wake
    }
    guard threads < maximumThreads, !isStarting else { return .none }
    threads += 1
    isStarting = true
    return .start(stint)
  }

  mutating func startFailed() {
    threads -= 1
    isStarting = false
  }

  /// A new thread has started. Returns whether it is the driver now. Otherwise it is a worker.
  mutating func arrive(for stint: Stint) -> Bool {
    isStarting = false
    guard isDriver(in: stint) else { return false }
    isInJobs = false
    return true
  }

  /// A worker has found no job.
  mutating func becomeSpare() { spares += 1 }
}
