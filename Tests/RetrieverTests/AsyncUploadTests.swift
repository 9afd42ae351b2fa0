#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// Uploads from asynchronous sequences.
@Suite(.timeLimit(.minutes(5))) struct AsyncUploadTests {
  private struct Broken: Error, Equatable {}

  private let session = URLSession.forTest()

  private func request(_ server: ScriptedServer, _ path: String = "/") -> URLRequest {
    var request = URLRequest(url: server.url(path))
    request.httpMethod = "PUT"
    return request
  }

  private func echo() throws -> ScriptedServer {
    try ScriptedServer.http { request in
      Reply(headers: [("X-Length", request["Content-Length"] ?? "none")], body: Data(request.body))
    }
  }

  private func stream(_ chunks: [Data]) -> AsyncStream<Data> {
    AsyncStream { continuation in
      for chunk in chunks { continuation.yield(chunk) }
      continuation.finish()
    }
  }

  @Test func `chunks are sent without a length`() async throws {
    let server = try echo()
    let chunks = [Data("one".utf8), Data(), Data.pattern(count: 300_000), Data("end".utf8)]
    let (data, response) = try await session.upload(for: request(server), from: stream(chunks))
    #expect(data == chunks.reduce(Data(), +))
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Length") == "none")
    #expect(server.requests.first?["Transfer-Encoding"] == "chunked")
  }

  @Test func `a stated length is sent`() async throws {
    let server = try echo()
    let chunks = [Data("one".utf8), Data("two".utf8)]
    let (data, response) = try await session.upload(for: request(server), from: stream(chunks), length: 6)
    #expect(data == Data("onetwo".utf8))
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Length") == "6")
  }

  @Test func `bytes are sent`() async throws {
    let server = try echo()
    let body = Data.pattern(count: 50_000)
    let bytes = AsyncStream<UInt8> { continuation in
      for byte in body { continuation.yield(byte) }
      continuation.finish()
    }
    let (data, _) = try await session.upload(for: request(server), from: bytes)
    #expect(data == body)
  }

  @Test func `an empty sequence is an empty body`() async throws {
    let server = try echo()
    #expect(try await session.upload(for: request(server), from: stream([])).0.isEmpty)
    #expect(try await session.upload(for: request(server), from: stream([]), length: 0).0.isEmpty)
  }

  @Test(arguments: [3, 5]) func `a wrong length fails the upload`(_ length: Int64) async throws {
    let completed = Mutex(0)
    let server = try ScriptedServer.http { _ in
      completed.withLock { $0 += 1 }
      return Reply(text: "ok")
    }
    let upload = stream([Data("ab".utf8), Data("cd".utf8)])
    #expect(
      await errorCode { _ = try await session.upload(for: request(server), from: upload, length: length) }
        == .requestBodyStreamExhausted)
    // The server never got a body that it could take for a complete one.
    #expect(completed.withLock { $0 } == 0)
  }

  @Test func `the error of the sequence is the error of the upload`() async throws {
    let server = try echo()
    let broken = AsyncThrowingStream<Data, any Error> { continuation in
      continuation.yield(Data("a".utf8))
      continuation.finish(throwing: Broken())
    }
    await #expect(throws: Broken.self) { try await session.upload(for: request(server), from: broken) }
    try await session.expectUsable()
  }

  /// A sequence that counts what was asked of it.
  private struct Counting: AsyncSequence, Sendable {
    typealias Element = Data
    let asked: AskedCount
    let limit: Int

    final class AskedCount: Sendable {
      let count = Mutex(0)
      let wasCancelled = Mutex(false)
    }

    struct AsyncIterator: AsyncIteratorProtocol {
      let sequence: Counting
      mutating func next() async throws -> Data? {
        let number = sequence.asked.count.withLock { count in
          count += 1
          return count
        }
        return number > sequence.limit ? nil : Data(count: 65_536)
      }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(sequence: self) }
  }

  @Test func `the sequence is not asked for more than the connection takes`() async throws {
    let gate = Gate()
    let server = try ScriptedServer { connection in
      let head = try #require(try connection.readHead())
      try connection.wait(for: gate)
      _ = try connection.readBody(of: head)
      try connection.send(Reply(text: "ok"))
    }
    let asked = Counting.AskedCount()
    let sequence = Counting(asked: asked, limit: 2000)
    let upload = Task { try await session.upload(for: request(server), from: sequence) }
    var last = -1
    while asked.count.withLock({ $0 }) != last || last < 2 {
      last = asked.count.withLock { $0 }
      try await Task.sleep(for: .milliseconds(200))
    }
    // 125 MiB would be everything.
    #expect(last < 500)
    gate.open()
    #expect(try await upload.value.0 == Data("ok".utf8))
    #expect(asked.count.withLock { $0 } == 2001)
  }

  @Test func `cancelling the upload cancels the iteration`() async throws {
    let server = try ScriptedServer { try $0.hold() }
    let ended = Gate()
    let endless = AsyncStream<Data> { continuation in
      continuation.yield(Data("a".utf8))
      continuation.onTermination = { _ in ended.open() }
    }
    let upload = Task { try await session.upload(for: request(server), from: endless) }
    #expect(await eventually { server.connectionCount == 1 })
    upload.cancel()
    #expect(await errorCode { _ = try await upload.value } == .cancelled)
    #expect(await ended.wait(within: .seconds(90)))
  }

  @Test func `a response before the end of the sequence ends the iteration`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      // The first chunk. After it, sending waits for the sequence.
      _ = try connection.read(exactly: 6)
      try connection.pacing(.milliseconds(50))
      try connection.send("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }
    let ended = Gate()
    let endless = AsyncStream<Data> { continuation in
      continuation.yield(Data("a".utf8))
      continuation.onTermination = { _ in ended.open() }
    }
    let (_, response) = try await session.upload(for: request(server), from: endless)
    #expect((response as? HTTPURLResponse)?.statusCode == 413)
    #expect(await ended.wait(within: .seconds(90)))
  }

  @Test func `a short body is sent again after a redirect`() async throws {
    let server = try ScriptedServer.http { request in
      request.target == "/old"
        ? Reply(307, headers: [("Location", "/new")]) : Reply(body: Data(request.body))
    }
    let (data, _) = try await session.upload(
      for: request(server, "/old"), from: stream([Data("one".utf8), Data("two".utf8)]))
    #expect(data == Data("onetwo".utf8))
    #expect(server.requests.map(\.target) == ["/old", "/new"])
  }

  @Test func `a long body is not sent again`() async throws {
    let server = try ScriptedServer.http { request in
      request.target == "/old" ? Reply(307, headers: [("Location", "/new")]) : Reply(text: "ok")
    }
    let long = stream((0..<10).map { _ in Data(count: 65_536) })
    #expect(
      await errorCode { _ = try await session.upload(for: request(server, "/old"), from: long) }
        == .requestBodyStreamExhausted)
  }
}
#endif
