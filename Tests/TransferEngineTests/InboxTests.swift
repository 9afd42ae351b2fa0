import Synchronization
import Testing

@testable import TransferEngine

@Suite struct InboxTests {
  private let client: TransferClient

  init() throws { client = try TransferClient() }

  /// Returns a transfer that is never started.
  private func transfer() -> Transfer {
    client.makeTransfer(TransferRequest(url: "http://127.0.0.1/"), observer: RecordingObserver())
  }

  @Test func `a loop that is awake is not woken up`() {
    let inbox = Inbox()
    #expect(!inbox.put(.start(transfer())))
    #expect(!inbox.put(.start(transfer())))
  }

  @Test func onlyTheFirstCommandWakesASleepingLoop() {
    let inbox = Inbox()
    #expect(inbox.fallAsleep())
    #expect(inbox.put(.start(transfer())))
    #expect(!inbox.put(.start(transfer())))
  }

  @Test func `a loop does not sleep while a command waits`() {
    let inbox = Inbox()
    _ = inbox.put(.start(transfer()))
    #expect(!inbox.fallAsleep())
    var commands: [Inbox.Command] = []
    inbox.drain(into: &commands)
    #expect(commands.count == 1)
    #expect(inbox.fallAsleep())
  }

  @Test func drainingWakesTheLoopForTheInbox() {
    let inbox = Inbox()
    _ = inbox.fallAsleep()
    var commands: [Inbox.Command] = []
    inbox.drain(into: &commands)
    #expect(commands.isEmpty)
    #expect(!inbox.put(.start(transfer())))
  }

  @Test func commandsKeepTheirOrder() {
    let inbox = Inbox()
    let transfers = (0..<100).map { _ in transfer() }
    for transfer in transfers { _ = inbox.put(.cancel(transfer)) }
    var commands: [Inbox.Command] = []
    inbox.drain(into: &commands)
    let drained = commands.compactMap { command in
      if case .cancel(let transfer) = command { ObjectIdentifier(transfer) } else { nil }
    }
    #expect(drained == transfers.map(ObjectIdentifier.init))
  }

  // MARK: Jobs

  /// Keeps the jobs of tasks that prefer it.
  private final class JobRecorder: TaskExecutor {
    private let state = Mutex<[Inbox.Job]>([])
    func enqueue(_ job: consuming ExecutorJob) {
      let job = Inbox.Job(job: UnownedJob(job), executor: asUnownedTaskExecutor())
      state.withLock { $0.append(job) }
    }
    /// The jobs of new tasks, which must be run.
    func jobs(_ count: Int) -> [Inbox.Job] {
      for _ in 0..<count { Task(executorPreference: self) {} }
      return state.withLock { $0 }
    }
  }

  @Test func `only the first job wakes a sleeping loop`() throws {
    let recorder = JobRecorder()
    let inbox = Inbox()
    let jobs = recorder.jobs(3)
    #expect(!inbox.put(jobs[0]), "The loop is awake.")
    #expect(!inbox.fallAsleep())
    let (stint, count) = try #require(inbox.beginJobs())
    #expect(count == 1)
    try #require(inbox.nextJob(in: stint)).run()
    #expect(inbox.nextJob(in: stint) == nil && inbox.endJobs(stint) && inbox.beginJobs() == nil)
    #expect(inbox.fallAsleep())
    #expect(inbox.put(jobs[1]))
    #expect(!inbox.put(jobs[2]))
    #expect(inbox.beginJobs()?.count == 2)
    for _ in 0..<2 { inbox.nextJobOfWorker()?.run() }
  }

  @Test func `a job wakes a loop whose commands another thread performs`() {
    let recorder = JobRecorder()
    let inbox = Inbox()
    #expect(inbox.fallAsleep())
    inbox.starterBegins()
    #expect(!inbox.put(.start(transfer())))
    #expect(inbox.put(recorder.jobs(1)[0]))
    inbox.nextJobOfWorker()?.run()
  }

  @Test func `a driver that was relieved gets no further job`() throws {
    let recorder = JobRecorder()
    let inbox = Inbox(maximumThreads: 2)
    let jobs = recorder.jobs(2)
    for job in jobs { _ = inbox.put(job) }
    let (stint, _) = try #require(inbox.beginJobs())
    let job = try #require(inbox.nextJob(in: stint))
    #expect(inbox.endSlice().relief == .none, "The stint began during this slice.")
    #expect(inbox.endSlice().relief == .start(stint))
    #expect(inbox.arrive(for: stint))
    job.run()
    #expect(inbox.nextJob(in: stint) == nil && !inbox.endJobs(stint))
    // All other threads are busy, so the new driver only drives, and sleeps although a job waits.
    #expect(inbox.beginJobs() == nil && inbox.fallAsleep())
    try #require(inbox.nextJobOfWorker()).run()
    #expect(inbox.nextJobOfWorker() == nil)
    let last = recorder.jobs(1)[2]
    #expect(inbox.put(last), "There is a spare thread again, so the driver may run jobs.")
    inbox.nextJobOfWorker()?.run()
  }
}
