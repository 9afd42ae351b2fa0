#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct StreamTaskProxyTests {
  private func session(
    _ kind: String, _ port: UInt16, delegate: (any URLSessionDelegate)? = nil
  ) -> URLSession {
    URLSession.forTest(delegate: delegate) { configuration in
      configuration.connectionProxyDictionary = [
        kind + "Enable": true, kind + "Proxy": "127.0.0.1", kind + "Port": Int(port),
      ]
    }
  }

  private func talk(_ session: URLSession, _ port: UInt16) async throws {
    // Only the proxy knows this name.
    let task = session.streamTask(withHostName: "server.example", port: Int(port))
    task.resume()
    try await task.write(Data("hello".utf8), timeout: 30)
    #expect(try await task.readData(ofMinLength: 5, maxLength: 5, timeout: 30).0 == Data("hello".utf8))
    task.closeWrite()
    #expect(try await task.readToEnd().isEmpty)
  }

  @Test func `an HTTP proxy opens a tunnel`() async throws {
    let server = try StreamServers.echo()
    let proxy = try ScriptedProxy()
    try await talk(session("HTTPS", proxy.server.port), server.port)
    #expect(proxy.server.requests.map(\.method) == ["CONNECT"])
    #expect(proxy.server.requests.map(\.target) == ["server.example:\(server.port)"])
  }

  @Test func `the first bytes of the server are not lost behind a tunnel`() async throws {
    let server = try StreamServers.sending(Data("220 ready\r\n".utf8))
    let proxy = try ScriptedProxy()
    let task = session("HTTPS", proxy.server.port).streamTask(
      withHostName: "server.example", port: Int(server.port))
    task.resume()
    #expect(try await task.readToEnd() == Data("220 ready\r\n".utf8))
    task.cancel()
  }

  @Test func `a SOCKS5 proxy looks up the name`() async throws {
    let server = try StreamServers.echo()
    let proxy = try SOCKSProxy()
    try await talk(session("SOCKS", proxy.server.port), server.port)
    let question = try #require(proxy.questions.first)
    #expect(question.host == "server.example" && question.isName && question.port == server.port)
  }

  @Test func `a proxy that refuses the tunnel fails the task`() async throws {
    let proxy = try ScriptedProxy(connect: { _ in .refuse("HTTP/1.1 403 Forbidden\r\n\r\n") })
    let task = session("HTTPS", proxy.server.port).streamTask(withHostName: "server.example", port: 7)
    task.resume()
    #expect(await errorCode { try await task.write(Data([1]), timeout: 30) } == .cannotConnectToHost)
  }

  @Test func `a proxy that wants a password gets it from the delegate`() async throws {
    let server = try StreamServers.echo()
    let proxy = try ScriptedProxy(connect: { request in
      request["Proxy-Authorization"] == "Basic YWRhOnNlY3JldA=="
        ? .accept
        : .refuse(
          "HTTP/1.1 407 Proxy Authentication Required\r\n"
            + "Proxy-Authenticate: Basic realm=\"gate\"\r\nContent-Length: 0\r\n\r\n")
    })
    let credential = URLCredential(user: "ada", password: "secret", persistence: .forSession)
    let delegate = HandlerDelegate(.init(challenge: { _ in (.useCredential, credential) }))
    try await talk(session("HTTPS", proxy.server.port, delegate: delegate), server.port)
    #expect(delegate.log.current.challenges.count == 1)
  }

  @Test func `a proxy that is reached with TLS is refused with a reason`() async throws {
    let session = URLSession.forTest { configuration in
      configuration.connectionProxyDictionary = [
        "HTTPSEnable": true, "HTTPSProxy": "https://127.0.0.1", "HTTPSPort": 1,
      ]
    }
    let task = session.streamTask(withHostName: "server.example", port: 7)
    task.resume()
    #expect(await errorCode { try await task.write(Data([1]), timeout: 30) } == .cannotConnectToHost)
  }

  @Test func `a Unix-domain socket is used instead of the host`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("socket")
    let server = try StreamServers.echo(on: .unixSocket(path))
    let task = URLSession.forTest { $0.unixSocketPath = path }
      .streamTask(withHostName: "server.example", port: 7)
    task.resume()
    try await task.write(Data("hello".utf8), timeout: 30)
    #expect(try await task.readData(ofMinLength: 5, maxLength: 5, timeout: 30).0 == Data("hello".utf8))
    task.cancel()
    _ = server
  }
}
#endif
