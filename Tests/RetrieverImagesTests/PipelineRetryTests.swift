import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct PipelineRetryTests {
  private static let body = Data.pattern(count: 300_000)

  @Test func `a temporary failure is retried`() async throws {
    let server = try ScriptedServer { connection in
      while try connection.nextRequest() != nil {
        try connection.send(connection.index == 0 ? Reply(503).bytes + Data() : Reply(text: "image").bytes)
        if connection.index == 0 { return }
      }
    }
    let test = PipelineUnderTest()
    let load = test.pipeline.load(.fit(100, server.url()))
    await test.clock.waitForSleepers()
    test.clock.advance(by: .seconds(1))
    #expect(try await load.value.isMade(of: Data("image".utf8)))
    #expect(server.requests.count == 2)
  }

  @Test func `a load fails after three retries`() async throws {
    let server = try ScriptedServer.http { _ in Reply(502) }
    let test = PipelineUnderTest()
    let load = test.pipeline.load(.fit(100, server.url()))
    for _ in 0..<3 {
      await test.clock.waitForSleepers()
      test.clock.advance(by: .seconds(10))
    }
    let error = await failure { try await load.value } as? URLError
    #expect(error?.code == .badServerResponse)
    #expect(error?.localizedDescription.contains("502") == true)
    #expect(server.requests.count == 4)
  }

  @Test func `a permanent error status is reported without a retry`() async throws {
    let server = try ScriptedServer.http { _ in Reply(404, text: "image") }
    let test = PipelineUnderTest()
    let error = await failure { try await test.pipeline.thumbnail(for: .fit(100, server.url())) } as? URLError
    #expect(error?.code == .badServerResponse)
    #expect(error?.localizedDescription.contains("404") == true)
    #expect(server.requests.count == 1)
  }

  @Test func `Retry-After is respected up to a maximum`() async throws {
    let server = try ScriptedServer.http { request in
      Reply(429, headers: [("Retry-After", request.path == "/soon" ? "20" : "3600")])
    }
    let test = PipelineUnderTest()
    let error = await failure { try await test.pipeline.thumbnail(for: .fit(100, server.url("/late"))) }
    #expect((error as? URLError)?.localizedDescription.contains("429") == true)
    let load = test.pipeline.load(.fit(100, server.url("/soon")))
    await test.clock.waitForSleepers()
    test.clock.advance(by: .seconds(19))
    #expect(test.clock.sleeperCount == 1)
    test.clock.advance(by: .seconds(1))
    await test.clock.waitForSleepers()
    #expect(server.requests.count == 3)
    load.cancel()
  }

  @Test func `delays grow up to a maximum`() {
    let policy = RetryPolicy()
    #expect(policy.delay(attempt: 1, retryAfter: nil, jitter: 0.5) == .milliseconds(500))
    #expect(policy.delay(attempt: 2, retryAfter: nil, jitter: 0.5) == .seconds(1))
    #expect(policy.delay(attempt: 1_000, retryAfter: nil, jitter: 1) == .seconds(10))
    #expect(policy.delay(attempt: 1, retryAfter: .seconds(7), jitter: 0) == .seconds(7))
    #expect(RetryPolicy.retryAfter("12", now: .now) == .seconds(12))
    #expect(RetryPolicy.retryAfter("99999999999999999999", now: .now) == nil)
    #expect(RetryPolicy.retryAfter("soon", now: .now) == nil)
    let now = Date(timeIntervalSince1970: 784_111_777)
    #expect(RetryPolicy.retryAfter("Sun, 06 Nov 1994 08:49:47 GMT", now: now) == .seconds(10))
  }

  /// Sends half of the body on the first connection, then closes it.
  private func breakingServer(
    tag: String?, changes: Bool = false, ranges: Bool = true, wrongRange: Bool = false
  ) throws -> ScriptedServer {
    let body = Self.body
    return try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        let tag = changes && connection.index > 0 ? "\"two\"" : tag
        let fields = tag.map { "ETag: \($0)\r\n" } ?? ""
        if let start = request["Range"].flatMap({ Int($0.dropFirst(6).dropLast()) }), ranges,
          request["If-Range"] == tag
        {
          let first = wrongRange ? start + 1 : start
          try connection.send(
            "HTTP/1.1 206 Partial Content\r\n\(fields)Content-Range: bytes \(first)-\(body.count - 1)/\(body.count)"
              + "\r\nContent-Length: \(body.count - first)\r\n\r\n")
          try connection.send(body[first...])
          continue
        }
        try connection.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.count)\r\n\r\n")
        guard connection.index == 0 else {
          try connection.send(body)
          continue
        }
        try connection.send(body[..<150_000])
        return
      }
    }
  }

  private func load(from server: ScriptedServer, retries: Int = 1) async throws -> PipelineUnderTest {
    let test = PipelineUnderTest()
    let load = test.pipeline.load(.fit(100, server.url()))
    for _ in 0..<retries {
      await test.clock.waitForSleepers()
      test.clock.advance(by: .seconds(10))
    }
    #expect(try await load.value.isMade(of: Self.body))
    return test
  }

  @Test func `an interrupted fetch resumes where it stopped`() async throws {
    let server = try breakingServer(tag: "\"one\"")
    let test = try await load(from: server)
    #expect(server.requests.count == 2)
    #expect(server.requests.last?["Range"] == "bytes=150000-")
    #expect(server.requests.last?["If-Range"] == "\"one\"")
    #expect(test.factory.counts.begun == 1)
  }

  @Test func `without a strong validator, a fetch restarts from the beginning`() async throws {
    for tag in [nil, "W/\"weak\""] {
      let server = try breakingServer(tag: tag)
      let test = try await load(from: server)
      #expect(server.requests.last?["Range"] == nil)
      #expect(test.factory.counts.begun == 2 && test.factory.counts.finished == 1)
    }
  }

  @Test func `another version is fetched from the beginning`() async throws {
    let server = try breakingServer(tag: "\"one\"", changes: true)
    let test = try await load(from: server)
    #expect(server.requests.last?["Range"] == "bytes=150000-")
    #expect(test.factory.counts.begun == 2 && test.factory.counts.finished == 1)
  }

  @Test func `a wrong Content-Range restarts the fetch from the beginning`() async throws {
    let server = try breakingServer(tag: "\"one\"", wrongRange: true)
    let test = try await load(from: server, retries: 2)
    #expect(server.requests.count == 3)
    #expect(test.factory.counts.finished == 1)
  }

  @Test func `the stored version is not revalidated after bytes of a new one have arrived`() async throws {
    let body = Self.body
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        let isFirst = connection.index == 0
        if connection.index == 2, request["If-None-Match"] != nil {
          try connection.send("HTTP/1.1 304 Not Modified\r\nETag: W/\"one\"\r\n\r\n")
          continue
        }
        let tag = isFirst ? "one" : "two"
        let length = isFirst ? 1_000 : body.count
        try connection.send(
          "HTTP/1.1 200 OK\r\nETag: W/\"\(tag)\"\r\nCache-Control: no-cache\r\nContent-Length: \(length)\r\n\r\n"
        )
        guard connection.index == 1 else {
          try connection.send(body.prefix(length))
          continue
        }
        try connection.send(body[..<150_000])
        return
      }
    }
    let directory = try TemporaryDirectory()
    let first = PipelineUnderTest(disk: directory)
    _ = try await first.pipeline.thumbnail(for: .fit(100, server.url()))
    await first.flush()
    let second = PipelineUnderTest(disk: directory)
    let load = second.pipeline.load(.fit(100, server.url()))
    await second.clock.waitForSleepers()
    second.clock.advance(by: .seconds(10))
    #expect(try await load.value.isMade(of: body))
    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "W/\"one\"", nil])
  }
}
