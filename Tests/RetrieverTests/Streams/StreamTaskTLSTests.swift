#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct StreamTaskTLSTests {
  private func session(delegate: (any URLSessionDelegate)? = nil) throws -> URLSession {
    let authority = try TestAuthority.shared().authorityFile
    return URLSession.forTest(delegate: delegate) { $0.trustedCertificates = .file(authority) }
  }

  private func secure(_ session: URLSession, _ port: UInt16) -> URLSessionStreamTask {
    let task = session.streamTask(withHostName: "localhost", port: Int(port))
    task.startSecureConnection()
    task.resume()
    return task
  }

  @Test func `a connection uses TLS from its beginning`() async throws {
    let server = try StreamServers.echo()
    let task = secure(try session(), try TLSRelay.shared().forward(to: server.port))
    try await task.write(Data("secret".utf8), timeout: 30)
    #expect(try await task.readData(ofMinLength: 6, maxLength: 6, timeout: 30).0 == Data("secret".utf8))
    task.closeWrite()
    #expect(try await task.readToEnd().isEmpty)
    #expect(await eventually { task.state == .completed })
    #expect(task.error == nil)
  }

  @Test func `a plain connection starts TLS after a greeting`() async throws {
    let server = try StreamServers.echo()
    let port = try TLSRelay.shared().forward(to: server.port)
    let front = try ScriptedServer { connection in
      try connection.send("220 ready\r\n")
      #expect(try connection.read(exactly: 10) == Array("STARTTLS\r\n".utf8))
      try connection.send("220 go\r\n")
      try connection.relay(to: port)
    }
    let task = try session().streamTask(withHostName: "localhost", port: Int(front.port))
    task.resume()
    #expect(
      try await task.readData(ofMinLength: 11, maxLength: 100, timeout: 30).0 == Data("220 ready\r\n".utf8))
    // The handshake waits for these, although nobody waits for them here.
    async let written: Void = task.write(Data("STARTTLS\r\n".utf8), timeout: 30)
    async let answer = task.readData(ofMinLength: 8, maxLength: 8, timeout: 30)
    try await written
    #expect(try await answer.0 == Data("220 go\r\n".utf8))
    task.startSecureConnection()
    try await task.write(Data("secret".utf8), timeout: 30)
    #expect(try await task.readData(ofMinLength: 6, maxLength: 6, timeout: 30).0 == Data("secret".utf8))
    task.cancel()
  }

  @Test func `bytes that arrive before the handshake are not taken for encrypted ones`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let front = try ScriptedServer { connection in
      try connection.send("220 go\r\nINJECTED\r\n")
      try connection.wait(for: gate)
    }
    let task = try session().streamTask(withHostName: "localhost", port: Int(front.port))
    task.resume()
    #expect(try await task.readData(ofMinLength: 8, maxLength: 8, timeout: 30).0 == Data("220 go\r\n".utf8))
    task.startSecureConnection()
    let code = await errorCode { _ = try await task.readData(ofMinLength: 1, maxLength: 100, timeout: 30) }
    #expect(code == .secureConnectionFailed)
  }

  @Test func `bytes of a read that timed out make the handshake fail`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let front = try ScriptedServer { connection in
      try connection.send("INJECTED")
      try connection.wait(for: gate)
    }
    let task = try session().streamTask(withHostName: "localhost", port: Int(front.port))
    task.resume()
    let late = await errorCode { _ = try await task.readData(ofMinLength: 99, maxLength: 99, timeout: 0.3) }
    #expect(late == .timedOut)
    task.startSecureConnection()
    let code = await errorCode { _ = try await task.readData(ofMinLength: 1, maxLength: 100, timeout: 30) }
    #expect(code == .secureConnectionFailed)
  }

  @Test(arguments: [
    (TestAuthority.Certificate.expired, URLError.Code.serverCertificateHasBadDate),
    (.notYetValid, .serverCertificateNotYetValid), (.wrongHost, .serverCertificateUntrusted),
    (.commonNameOnly, .serverCertificateUntrusted), (.selfSigned, .serverCertificateHasUnknownRoot),
    (.unknownAuthority, .serverCertificateHasUnknownRoot),
  ])
  func `an invalid certificate fails the task`(_ pair: (TestAuthority.Certificate, URLError.Code))
    async throws
  {
    let server = try StreamServers.echo()
    let delegate = StreamDelegateLog()
    let port = try TLSRelay.shared().forward(to: server.port, certificate: pair.0)
    let task = secure(try session(delegate: delegate), port)
    #expect(await errorCode { try await task.write(Data([1]), timeout: 30) } == pair.1)
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect((delegate.error.withLock { $0 } as? URLError)?.code == pair.1)
  }

  @Test func `the system's authorities do not accept a private one`() async throws {
    let server = try StreamServers.echo()
    let task = secure(URLSession.forTest(), try TLSRelay.shared().forward(to: server.port))
    #expect(
      await errorCode { try await task.write(Data([1]), timeout: 30) } == .serverCertificateHasUnknownRoot)
  }

  @Test func `a session without verification accepts any certificate`() async throws {
    let server = try StreamServers.echo()
    let port = try TLSRelay.shared().forward(to: server.port, certificate: .wrongHost)
    let task = secure(URLSession.forTest { $0.trustedCertificates = .unverified }, port)
    try await task.write(Data([1]), timeout: 30)
    #expect(try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 30).0 == Data([1]))
    task.cancel()
  }

  @Test func `the pins of a host apply`() async throws {
    let server = try StreamServers.echo()
    let port = try TLSRelay.shared().forward(to: server.port)
    let authority = try TestAuthority.shared().authorityFile
    let other = try #require(ServerPin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="))
    for trust in [TrustedCertificates.file(authority), .unverified] {
      let session = URLSession.forTest {
        $0.trustedCertificates = trust
        $0.pinnedHosts = [PinnedHost("localhost", pins: [other])]
      }
      let code = await errorCode { try await secure(session, port).write(Data([1]), timeout: 30) }
      #expect(code == .serverCertificateUntrusted)
    }
    let right = try ServerPin.publicKey(of: .ofTest(.valid))
    let session = URLSession.forTest {
      $0.trustedCertificates = .file(authority)
      $0.pinnedHosts = [PinnedHost("localhost", pins: [right])]
    }
    let task = secure(session, port)
    try await task.write(Data([1]), timeout: 30)
    #expect(try await task.readData(ofMinLength: 1, maxLength: 1, timeout: 30).0 == Data([1]))
    task.cancel()
  }

  @Test func `an end without close_notify is an error`() async throws {
    let server = try StreamServers.sending(Data("cut".utf8))
    let task = secure(try session(), try TLSRelay.shared().forward(to: server.port, ending: .abrupt))
    #expect(await errorCode { _ = try await task.readToEnd() } == .networkConnectionLost)
  }

  @Test func `a server that does not speak TLS fails the handshake`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.read()
      try connection.send("HTTP/1.1 400 Bad Request\r\n\r\n")
    }
    let task = secure(try session(), server.port)
    #expect(await errorCode { try await task.write(Data([1]), timeout: 30) } == .secureConnectionFailed)
  }

  @Test func `a handshake without an answer times out`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let server = try ScriptedServer { try $0.wait(for: gate) }
    let authority = try TestAuthority.shared().authorityFile
    let session = URLSession.forTest {
      $0.trustedCertificates = .file(authority)
      $0.timeoutIntervalForRequest = 0.5
    }
    let task = secure(session, server.port)
    #expect(await errorCode { try await task.write(Data([1]), timeout: 0) } == .timedOut)
  }

  @Test func `10 MB travel over TLS in both directions`() async throws {
    let server = try StreamServers.echo()
    let task = secure(try session(), try TLSRelay.shared().forward(to: server.port))
    let body = Data.pattern(count: 10_000_000)
    let writer = Task {
      try await task.write(body, timeout: 60)
      task.closeWrite()
    }
    #expect(try await task.readToEnd() == body)
    try await writer.value
  }

  @Test(.enabled(if: NginxServer.executable != nil))
  func `nginx answers a request over a plain and a secure stream`() async throws {
    let nginx = try NginxServer()
    let request = Data("GET /1k HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8)
    let session = try session()
    let plain = session.streamTask(withHostName: "localhost", port: Int(nginx.httpPort))
    plain.resume()
    for task in [plain, secure(session, nginx.httpsPort)] {
      try await task.write(request, timeout: 30)
      let answer = try await task.readToEnd()
      #expect(answer.starts(with: Data("HTTP/1.1 200 OK\r\n".utf8)))
      #expect(answer.suffix(1024) == Data((0..<1024).map { UInt8(truncatingIfNeeded: $0) }))
      task.closeWrite()
      #expect(await eventually { task.state == .completed })
    }
  }
}
#endif
