#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// A proxy that requires NTLM, with the implementation of PyPI's `pyspnego`: libcurl signs in over a connection.
@Suite(.timeLimit(.minutes(5))) struct ProxySignInTests {
  // Each request is printed: its method, target, and the kind of its authorization for the proxy and for the server.
  private static let program = #"""
    import base64, os, select, socket, tempfile
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    with tempfile.NamedTemporaryFile("w", delete=False) as users:
        users.write("DOGS:rex:biscuit\nDOGS:bella:bone\n")
    os.environ["NTLM_USER_FILE"] = users.name
    import spnego

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        user = context = None

        def log_message(self, *arguments):
            pass

        def refuse(self, offer):
            self.send_response(407)
            self.send_header("Proxy-Authenticate", offer)
            self.send_header("Set-Cookie", "proxy=yes; Path=/")
            self.send_header("Content-Length", "4")
            self.end_headers()
            self.wfile.write(b"gate")

        def is_signed_in(self):
            field = self.headers.get("Proxy-Authorization", "")
            other = self.headers.get("Authorization", "")
            print(self.command, self.path, field.split(" ")[0] or "-", other.split(" ")[0] or "-", flush=True)
            if field.startswith("NTLM "):
                try:
                    if self.context is None:
                        self.context = spnego.server(protocol="ntlm")
                    token = self.context.step(base64.b64decode(field[5:]))
                except Exception:
                    self.context = None
                    self.refuse("NTLM")
                    return False
                if not self.context.complete:
                    self.refuse("NTLM " + base64.b64encode(token).decode())
                    return False
                self.user = self.context.client_principal
                self.context = None
            if self.user is None:
                self.refuse("NTLM")
            return self.user is not None

        def do_CONNECT(self):
            if not self.is_signed_in():
                return
            server = socket.create_connection(("127.0.0.1", int(self.path.rsplit(":", 1)[1])))
            self.send_response(200)
            self.end_headers()
            self.close_connection = True
            pairs = {self.connection: server, server: self.connection}
            while True:
                for source in select.select(list(pairs), [], [])[0]:
                    data = source.recv(65536)
                    if not data:
                        return server.close()
                    pairs[source].sendall(data)

        def forward(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            if not self.is_signed_in():
                return
            text = self.user.encode() + b" sent " + body
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = forward

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()
    """#

  private final class Answering: NSObject, URLSessionTaskDelegate, Sendable {
    let credential: URLCredential
    let spaces = Log<URLProtectionSpace>()

    init(_ user: String, _ password: String, _ persistence: URLCredential.Persistence = .forSession) {
      credential = URLCredential(user: user, password: password, persistence: persistence)
    }

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard challenge.protectionSpace.isProxy() else {
        return completionHandler(.performDefaultHandling, nil)
      }
      spaces.add(challenge.protectionSpace)
      if challenge.previousFailureCount > 1 { return completionHandler(.performDefaultHandling, nil) }
      completionHandler(.useCredential, credential)
    }
  }

  private struct Peer {
    let proxy: ChildProcess
    let port: Int
    let session: URLSession
    let delegate: Answering

    init(_ delegate: Answering, settings: (user: String, password: String)? = nil) throws {
      let (proxy, port) = try PythonInterpreter.startServer(program)
      self.proxy = proxy
      self.port = port
      self.delegate = delegate
      let authority = try TestAuthority.shared().authorityFile
      session = URLSession.forTest(delegate: delegate) {
        $0.trustedCertificates = .file(authority)
        $0.asksDelegatesAboutServers = false
        var dictionary: [String: any Sendable] = [:]
        for name in ["HTTP", "HTTPS"] {
          dictionary[name + "Enable"] = 1
          dictionary[name + "Proxy"] = "127.0.0.1"
          dictionary[name + "Port"] = port
        }
        if let settings {
          dictionary["kCFProxyUsernameKey"] = settings.user
          dictionary["kCFProxyPasswordKey"] = settings.password
        }
        $0.connectionProxyDictionary = dictionary
      }
    }

    func text(
      _ address: String, _ method: String = "GET", body: Data? = nil, delegate: Answering? = nil
    ) async throws -> String {
      var request = URLRequest(url: try #require(URL(string: address)))
      request.httpMethod = method
      request.httpBody = body
      let (data, response) = try await session.data(for: request, delegate: delegate)
      return "\((response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: data, as: UTF8.self))"
    }

    func nextRequests(_ count: Int) -> [String] {
      (0..<count).map { _ in proxy.readLine(within: .seconds(60)) ?? "none" }
    }

    func stop() {
      session.invalidateAndCancel()
      proxy.stop()
    }
  }

  private static let address = "http://origin.test:8080/a"

  // MARK: Without a tunnel

  @Test(.enabled(if: NTLMPeer.isAvailable))
  func `a proxy's challenge is answered, and the connection stays signed in`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    let target = Self.address
    #expect(try await peer.text(target) == "200 DOGS\\rex sent ")
    #expect(peer.nextRequests(3) == ["GET \(target) - -", "GET \(target) NTLM -", "GET \(target) NTLM -"])
    #expect(try await peer.text("http://other.test/b") == "200 DOGS\\rex sent ")
    #expect(peer.nextRequests(1) == ["GET http://other.test/b - -"])
    let space = try #require(peer.delegate.spaces.all.first)
    #expect(peer.delegate.spaces.all.count == 1)
    #expect(space.authenticationMethod == NSURLAuthenticationMethodNTLM)
    #expect(space.proxyType == NSURLProtectionSpaceHTTPProxy)
    #expect(space.host == "127.0.0.1" && space.port == peer.port)
    #expect(peer.session.configuration.httpCookieStorage?.cookies == [])
  }

  @Test(.enabled(if: NTLMPeer.isAvailable), arguments: [4, 200_000])
  func `a body arrives once, after the sign-in`(count: Int) async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    let body = Data(repeating: UInt8(ascii: "w"), count: count)
    let text = try await peer.text(Self.address, "POST", body: body)
    #expect(text == "200 DOGS\\rex sent " + String(decoding: body, as: UTF8.self))
  }

  @Test(.enabled(if: NTLMPeer.isAvailable))
  func `without a right password, the proxy's 407 is the response`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "wrong"))
    defer { peer.stop() }
    #expect(try await peer.text(Self.address) == "407 gate")
    #expect(peer.delegate.spaces.all.count == 3)
    #expect(peer.session.configuration.httpCookieStorage?.cookies == [])
  }

  @Test(.enabled(if: NTLMPeer.isAvailable))
  func `the settings' name and password answer NTLM without a delegate's answer`() async throws {
    let peer = try Peer(Answering("", ""), settings: ("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    let handling = DefaultHandling()
    var request = URLRequest(url: try #require(URL(string: Self.address)))
    request.httpMethod = "GET"
    let session = URLSession(
      configuration: peer.session.configuration, delegate: handling, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let (data, _) = try await session.data(for: request)
    #expect(String(decoding: data, as: UTF8.self) == "DOGS\\rex sent ")
  }

  private final class DefaultHandling: NSObject, URLSessionDelegate {}

  @Test(.enabled(if: NTLMPeer.isAvailable))
  func `two users never share a connection to the proxy`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit", .none))
    defer { peer.stop() }
    let bella = Answering("DOGS\\bella", "bone", .none)
    for _ in 0..<2 {
      #expect(try await peer.text(Self.address) == "200 DOGS\\rex sent ")
      #expect(try await peer.text(Self.address, delegate: bella) == "200 DOGS\\bella sent ")
    }
  }

  // MARK: Tunnels

  @Test(.enabled(if: NTLMPeer.isAvailable), arguments: [TLSRelay.ApplicationProtocol.http1, .http2])
  func `a tunnel is opened after a sign-in, and the server learns nothing of it`(
    version: TLSRelay.ApplicationProtocol
  ) async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    let origin = try ScriptedServer.http { Reply(text: "\($0.method) \($0.body.count)") }
    var options = NginxServer.Options()
    options.serverDirectives = "location / { proxy_pass http://127.0.0.1:\(origin.port); }"
    let nginx = try NginxServer(options)
    let port = version == .http2 ? nginx.http2Port : try TLSRelay.shared().forward(to: origin.port)
    let address = "https://localhost:\(port)/x"
    #expect(try await peer.text(address, "POST", body: Data("woof".utf8)) == "200 POST 4")
    let target = "CONNECT localhost:\(port)"
    #expect(peer.nextRequests(3) == ["\(target) - -", "\(target) NTLM -", "\(target) NTLM -"])
    // The tunnel is used again.
    #expect(try await peer.text(address, "POST", body: Data("woof".utf8)) == "200 POST 4")
    #expect(peer.delegate.spaces.all.map(\.proxyType) == [NSURLProtectionSpaceHTTPSProxy])
    #expect(origin.requests.count == 2)
    #expect(origin.requests.allSatisfy { $0["Proxy-Authorization"] == nil && $0["Cookie"] == nil })
    // A connection to another server needs a tunnel of its own, and no further answer of the delegate.
    let otherPort = try TLSRelay.shared().forward(to: origin.port)
    #expect(try await peer.text("https://localhost:\(otherPort)/y") == "200 GET 0")
    let other = "CONNECT localhost:\(otherPort)"
    #expect(peer.nextRequests(2) == ["\(other) NTLM -", "\(other) NTLM -"])
    #expect(peer.delegate.spaces.all.count == 1)
  }

  @Test(.enabled(if: NTLMPeer.isAvailable))
  func `a wrong password refuses the tunnel, and no secret is in the error`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "wrong-secret"))
    defer { peer.stop() }
    do {
      _ = try await peer.text("https://localhost:9/")
      Issue.record("The load succeeded")
    } catch {
      #expect((error as? URLError)?.code == .cannotConnectToHost)
      #expect("\(error)".contains("407"))
      #expect(!"\(error)".contains("wrong-secret"))
    }
    #expect(peer.delegate.spaces.all.count == 3)
  }

  @Test(.enabled(if: NTLMPeer.isAvailable))
  func `a WebSocket connection goes through a tunnel with NTLM, to a server with NTLM`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    let server = try NTLMPeer(NTLMAnswering("DOGS\\bella", "bone"))
    defer { server.stop() }
    let both = Both(peer.delegate, server.delegate)
    let session = URLSession(configuration: peer.session.configuration, delegate: both, delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    let port = try #require(server.url.port)
    let task = session.webSocketTask(with: try #require(URL(string: "ws://origin.test:\(port)/talk")))
    task.resume()
    try await task.send(.string("woof"))
    guard case .string(let answer) = try await task.receive() else { throw URLError(.unknown) }
    #expect(answer == "DOGS\\bella sent woof")
    task.cancel(with: .normalClosure, reason: nil)
    #expect(peer.delegate.spaces.all.count == 1)
    #expect(server.delegate.challenges.all == ["0"])
  }

  private final class Both: NSObject, URLSessionDelegate {
    let proxy: Answering
    let server: NTLMAnswering

    init(_ proxy: Answering, _ server: NTLMAnswering) {
      self.proxy = proxy
      self.server = server
    }

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      if challenge.protectionSpace.isProxy() {
        proxy.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
      } else {
        server.urlSession(session, didReceive: challenge, completionHandler: completionHandler)
      }
    }
  }
}
#endif
