import Synchronization
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct WorkPoolTests {
  @Test func `the number of running jobs does not exceed the threads`() async throws {
    let pool = WorkPool(slots: 2)
    let running = Running()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          try await pool.run { (_) throws(ImageError) in
            running.change(by: 1)
            running.change(by: -1)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(running.maximum > 0 && running.maximum <= 2)
  }

  private final class Running: Sendable {
    private let counts = Mutex((now: 0, maximum: 0))

    var maximum: Int { counts.withLock { $0.maximum } }

    func change(by step: Int) {
      counts.withLock { counts in
        counts.now += step
        counts.maximum = max(counts.maximum, counts.now)
      }
    }
  }

  @Test func `waiting work is removed when its task is cancelled`() async {
    let pool = WorkPool(slots: 1)
    let (started, released) = (Gate(), Gate())
    pool.perform {
      started.open()
      _ = released.waitBlocking()
    }
    #expect(await started.wait(within: .seconds(90)))
    let waiting = Task { () -> ImageError? in
      do throws(ImageError) {
        try await pool.run { (_) throws(ImageError) -> Void in _ = Issue.record("the work ran") }
        return nil
      } catch { return error }
    }
    waiting.cancel()
    #expect(await waiting.value?.code == .cancelled)
    released.open()
  }

  @Test func `running work sees its cancellation flag`() async {
    let pool = WorkPool(slots: 1)
    let (started, cancelled) = (Gate(), Gate())
    let running = Task { () -> ImageError? in
      do throws(ImageError) {
        try await pool.run { (flag) throws(ImageError) in
          started.open()
          _ = cancelled.waitBlocking()
          try flag.check()
        }
        return nil
      } catch { return error }
    }
    #expect(await started.wait(within: .seconds(90)))
    running.cancel()
    cancelled.open()
    #expect(await running.value?.code == .cancelled)
  }

  @Test func `work of a task that was cancelled before does not run`() async {
    let pool = WorkPool(slots: 1)
    let gate = Gate()
    let task = Task { () -> ImageError? in
      _ = await gate.wait(within: .seconds(90))
      do throws(ImageError) {
        try await pool.run { (_) throws(ImageError) -> Void in _ = Issue.record("the work ran") }
        return nil
      } catch { return error }
    }
    task.cancel()
    gate.open()
    #expect(await task.value?.code == .cancelled)
  }
}
