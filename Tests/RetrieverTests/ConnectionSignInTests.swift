#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// NTLM against the implementation of PyPI's `pyspnego`: libcurl signs in over a connection.
@Suite(.timeLimit(.minutes(5))) struct ConnectionSignInTests {
  private static let isAvailable: Bool = {
    guard let python = PythonInterpreter.prepared else { return false }
    return (try? ChildProcess.run([python, "-c", "import spnego"])) != nil
  }()

  // Each request is printed: its method, path, the kind of its authorization, and the length of its body.
  private static let program = #"""
    import base64, os, ssl, sys, tempfile
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    with tempfile.NamedTemporaryFile("w", delete=False) as users:
        users.write("DOGS:rex:biscuit\nDOGS:bella:bone\n:momo:wöf\n")
    os.environ["NTLM_USER_FILE"] = users.name
    import spnego

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        user = context = None

        def log_message(self, *arguments):
            pass

        def reply(self, status, body, *offers):
            self.send_response(status)
            for offer in offers:
                self.send_header("WWW-Authenticate", offer)
            if self.path == "/fresh":
                self.send_header("Cache-Control", "max-age=1000")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def body(self):
            if self.headers.get("Transfer-Encoding") == "chunked":
                data = b""
                while size := int(self.rfile.readline(), 16):
                    data += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return data
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))

        def answer(self):
            body = self.body()
            field = self.headers.get("Authorization", "")
            print(self.command, self.path, field.split(" ")[0] or "-", len(body), flush=True)
            offers = ["NTLM"] + (['Basic realm="dogs"'] if self.path == "/both" else [])
            if self.path == "/basic-first":
                offers = ['Basic realm="dogs"', "NTLM"]
            if field.startswith("NTLM "):
                try:
                    if self.context is None:
                        self.context = spnego.server(protocol="ntlm")
                    token = self.context.step(base64.b64decode(field[5:]))
                except Exception:
                    self.context = None
                    return self.reply(401, b"refused", *offers)
                if not self.context.complete:
                    return self.reply(401, b"go on", "NTLM " + base64.b64encode(token).decode())
                self.user = self.context.client_principal
                self.context = None
            if self.user is None:
                return self.reply(401, b"who are you?", *offers)
            self.reply(200, self.user.encode() + b" sent " + body)

        do_GET = do_POST = do_PUT = answer

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    server.serve_forever()
    """#

  private final class Answering: NSObject, URLSessionTaskDelegate, Sendable {
    let credential: URLCredential?
    let challenges = Log<String>()

    init(_ user: String?, _ password: String = "", _ persistence: URLCredential.Persistence = .forSession) {
      credential = user.map { URLCredential(user: $0, password: password, persistence: persistence) }
    }

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodNTLM else {
        return completionHandler(.performDefaultHandling, nil)
      }
      challenges.add("\(challenge.previousFailureCount)")
      if challenge.previousFailureCount > 1 { return completionHandler(.performDefaultHandling, nil) }
      completionHandler(credential == nil ? .rejectProtectionSpace : .useCredential, credential)
    }
  }

  private struct Peer {
    let server: ChildProcess
    let url: URL
    let session: URLSession
    let delegate: Answering

    init(_ delegate: Answering, isSecure: Bool = false) throws {
      let authority = try TestAuthority.shared()
      let files = [authority.certificateFile(.valid).path, authority.keyFile(.valid).path]
      server = try ChildProcess(
        [try #require(PythonInterpreter.prepared), "-c", program] + (isSecure ? files : []),
        isConversing: true)
      let port = try #require(server.readLine(within: .seconds(60)))
      url = try #require(URL(string: isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"))
      self.delegate = delegate
      session = URLSession.forTest(delegate: delegate) {
        $0.trustedCertificates = .file(authority.authorityFile)
      }
    }

    func text(_ request: URLRequest, _ delegate: Answering? = nil) async throws -> String {
      let (data, response) = try await session.data(for: request, delegate: delegate)
      return "\((response as? HTTPURLResponse)?.statusCode ?? 0) \(String(decoding: data, as: UTF8.self))"
    }

    func request(_ path: String, _ method: String = "GET", body: Data? = nil) -> URLRequest {
      var request = URLRequest(url: url.appendingPathComponent(path))
      request.httpMethod = method
      request.httpBody = body
      return request
    }

    func nextRequests(_ count: Int) -> [String] {
      (0..<count).map { _ in server.readLine(within: .seconds(60)) ?? "none" }
    }

    func stop() {
      session.invalidateAndCancel()
      server.stop()
    }
  }

  @Test(.enabled(if: isAvailable), arguments: [false, true])
  func `a challenge is answered, and the connection stays signed in`(isSecure: Bool) async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"), isSecure: isSecure)
    defer { peer.stop() }
    #expect(try await peer.text(peer.request("a")) == "200 DOGS\\rex sent ")
    #expect(peer.nextRequests(3) == ["GET /a - 0", "GET /a NTLM 0", "GET /a NTLM 0"])
    #expect(try await peer.text(peer.request("b")) == "200 DOGS\\rex sent ")
    #expect(peer.nextRequests(1) == ["GET /b - 0"])
    #expect(peer.delegate.challenges.all == ["0"])
  }

  @Test(.enabled(if: isAvailable), arguments: ["POST", "PUT"])
  func `a body is sent once, after the sign-in`(method: String) async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    let body = Data(String(repeating: "w", count: 200_000).utf8)
    _ = try await peer.text(peer.request("sign-in"))
    _ = peer.nextRequests(3)
    let text = try await peer.text(peer.request("x", method, body: body))
    #expect(text == "200 DOGS\\rex sent " + String(decoding: body, as: UTF8.self))
    #expect(peer.nextRequests(1) == ["\(method) /x - 200000"])
  }

  @Test(.enabled(if: isAvailable)) func `a body is sent again after the challenge`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    #expect(
      try await peer.text(peer.request("x", "POST", body: Data("woof".utf8))) == "200 DOGS\\rex sent woof")
    #expect(peer.nextRequests(3) == ["POST /x - 4", "POST /x NTLM 0", "POST /x NTLM 4"])
  }

  @Test(.enabled(if: isAvailable))
  func `a wrong password is asked for again, and then the refusal is delivered`()
    async throws
  {
    let peer = try Peer(Answering("DOGS\\rex", "wrong"))
    defer { peer.stop() }
    #expect(try await peer.text(peer.request("a")) == "401 refused")
    #expect(peer.delegate.challenges.all == ["0", "1", "2"])
  }

  @Test(.enabled(if: isAvailable)) func `a rejected space leads to the next scheme`() async throws {
    let peer = try Peer(Answering(nil))
    defer { peer.stop() }
    #expect(try await peer.text(peer.request("both")) == "401 who are you?")
    #expect(peer.delegate.challenges.all == ["0"])
  }

  @Test(.enabled(if: isAvailable)) func `NTLM is asked about before Basic`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    #expect(try await peer.text(peer.request("basic-first")) == "200 DOGS\\rex sent ")
  }

  @Test(.enabled(if: isAvailable))
  func `a connection that is signed in serves no request without the credential`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit", .none))
    defer { peer.stop() }
    #expect(try await peer.text(peer.request("a")) == "200 DOGS\\rex sent ")
    #expect(peer.nextRequests(3) == ["GET /a - 0", "GET /a NTLM 0", "GET /a NTLM 0"])
    // The first request is refused over another connection. With the credential, the connection is used again.
    #expect(try await peer.text(peer.request("b")) == "200 DOGS\\rex sent ")
    #expect(peer.nextRequests(2) == ["GET /b - 0", "GET /b - 0"])
    #expect(peer.delegate.challenges.all == ["0", "0"])
  }

  @Test(.enabled(if: isAvailable))
  func `two users never share a connection`() async throws {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit", .none))
    defer { peer.stop() }
    let bella = Answering("DOGS\\bella", "bone", .none)
    for _ in 0..<2 {
      #expect(try await peer.text(peer.request("a")) == "200 DOGS\\rex sent ")
      #expect(try await peer.text(peer.request("b"), bella) == "200 DOGS\\bella sent ")
    }
  }

  @Test(.enabled(if: isAvailable)) func `a response to a signed-in user is not written to disk`() async throws
  {
    let peer = try Peer(Answering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    let folder = try TemporaryDirectory()
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 1 << 20, directory: folder.file("cache"))
    let session = URLSession.forTest(delegate: peer.delegate) { $0.urlCache = cache }
    defer { session.invalidateAndCancel() }
    for _ in 0..<2 { _ = try await session.data(for: peer.request("fresh")) }
    #expect(peer.nextRequests(3) == ["GET /fresh - 0", "GET /fresh NTLM 0", "GET /fresh NTLM 0"])
    _ = try await session.data(for: peer.request("other"))
    #expect(peer.nextRequests(1) == ["GET /other - 0"])
    await withCheckedContinuation { continuation in cache.store.disk?.flush { continuation.resume() } }
    #expect(cache.currentDiskUsage == 0)
  }

  @Test func `Negotiate is not asked about without a Kerberos ticket`() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(401, headers: [("WWW-Authenticate", "Negotiate, Basic realm=\"dogs\"")], text: "no")
    }
    let delegate = Recording()
    let session = URLSession.forTest(delegate: delegate)
    _ = try await session.data(from: server.url())
    #expect(delegate.methods.all == [NSURLAuthenticationMethodHTTPBasic])
  }

  private final class Recording: NSObject, URLSessionTaskDelegate, Sendable {
    let methods = Log<String>()

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      methods.add(challenge.protectionSpace.authenticationMethod)
      completionHandler(.performDefaultHandling, nil)
    }
  }
}
#endif
