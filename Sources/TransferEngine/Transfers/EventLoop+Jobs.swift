import Glibc
import LoopThread

// The threads of a loop, and the jobs that they run.
extension EventLoop {
  /// The maximum number of threads of one loop: as many as there are processors run jobs, and another one drives.
  static let maximumThreads = max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)) + 1)
  /// The maximum number of jobs between two looks at the sockets.
  private static let maximumJobs = 64

  // MARK: From any thread

  /// Runs a job on one of the loop's threads.
  func enqueue(_ job: Inbox.Job) {
    if inbox.put(job) { wakeUp() }
  }

  /// The loop that this thread belongs to.
  static var current: Unmanaged<EventLoop>? {
    pthread_getspecific(key).map { Unmanaged<EventLoop>.fromOpaque($0) }
  }

  /// Whether this thread belongs to the loop.
  var isCurrent: Bool {
    pthread_getspecific(Self.key) == UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  private static let key = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  // MARK: On the loop's threads

  /// Runs a thread of the loop. It alternates between driving the loop, running jobs as a worker, and waiting as a spare.
  func run(asDriver: Bool) -> Never {
    // The loop is never released, because its thread never ends.
    pthread_setspecific(Self.key, Unmanaged.passUnretained(self).toOpaque())
    if !asDriver { workAndWait() }
    while true {
      drive()
      workAndWait()
    }
  }

  /// Runs jobs until none is left, and waits until this thread is the driver.
  private func workAndWait() {
    while let job = inbox.nextJobOfWorker() { job.run() }
    while !relief.take() {}
  }

  /// Runs jobs between two looks at the sockets, without the lock. Returns false if another thread drives now.
  func runJobs(in stint: LoopCrew.Stint, count: Int) -> Bool {
    SliceWatch.shared.watch(self)
    var count = min(count, Self.maximumJobs)
    while count > 0, let job = inbox.nextJob(in: stint) {
      job.run()
      count -= 1
    }
    return inbox.endJobs(stint)
  }

  // MARK: On the thread that watches slices

  /// A time slice has passed. If the driver spent all of it in jobs, another thread takes over.
  ///
  /// - Returns: Whether there was nothing to watch.
  func endSlice() -> Bool {
    let (relief, isIdle) = inbox.endSlice()
    switch relief {
    case .none: break
    case .wake: self.relief.signal()
    case .start(let stint):
      let code = LoopThread.start("retriever-loop") { self.run(asDriver: self.inbox.arrive(for: stint)) }
      if code != 0 { inbox.startFailed() }
    }
    return isIdle
  }
}

extension Inbox.Job {
  func run() { job.runSynchronously(on: executor) }
}
