import KennelTestSupport
import Synchronization
import TestSupport
import Testing

@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct BlockingWorkQueueTests {
  @Test func `cancelling withdraws work that has not begun`() async throws {
    let workQueue = BlockingWorkQueue<Void>("tests", slots: 1, maximumWaitingCount: 10)
    let begun = Gate()
    let release = Gate()
    async let first = workQueue.run {
      begun.open()
      release.waitBlocking()
      return 1
    }
    await begun.wait()
    let second = Task { try await workQueue.run { 2 } }
    second.cancel()
    let result = await second.result
    #expect(throws: KennelError.self) { try result.get() }
    release.open()
    #expect(try await first == 1)
    #expect(try await workQueue.run { 3 } == 3)
  }

  @Test func `work submitted with a cancelled ticket does not run`() async throws {
    let workQueue = BlockingWorkQueue<Void>("tests", slots: 1, maximumWaitingCount: 10)
    let begun = Gate()
    let release = Gate()
    async let first = workQueue.run {
      begun.open()
      release.waitBlocking()
      return 1
    }
    await begun.wait()
    let ticket = CancellationTicket()
    ticket.cancel()
    let outcome = Mutex<KennelError.Code?>(nil)
    workQueue.submit(ticket, { 2 }) { result in
      if case .failure(let error) = result { outcome.withLock { $0 = error.code } }
    }
    #expect(outcome.withLock { $0 } == .cancelled)
    release.open()
    _ = try await first
  }

  @Test func `closing completes waiting work and refuses new work`() async throws {
    let workQueue = BlockingWorkQueue<Void>("tests", slots: 2, maximumWaitingCount: 100)
    let done = Atomic(0)
    let release = Gate()
    for _ in 0..<50 {
      workQueue.submit(CancellationTicket(), { release.waitBlocking() }) { _ in
        done.add(1, ordering: .relaxed)
      }
    }
    release.open()
    await workQueue.close()
    #expect(done.load(ordering: .relaxed) == 50)
    #expect(await code { try await workQueue.run {} } == .closed)
  }

  @Test func `work beyond the maximum waiting count fails with busy`() async throws {
    let workQueue = BlockingWorkQueue<Void>("tests", slots: 1, maximumWaitingCount: 1)
    let release = Gate()
    workQueue.submit(CancellationTicket(), { release.waitBlocking() }) { _ in }
    workQueue.submit(CancellationTicket(), {}) { _ in }
    #expect(await code { try await workQueue.run {} } == .busy)
    release.open()
    await workQueue.close()
  }

  /// Opens a gate when it ends, as a locked file is unlocked.
  private final class Held: Sendable {
    private let end: Gate
    init(_ end: Gate) { self.end = end }
    deinit { end.open() }
  }

  @Test func `what work returned ends with the caller's last reference`() async throws {
    // More threads than processors, so that some are interrupted in between.
    let workQueue = BlockingWorkQueue<Void>("tests", slots: 8, maximumWaitingCount: 8)
    try await withThrowingTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<2000 {
            let end = Gate()
            var held: Held? = try await workQueue.run { Held(end) }
            guard held != nil, !end.isOpen else { throw TestSupportError("the value has ended early") }
            held = nil
            guard end.isOpen else { throw TestSupportError("the work queue still holds the value") }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `what work held has ended when its end is announced`() async throws {
    let workQueue = BlockingWorkQueue<Void>("tests", slots: 1, maximumWaitingCount: 1)
    let (end, release, isOver, wasFirst) = (Gate(), Gate(), Gate(), Gate())
    func work() -> @Sendable () -> Void {
      let held = Held(end)
      return { () -> Void in withExtendedLifetime(held) { _ = release.waitBlocking() } }
    }
    workQueue.submit(CancellationTicket(), work()) { _ in
      if end.isOpen { wasFirst.open() }
      isOver.open()
    }
    release.open()
    #expect(await isOver.wait())
    #expect(wasFirst.isOpen)
  }
}
