import Foundation
import Hashing
import Retriever
import RetrieverTesting
import Synchronization
import TestSupport
import Testing

@testable import ObjectStorage

/// The client when the store, or the way to it, fails.
@Suite struct FaultTests {
  private let stubs = HTTPStubs()
  private let pauses = Pauses()

  private final class Pauses: Sendable {
    let all = Mutex<[Duration]>([])
  }

  private func store(_ change: (inout StoreRetries) -> Void = { _ in }) throws -> ObjectStore {
    var retries = StoreRetries()
    change(&retries)
    let (pauses, start) = (pauses, ContinuousClock.now)
    return ObjectStore(
      try StoreLocation("s3://dogs?endpoint=http://objects.test&region=eu", environment: [:]),
      credentials: StoreCredentials(accessKey: "key", secretKey: "s3cret", sessionToken: "t0ken"),
      session: stubs.session(), retries: retries,
      clock: StoreClock(
        now: { Date(timeIntervalSince1970: 1_800_000_000) },
        sleep: { pause in pauses.all.withLock { $0.append(pause) } }, jitter: { 1 }, uptime: { start }))
  }

  private func error(_ code: String, status: Int) -> StubAnswer {
    .text(
      "<Error><Code>\(code)</Code><RequestId>R1</RequestId></Error>", type: "application/xml", status: status)
  }

  @Test func `a store that is overloaded for a while is asked again after growing pauses`() async throws {
    stubs.when(
      "PUT /**",
      answers: [error("SlowDown", status: 503), .status(500), .failure(.networkConnectionLost), .status(200)])
    try await store().put(Data("dog".utf8), as: "name")
    #expect(stubs.requests.count == 4)
    #expect(pauses.all.withLock { $0 } == [.milliseconds(100), .milliseconds(200), .milliseconds(400)])
    #expect(stubs.requests.allSatisfy { $0.body == Data("dog".utf8) })
  }

  @Test func `a store that stays overloaded is given up`() async throws {
    stubs.when("GET /**", answer: error("SlowDown", status: 503).header("Retry-After", "3"))
    let error = await #expect(throws: ObjectStoreError.self) { try await store().check() }
    #expect(error?.code == .busy && error?.requestID == "R1")
    #expect(pauses.all.withLock { $0 } == Array(repeating: .seconds(3), count: 4))
  }

  @Test func `a store that does not answer in time is not asked again`() async throws {
    stubs.when("GET /**", answer: .failure(.timedOut))
    let (start, looks) = (ContinuousClock.now, Pauses())
    let clock = StoreClock(
      now: { Date(timeIntervalSince1970: 1_800_000_000) }, sleep: { _ in }, jitter: { 1 },
      uptime: {
        looks.all.withLock { looks in
          looks.append(.zero)
          return start + .seconds(20 * looks.count)
        }
      })
    let store = ObjectStore(
      try StoreLocation("s3://dogs?endpoint=http://objects.test&region=eu", environment: [:]),
      credentials: StoreCredentials(accessKey: "key", secretKey: "s3cret"), session: stubs.session(),
      clock: clock)
    let error = await #expect(throws: ObjectStoreError.self) { try await store.check() }
    #expect(error?.code == .unreachable)
    #expect(stubs.requests.count == 1)
  }

  @Test func `an error that would come again is not asked for again`() async throws {
    stubs.when("GET /**", answer: error("AccessDenied", status: 403))
    let error = await #expect(throws: ObjectStoreError.self) { try await store().check() }
    #expect(error?.code == .notAllowed)
    #expect(stubs.requests.count == 1)
  }

  @Test func `clocks that differ are reported with the difference`() async throws {
    stubs.when(
      "GET /**",
      answer: error("RequestTimeTooSkewed", status: 403).header("Date", "Fri, 15 Jan 2027 08:20:00 GMT"))
    let error = await #expect(throws: ObjectStoreError.self) { try await store().check() }
    #expect(error?.code == .wrongClock)
    #expect(error?.description.contains("by 1200 seconds") == true)
  }

  @Test func `redirects are not followed`() async throws {
    stubs.when("GET http://objects.test/**", answer: .redirect(to: "http://thief.test/", status: 307))
    stubs.when("GET http://thief.test/", answer: .status(200))
    let error = await #expect(throws: ObjectStoreError.self) { try await store().check() }
    #expect(error?.code == .badAddress)
    #expect(stubs.requests.count == 1)
  }

  @Test func `a connection that is lost in the middle of an object continues at the same byte`() async throws
  {
    let photo = Data.pattern(count: 100_000)
    let store = try store()
    stubs.when("GET /**") { request in
      let start = request.value(forHTTPHeaderField: "Range").flatMap { Int($0.dropFirst(6).dropLast(6)) } ?? 0
      let answer = StubAnswer.data(
        photo[start...], status: start == 0 ? 200 : 206,
        headers: start == 0
          ? ["ETag": "\"1\""] : ["ETag": "\"1\"", "Content-Range": "bytes \(start)-99999/100000"])
      return start < 60_000 ? answer.losingConnection(afterBytes: 30_000) : answer
    }
    #expect(try await store.data(of: "name", maximumSize: 1 << 20, sha256: SHA256.hash(photo)) == photo)
    #expect(stubs.requests.count == 3)
    #expect(stubs.requests.dropFirst().allSatisfy { $0.value(forHTTPHeaderField: "If-Match") == "\"1\"" })
  }

  @Test func `an object that changes while it is read is an error`() async throws {
    stubs.when(
      "GET /**",
      answers: [
        .data(Data(count: 1000), headers: ["ETag": "\"1\""]).losingConnection(afterBytes: 500),
        error("PreconditionFailed", status: 412),
      ])
    let store = try store()
    let error = await #expect(throws: ObjectStoreError.self) {
      try await store.data(of: "name", maximumSize: 2000)
    }
    #expect(error?.code == .conditionFailed)
  }

  @Test
  func `a part that was damaged on its way is sent again, and an upload that stays damaged is an error`()
    async throws
  {
    stubs.when("PUT /**", answer: error("BadDigest", status: 400))
    let store = try store { $0.maximumAttempts = 3 }
    let error = await #expect(throws: ObjectStoreError.self) { try await store.put(Data([1]), as: "name") }
    #expect(error?.code == .damaged)
    #expect(stubs.requests.count == 3)
  }

  @Test func `an upload is completed although the response was lost`() async throws {
    stubs.when(
      "POST /**?uploads",
      answer: .text("<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"))
    stubs.when("PUT /**", answer: .status(200, headers: ["ETag": "\"p\""]))
    stubs.when("POST /**?uploadId=u1", answers: [.failure(.timedOut), error("NoSuchUpload", status: 404)])
    stubs.when("HEAD /**", answer: .status(200, headers: ["ETag": "\"x-2\"", "Content-Length": "15"]))
    var plan = UploadPlan()
    plan.partSize = 10
    let store = try store()
    #expect(try await store.upload(Chunks(chunks: [Data(count: 15)]), as: "name", plan: plan) == 15)
  }

  @Test func `an error in a response with status 200 is an error, and the parts are removed`() async throws {
    stubs.when(
      "POST /**?uploads",
      answer: .text("<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"))
    stubs.when("PUT /**", answer: .status(200, headers: ["ETag": "\"p\""]))
    stubs.when("POST /**?uploadId=u1", answer: error("InvalidPart", status: 200))
    let removal = stubs.when("DELETE /**?uploadId=u1", answer: .status(204))
    var plan = UploadPlan()
    plan.partSize = 10
    let store = try store()
    let error = await #expect(throws: ObjectStoreError.self) {
      try await store.upload(Chunks(chunks: [Data(count: 15)]), as: "name", plan: plan)
    }
    #expect(error?.code == .refused && error?.storeCode == "InvalidPart")
    #expect(removal.requestCount == 1)
  }

  @Test func `an upload whose completion failed in the store is completed again`() async throws {
    stubs.when(
      "POST /**?uploads",
      answer: .text("<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"))
    stubs.when("PUT /**", answer: .status(200, headers: ["ETag": "\"p\""]))
    let completion = stubs.when(
      "POST /**?uploadId=u1",
      answers: [
        error("InternalError", status: 200),
        .text("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"),
      ])
    var plan = UploadPlan()
    plan.partSize = 10
    let store = try store()
    #expect(try await store.upload(Chunks(chunks: [Data(count: 15)]), as: "name", plan: plan) == 15)
    #expect(completion.requestCount == 2)
  }

  @Test(.timeLimit(.minutes(1)))
  func `an upload to a store that is gone fails without waiting for the removal of its parts`() async throws {
    stubs.when(
      "POST /**?uploads",
      answer: .text("<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"))
    stubs.when("PUT /**", answer: .failure(.cannotConnectToHost))
    let isOver = Gate()
    let removal = stubs.when("DELETE /**?uploadId=u1") { _ in
      await isOver.wait()
      return .status(204)
    }
    var plan = UploadPlan()
    plan.partSize = 10
    let store = try store()
    let error = await #expect(throws: ObjectStoreError.self) {
      try await store.upload(Chunks(chunks: [Data(count: 15)]), as: "name", plan: plan)
    }
    #expect(error?.code == .unreachable)
    isOver.open()
    #expect(await eventually { removal.requestCount == 1 })
  }

  @Test func `a list of unfinished uploads comes in pages`() async throws {
    func page(_ keys: [String], _ end: String) -> StubAnswer {
      let uploads = keys.map { "<Upload><Key>\($0)</Key><UploadId>u</UploadId></Upload>" }.joined()
      return .text("<ListMultipartUploadsResult>\(uploads)\(end)</ListMultipartUploadsResult>")
    }
    let next = "<IsTruncated>true</IsTruncated><NextKeyMarker>b</NextKeyMarker>"
    stubs.when(
      "GET /**", answers: [page(["a", "b"], next), page(["c"], "<IsTruncated>false</IsTruncated>")])
    let store = try store()
    #expect(try await store.unfinishedUploads().map(\.key) == ["a", "b", "c"])
    stubs.when("GET /**", answer: page([], next))
    let circle = await #expect(throws: ObjectStoreError.self) { try await store.unfinishedUploads() }
    #expect(circle?.code == .badResponse)
  }

  @Test func `an upload is not begun twice after a lost response`() async throws {
    stubs.when("POST /**?uploads", answer: .failure(.networkConnectionLost))
    var plan = UploadPlan()
    plan.partSize = 10
    let store = try store()
    let error = await #expect(throws: ObjectStoreError.self) {
      try await store.upload(Chunks(chunks: [Data(count: 15)]), as: "name", plan: plan)
    }
    #expect(error?.code == .unreachable)
    #expect(stubs.requests.count == 1)
  }

  @Test func `a store without conditional writes is asked whether the object exists`() async throws {
    let store = try store()
    let conditional = stubs.when("PUT /**", answers: [error("NotImplemented", status: 501), .status(200)])
    let question = stubs.when("HEAD /**", answer: .status(404))
    #expect(try await store.put(Data([1]), as: "name", onlyIfAbsent: true) == .stored)
    #expect(conditional.requestCount == 2 && question.requestCount == 1)
    #expect(stubs.requests.last?.value(forHTTPHeaderField: "If-None-Match") == nil)
    stubs.when("PUT /**", answer: error("NotImplemented", status: 501))
    stubs.when("HEAD /**", answer: .status(200, headers: ["Content-Length": "1"]))
    #expect(try await store.put(Data([1]), as: "name", onlyIfAbsent: true) == .existed)
    let error = await #expect(throws: ObjectStoreError.self) { try await store.put(Data([1]), as: "name") }
    #expect(error?.code == .refused)
  }

  @Test func `objects that could not be deleted are reported`() async throws {
    stubs.when(
      "POST /**?delete",
      answer: .text("<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code></Error></DeleteResult>"))
    let store = try store()
    let error = await #expect(throws: ObjectStoreError.self) { try await store.delete(["a", "b"]) }
    #expect(error?.code == .notAllowed)
    #expect(error?.description.contains("1 of 2 objects") == true)
  }

  @Test func `lists that are cut off or go in circles are errors`() async throws {
    stubs.when("GET /**", answer: .text("<ListBucketResult><IsTruncated>false</IsTruncated>"))
    let store = try store()
    let cut = await #expect(throws: ObjectStoreError.self) { try await store.objects().collected() }
    #expect(cut?.code == .badResponse)
    stubs.when(
      "GET /**",
      answer: .text(
        "<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken></ListBucketResult>"
      ))
    let circle = await #expect(throws: ObjectStoreError.self) { try await store.objects().collected() }
    #expect(circle?.code == .badResponse)
  }

  @Test func `a server that sends garbage is an error`() async throws {
    stubs.when("GET /**", answer: .text("<html>It works!</html>"))
    let store = try store()
    let error = await #expect(throws: ObjectStoreError.self) { try await store.check() }
    #expect(error?.code == .badResponse)
  }

  @Test func `no secret is in an error or a description`() async throws {
    stubs.when("GET /**", answer: .failure(.timedOut))
    let store = try store()
    let error = await #expect(throws: ObjectStoreError.self) { try await store.check() }
    var dumped = "\(error as Any) \(store) \(String(reflecting: store))"
    dump(store, to: &dumped)
    dump(store.transport.signer.credentials, to: &dumped)
    #expect(!dumped.contains("s3cret") && !dumped.contains("t0ken"))
    #expect(stubs.requests.first?.value(forHTTPHeaderField: "x-amz-security-token") == "t0ken")
  }
}
