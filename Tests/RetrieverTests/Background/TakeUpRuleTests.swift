#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite struct TakeUpRuleTests {
  private func download(_ change: (inout BackgroundTaskRecord) -> Void) throws -> BackgroundTaskRecord {
    var task = try #require(BackgroundTaskRecord.forTest())
    change(&task)
    return task
  }

  private func partial(
    validator: String? = "\"tag\"", length: Int64? = 100, synced: Int64 = 0, boot: String? = "now"
  ) throws -> BackgroundTaskRecord.Partial {
    .init(
      name: PartialFileName.random(), isTemporary: false, response: .forTest(),
      validator: validator, length: length, syncedLength: synced, boot: boot)
  }

  private func action(
    _ task: BackgroundTaskRecord, _ fileLength: Int64?, boot: String? = "now"
  ) -> TakeUpRule.Action {
    TakeUpRule.action(for: task, fileLength: fileLength, boot: boot)
  }

  @Test func `a task without a response starts from the beginning`() throws {
    #expect(action(try download { _ in }, nil) == .start)
    #expect(action(try download { $0.kind = .upload(path: "/a") }, nil) == .start)
  }

  @Test func `a request that is not idempotent and may have been sent fails`() throws {
    #expect(action(try download { $0.isUnderWay = true }, nil) == .failUnderWay)
    let partial = try partial()
    let half = try download { ($0.isUnderWay, $0.partial) = (true, partial) }
    #expect(action(half, 50) == .failUnderWay)
  }

  @Test func `a cancelled task stays cancelled`() throws {
    let partial = try partial()
    #expect(action(try download { ($0.isCancelled, $0.partial) = (true, partial) }, 50) == .failCancelled)
  }

  @Test func `a download continues where its file ends`() throws {
    let partial = try partial()
    let task = try download { $0.partial = partial }
    #expect(action(task, 60) == .resume(offset: 60, validator: "\"tag\""))
    // Nothing has arrived, the file is gone, or it is longer than it can be.
    #expect(action(task, 0) == .start)
    #expect(action(task, nil) == .start)
    #expect(action(task, 101) == .start)
    // All of it had arrived.
    #expect(action(task, 100) == .deliver(try #require(.forTest())))
  }

  @Test func `without a validator, a download starts again`() throws {
    let partial = try partial(validator: nil)
    #expect(action(try download { $0.partial = partial }, 60) == .start)
  }

  @Test func `without a length, the last byte is requested again`() throws {
    let partial = try partial(length: nil)
    let task = try download { $0.partial = partial }
    #expect(action(task, 60) == .resume(offset: 59, validator: "\"tag\""))
    #expect(action(task, 1) == .start)
  }

  @Test(arguments: [nil, "then"])
  func `after a restart of the machine, only what the disk was known to have counts`(boot: String?) throws {
    let partial = try partial(synced: 40, boot: boot)
    let task = try download { $0.partial = partial }
    #expect(action(task, 60) == .resume(offset: 40, validator: "\"tag\""))
    #expect(action(task, 30) == .resume(offset: 30, validator: "\"tag\""))
    #expect(action(task, 100) == .resume(offset: 40, validator: "\"tag\""))
    #expect(action(task, 60, boot: nil) == .resume(offset: 40, validator: "\"tag\""))
  }

  @Test func `a complete download is delivered until its delegate has the file`() throws {
    let response = try #require(StoredResponse.forTest())
    let finished = BackgroundTaskRecord.Finished(response: response, length: 100)
    let partial = try partial()
    let task = try download { ($0.finished, $0.partial) = (finished, partial) }
    #expect(action(task, 100) == .deliver(response))
    // The file is not the one that was complete.
    #expect(action(task, 99) == .start)
    #expect(action(task, nil) == .start)
    let delivering = try download { ($0.finished, $0.partial, $0.isDelivering) = (finished, partial, true) }
    #expect(action(delivering, 100) == .deliver(response))
    #expect(action(delivering, nil) == .complete(response))
    let lost = try download { ($0.finished, $0.partial, $0.isUnderWay) = (finished, partial, true) }
    #expect(action(lost, nil) == .failUnderWay)
    #expect(action(lost, 100) == .deliver(response))
  }

  @Test func `damaged lengths are harmless`() throws {
    for length in [Int64.min, -1, 0, .max] {
      for written in [nil, 0, 1, 100, Int64.max] {
        let partial = try partial(length: length, synced: length, boot: "then")
        let result = action(try download { $0.partial = partial }, written)
        if case .resume(let offset, _) = result { #expect(offset > 0) }
        let finished = BackgroundTaskRecord.Finished(response: try #require(.forTest()), length: length)
        _ = action(try download { $0.finished = finished }, written)
      }
    }
  }

  @Test(arguments: ["GET", "HEAD", "PUT", "DELETE", "POST", "PATCH", "put"])
  func `only idempotent methods are repeated`(method: String) throws {
    var request = URLRequest(url: try #require(URL(string: "http://example.com/")))
    request.httpMethod = method
    #expect(TakeUpRule.mayRepeat(request) == !["POST", "PATCH"].contains(request.httpMethod))
  }
}
#endif
