#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

/// What happens when HTTP/3 does not work, or no longer works.
@Suite(.enabled(if: HTTP3Fixture.isAvailable), .serialized, .timeLimit(.minutes(5)))
struct HTTP3FallbackTests {
  /// A UDP port that receives packets and answers none.
  private final class SilentPort: Sendable {
    private let descriptor: Int32

    init(_ port: UInt16) throws {
      descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
      let code = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      try #require(code == 0)
    }

    deinit { close(descriptor) }
  }

  private func backend() throws -> ScriptedServer { try ScriptedServer.http { Reply(body: $0.body) } }

  @Test(arguments: [false, true])
  func `a server without HTTP/3 is reached over HTTP/2, and HTTP/3 is not tried again soon`(
    isSilent: Bool
  ) async throws {
    let backend = try backend()
    let server = try CaddyServer(backend: backend.port, usesHTTP3: false)
    let silent = isSilent ? try SilentPort(server.port) : nil
    let session = try HTTP3Fixture.session()
    let body = Data("paid once".utf8)
    for _ in 0..<3 {
      let answer = try await session.load(
        HTTP3Fixture.request(server.url("/app/pay"), method: "POST", body: body))
      #expect(answer.body == body)
      #expect(answer.protocolName == "h2")
    }
    #expect(backend.requests.count == 3)
    withExtendedLifetime(silent) {}
  }

  @Test(arguments: [false, true])
  func `a server that no longer has HTTP/3 is reached over HTTP/2, and receives each request once`(
    isSilent: Bool
  ) async throws {
    let backend = try backend()
    let server = try CaddyServer(backend: backend.port)
    let session = try HTTP3Fixture.session { $0.reusesHTTP3Connections = false }
    let url = server.url("/app/pay")
    #expect(try await session.load(HTTP3Fixture.request(url, method: "POST")).protocolName == "h3")
    server.stop()
    try server.start(usesHTTP3: false)
    let silent = isSilent ? try SilentPort(server.port) : nil
    let body = Data("paid once".utf8)
    for _ in 0..<2 {
      let answer = try await session.load(HTTP3Fixture.request(url, method: "POST", body: body))
      #expect(answer.body == body)
      #expect(answer.protocolName == "h2")
    }
    #expect(backend.requests.count == 3)
    withExtendedLifetime(silent) {}
  }

  @Test func `loads that wait for a connection when HTTP/3 stops working all fall back`() async throws {
    let server = try CaddyServer()
    let session = try HTTP3Fixture.session { $0.reusesHTTP3Connections = false }
    #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
    server.stop()
    try server.start(usesHTTP3: false)
    let silent = try SilentPort(server.port)
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<16 {
        group.addTask { try await session.load(HTTP3Fixture.request(server.url())).protocolName }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(names == Array(repeating: "h2", count: 16))
    withExtendedLifetime(silent) {}
  }

  @Test func `a restarted server is reached over HTTP/3 again`() async throws {
    let server = try CaddyServer()
    let session = try HTTP3Fixture.session { $0.reusesHTTP3Connections = false }
    for _ in 0..<3 {
      #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
      server.stop()
      try server.start()
    }
  }

  @Test func `an idempotent request on a connection whose server is gone is repeated over TCP`() async throws
  {
    let server = try CaddyServer()
    let session = try HTTP3Fixture.session()
    #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
    server.crash()
    try server.start(usesHTTP3: false)
    let answer = try await session.load(HTTP3Fixture.request(server.url()))
    #expect(String(decoding: answer.body, as: UTF8.self) == "hello")
    #expect(answer.protocolName == "h2")
  }

  @Test func `a server that is not running at all fails the load`() async throws {
    let server = try CaddyServer()
    let session = try HTTP3Fixture.session()
    #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
    server.stop()
    let code = await errorCode { _ = try await session.data(for: HTTP3Fixture.request(server.url())) }
    #expect(code == .cannotConnectToHost)
    try server.start()
    _ = try await session.load(HTTP3Fixture.request(server.url()))
  }

  @Test func `a request on a lost connection is not repeated if it may have been processed`() async throws {
    let asked = Gate()
    let backend = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        if request.path.hasSuffix("hold") {
          asked.open()
          try connection.hold()
        }
        try connection.send(Reply(text: "done"))
      }
    }
    let server = try CaddyServer(backend: backend.port)
    let session = try HTTP3Fixture.session()
    #expect(try await session.load(HTTP3Fixture.request(server.url())).protocolName == "h3")
    let payment = Task {
      try await session.data(
        for: HTTP3Fixture.request(
          server.url("/app/hold"), method: "POST", body: Data("paid once".utf8)))
    }
    #expect(await asked.wait(within: .seconds(90)))
    server.crash()
    let code = await errorCode { _ = try await payment.value }
    #expect(code == .networkConnectionLost)
    try server.start()
    #expect(backend.requests.count { $0.path.hasSuffix("hold") } == 1)
    _ = try await session.load(HTTP3Fixture.request(server.url()))
  }
}
#endif
