#if !canImport(Darwin)
import Foundation
import Testing

@testable import Retriever
@testable import TestSupport

/// The same decisions for each kind of task, over HTTP/1.1 and HTTP/2, with and without a tunnel.
@Suite(.timeLimit(.minutes(5))) struct TrustMatrixTests {
  private static let otherPin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

  enum Work: CaseIterable, Sendable { case data, download, upload, webSocket }

  /// A way to load from a server.
  struct Way: Sendable, CustomTestStringConvertible {
    let work: Work
    let wire: TLSRelay.ApplicationProtocol
    let isTunnelled: Bool

    var testDescription: String { "\(work), \(wire.rawValue)\(isTunnelled ? ", tunnel" : "")" }

    static let all = Work.allCases.flatMap { work in
      [TLSRelay.ApplicationProtocol.http1, .http2].flatMap { wire in
        // WebSocket connections use HTTP/1.1.
        work == .webSocket && wire == .http2
          ? [] : [false, true].map { Way(work: work, wire: wire, isTunnelled: $0) }
      }
    }
  }

  /// A server that is reached in one way, and counts the requests.
  private struct Target {
    let way: Way
    let port: UInt16
    let requests = Log<Void>()
    private let server: ScriptedServer
    private let proxy: ScriptedProxy?

    init(_ way: Way, _ certificate: TestAuthority.Certificate = .valid) throws {
      self.way = way
      let requests = requests
      server = try ScriptedServer { connection in
        switch (way.work, way.wire) {
        case (.webSocket, _):
          try connection.acceptWebSocket()
          requests.add(())
          try connection.echoFrames()
        case (_, .http1):
          while let request = try connection.nextRequest() {
            requests.add(())
            try connection.send(Reply(text: request.method == "POST" ? request.text : "hello"))
          }
        case (_, .http2):
          let connection = HTTP2Connection(raw: connection)
          try connection.handshake()
          while true {
            let stream = try connection.nextRequest()
            requests.add(())
            try connection.respond(stream: stream, text: "hello")
          }
        }
      }
      proxy = way.isTunnelled ? try ScriptedProxy() : nil
      port = try TLSRelay.shared().forward(to: server.port, as: way.wire, certificate: certificate)
    }

    var host: String { way.isTunnelled ? "origin.test" : "localhost" }

    func session(_ pins: [ServerPin]? = nil) throws -> URLSession {
      try .trustingTestAuthority { configuration in
        if let pins { configuration.pinnedHosts = [PinnedHost(host, pins: pins)] }
        guard let proxy else { return }
        configuration.connectionProxyDictionary = [
          "HTTPSEnable": true, "HTTPSProxy": "127.0.0.1", "HTTPSPort": Int(proxy.port),
        ]
      }
    }

    /// Loads with a task of the way's kind.
    func load(_ session: URLSession, _ delegate: (any URLSessionTaskDelegate)? = nil) async throws -> String {
      let scheme = way.work == .webSocket ? "wss" : "https"
      let url = try #require(URL(string: "\(scheme)://\(host):\(port)/"))
      switch way.work {
      case .data: return try await session.text(from: url, delegate: delegate)
      case .download:
        let (file, _) = try await session.download(from: url, delegate: delegate)
        defer { try? FileManager.default.removeItem(at: file) }
        return try String(contentsOf: file, encoding: .utf8)
      case .upload:
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        let body = Data("hello".utf8)
        let (data, _) = try await session.upload(for: request, from: body, delegate: delegate)
        return String(decoding: data, as: UTF8.self)
      case .webSocket:
        let task = session.webSocketTask(with: url)
        task.delegate = delegate
        task.resume()
        try await task.send(.string("hello"))
        let text = try await task.receive().text
        task.cancel(with: .normalClosure, reason: nil)
        #expect(await eventually { task.state == .completed })
        return text ?? ""
      }
    }

    func failure(
      _ session: URLSession, _ delegate: (any URLSessionTaskDelegate)? = nil,
      _ sourceLocation: SourceLocation = #_sourceLocation
    ) async -> URLError.Code? {
      await errorCode(sourceLocation) { _ = try await load(session, delegate) }
    }
  }

  @Test(arguments: Way.all) func `a right pin is accepted, and a wrong one refused`(way: Way) async throws {
    let target = try Target(way)
    let wrong = try #require(ServerPin(Self.otherPin))
    let right = try target.session([wrong, .publicKey(of: .ofTest(.valid))])
    #expect(try await target.load(right) == "hello")
    let strict = try target.session([wrong])
    for _ in 0..<2 { #expect(await target.failure(strict) == .serverCertificateUntrusted) }
    let lenient = TaskTrustDelegate(ChallengeLog.accepts)
    #expect(await target.failure(strict, lenient) == .serverCertificateUntrusted)
    #expect(target.requests.all.count == 1)
  }

  @Test(arguments: Way.all) func `an expired certificate needs a delegate`(way: Way) async throws {
    let target = try Target(way, .expired)
    let session = try target.session()
    #expect(await target.failure(session) == .serverCertificateHasBadDate)
    let standard = TaskTrustDelegate(ChallengeLog.performsDefault)
    #expect(await target.failure(session, standard) == .serverCertificateHasBadDate)
    #expect(target.requests.all.isEmpty)
    let lenient = TaskTrustDelegate(ChallengeLog.accepts)
    #expect(try await target.load(session, lenient) == "hello")
    #expect(lenient.log.trusts.map(\.error?.code) == [.serverCertificateHasBadDate])
    #expect(await target.failure(session) == .serverCertificateHasBadDate)
    #expect(target.requests.all.count == 1)
  }

  @Test(arguments: Way.all) func `a lenient delegate helps no strict one`(way: Way) async throws {
    let target = try Target(way, .selfSigned)
    let session = try target.session()
    let (lenient, strict) = (TaskTrustDelegate(ChallengeLog.accepts), TaskTrustDelegate(ChallengeLog.cancels))
    for _ in 0..<2 {
      #expect(try await target.load(session, lenient) == "hello")
      #expect(await target.failure(session, strict) == .cancelled)
      #expect(await target.failure(session) == .serverCertificateHasUnknownRoot)
    }
    #expect(lenient.log.trusts.map(\.host) == [target.host])
    #expect(target.requests.all.count == 2)
  }

  @Test(arguments: Way.all)
  func `certificates that change after the question are a new question`(way: Way) async throws {
    let target = try Target(way, .selfSigned)
    let port = target.port
    let delegate = TaskTrustDelegate { challenge in
      guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
      guard trust.certificates.first?.issuer == trust.certificates.first?.subject else {
        return (.cancelAuthenticationChallenge, nil)
      }
      try? TLSRelay.shared().present(.unknownAuthority, on: port)
      return (.useCredential, URLCredential(trust: trust))
    }
    #expect(await target.failure(try target.session(), delegate) == .cancelled)
    #expect(delegate.log.all.count == 2)
    #expect(target.requests.all.isEmpty)
  }

  @Test(arguments: Way.all) func `an accepted certificate still needs its pin`(way: Way) async throws {
    let target = try Target(way, .selfSigned)
    let lenient = TaskTrustDelegate(ChallengeLog.accepts)
    let wrong = try target.session([try #require(ServerPin(Self.otherPin))])
    #expect(await target.failure(wrong, lenient) == .serverCertificateUntrusted)
    #expect(target.requests.all.isEmpty)
    let right = try target.session([.publicKey(of: .ofTest(.selfSigned))])
    #expect(try await target.load(right, lenient) == "hello")
    #expect(await target.failure(right) == .serverCertificateHasUnknownRoot)
    #expect(target.requests.all.count == 1)
  }
}
#endif
