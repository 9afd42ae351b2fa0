#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct LimitsTests {
  private func session(_ limit: Int64?) -> URLSession {
    .forTest { $0.maximumBufferedBodySize = limit }
  }

  @Test func `a body of ten gibibytes is not buffered in memory`() async throws {
    await #expect(processExitsWith: .success) {
      var options = NginxServer.Options()
      options.bigFileSize = 10 << 30
      let nginx = try NginxServer(options)
      let session = URLSession.forTest { $0.maximumBufferedBodySize = 16 << 20 }
      _ = try await session.data(from: nginx.url("/1k"))
      let before = ResourceSnapshot.residentBytes()
      let code = await errorCode { _ = try await session.data(from: nginx.url("/big")) }
      #expect(code == .dataLengthExceedsMaximum)
      #expect(ResourceSnapshot.isSanitized || ResourceSnapshot.peakResidentBytes() - before < 64 << 20)
      #expect(try await session.data(from: nginx.url("/1k")).0.count == 1024)
    }
  }

  @Test func aBodyOfUnknownLengthIsCutOffAtTheLimit() async throws {
    let piece = "10000\r\n\(String(repeating: "x", count: 0x10000))\r\n"
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .sendForever(piece),
    ])
    let session = session(8 << 20)
    #expect(
      await errorCode { _ = try await session.data(from: server.url()) } == .dataLengthExceedsMaximum)
    try await session.expectUsable()
  }

  @Test func `the limit applies to the decoded body`() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(headers: [("Content-Encoding", "gzip")], body: CompressedFixture.gzipBomb(size: 100 << 20))
    }
    let session = session(1 << 20)
    #expect(
      await errorCode { _ = try await session.data(from: server.url()) } == .dataLengthExceedsMaximum)
    try await session.expectUsable()
  }

  @Test(arguments: [0, 99, 100, 101]) func theLimitItselfIsAllowed(length: Int) async throws {
    let server = try ScriptedServer.http { _ in Reply(body: Data(count: length)) }
    let session = session(100)
    if length <= 100 {
      #expect(try await session.data(from: server.url()).0.count == length)
    } else {
      #expect(
        await errorCode { _ = try await session.data(from: server.url()) } == .dataLengthExceedsMaximum)
    }
  }

  @Test func handlersAndUploadsAreLimitedToo() async throws {
    let server = try ScriptedServer.http { _ in Reply(body: Data(count: 1000)) }
    let session = session(100)
    let reported = Gate()
    session.dataTask(with: server.url()) { data, _, error in
      if data == nil, (error as? URLError)?.code == .dataLengthExceedsMaximum { reported.open() }
    }.resume()
    #expect(await reported.wait(within: .seconds(90)))
    #expect(
      await errorCode {
        _ = try await session.upload(for: URLRequest(url: server.url()), from: Data())
      } == .dataLengthExceedsMaximum)
  }

  @Test func streamsDownloadsAndDelegatesAreNotLimited() async throws {
    let server = try ScriptedServer.http { _ in Reply(body: Data(count: 1_000_000)) }
    let session = session(100)
    let (file, _) = try await session.download(from: server.url())
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try Data(contentsOf: file).count == 1_000_000)
    var count = 0
    for try await chunk in try await session.bytes(from: server.url()).0.chunks { count += chunk.count }
    #expect(count == 1_000_000)
    let delegate = HandlerDelegate()
    let delegated = URLSession.forTest(delegate: delegate) { $0.maximumBufferedBodySize = 100 }
    delegated.dataTask(with: server.url()).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.current.body.count == 1_000_000)
  }

  @Test func `the limit does not apply to the body of a redirect`() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/to"
        ? Reply(text: "short")
        : Reply(302, headers: [("Location", "/to")], body: Data(count: 10_000))
    }
    #expect(try await session(100).data(from: server.url()).0 == Data("short".utf8))
  }

  @Test func `an announced length is not trusted for allocation`() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 999999999999999999\r\n\r\nabc"),
    ])
    let session = session(nil)
    #expect(await errorCode { _ = try await session.data(from: server.url()) } == .networkConnectionLost)
    try await session.expectUsable()
  }
}
#endif
