#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// A delegate that answers challenges of NTLM with one credential, twice at most.
final class NTLMAnswering: NSObject, URLSessionTaskDelegate, Sendable {
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

/// A server with NTLM, and a session for it.
struct NTLMPeer {
  static let isAvailable = PythonInterpreter.has("spnego")

  // Each request is printed: its method, path, the kind of its authorization, and the length of its body.
  private static let program = #"""
    import base64, hashlib, os, ssl, sys, tempfile
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
            if self.path == "/last" and status == 200:
                self.send_header("Connection", "close")
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
            if self.headers.get("Upgrade") == "websocket":
                return self.talk()
            self.reply(200, self.user.encode() + b" sent " + body)

        # Answers each message of a WebSocket connection with the user and the message.
        def talk(self):
            key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
            self.send_response(101)
            self.send_header("Upgrade", "websocket")
            self.send_header("Connection", "Upgrade")
            proof = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
            self.send_header("Sec-WebSocket-Accept", proof)
            self.end_headers()
            self.close_connection = True
            while len(start := self.rfile.read(2)) == 2:
                mask = self.rfile.read(4)
                data = self.rfile.read(start[1] & 0x7F)
                data = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
                isClose = start[0] & 15 == 8
                reply = data if isClose else self.user.encode() + b" sent " + data
                self.wfile.write(bytes([start[0], len(reply)]) + reply)
                if isClose:
                    break

        do_GET = do_POST = do_PUT = answer

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    print(server.server_port, flush=True)
    server.serve_forever()
    """#

  let server: ChildProcess
  let url: URL
  let session: URLSession
  let delegate: NTLMAnswering

  init(_ delegate: NTLMAnswering, isSecure: Bool = false) throws {
    let authority = try TestAuthority.shared()
    let files = [authority.certificateFile(.valid).path, authority.keyFile(.valid).path]
    let (server, port) = try PythonInterpreter.startServer(Self.program, isSecure ? files : [])
    self.server = server
    url = try #require(URL(string: isSecure ? "https://localhost:\(port)" : "http://127.0.0.1:\(port)"))
    self.delegate = delegate
    session = URLSession.forTest(delegate: delegate) {
      $0.trustedCertificates = .file(authority.authorityFile)
    }
  }

  func text(_ request: URLRequest, _ delegate: NTLMAnswering? = nil) async throws -> String {
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
#endif
