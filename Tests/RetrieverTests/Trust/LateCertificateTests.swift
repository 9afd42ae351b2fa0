#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// With TLS 1.3, a server may request a certificate after the handshake, for some of its paths only.
@Suite(.timeLimit(.minutes(5))) struct LateCertificateTests {
  // Each response contains the common name of the client, and the number of the connection.
  private static let program = #"""
    import select, socket, ssl, sys

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[1], sys.argv[2])
    context.load_verify_locations(sys.argv[3])
    context.verify_mode = ssl.CERT_OPTIONAL
    context.post_handshake_auth = True

    def ask(client):
        client.verify_client_post_handshake()
        client.do_handshake()
        select.select([client], [], [])
        client.setblocking(False)
        try:
            client.recv(1)
        except ssl.SSLWantReadError:
            pass
        client.setblocking(True)

    def serve(client, number):
        data = b""
        while True:
            while b"\r\n\r\n" not in data:
                part = client.recv(65536)
                if not part:
                    return
                data += part
            head, data = data.split(b"\r\n\r\n", 1)
            if head.startswith(b"GET /private "):
                ask(client)
            subject = (client.getpeercert() or {}).get("subject", ())
            names = [value for part in subject for key, value in part if key == "commonName"]
            body = f"{names[0] if names else 'nobody'} {number}".encode()
            client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    number = 0
    while True:
        raw, _ = listener.accept()
        try:
            with context.wrap_socket(raw, server_side=True) as client:
                number += 1
                serve(client, number)
        except OSError:
            pass
    """#

  private struct Server {
    let process: ChildProcess
    let port: String

    init() throws {
      let authority = try TestAuthority.shared()
      process = try ChildProcess(
        [
          try #require(PythonInterpreter.standard), "-c", program, authority.certificateFile(.valid).path,
          authority.keyFile(.valid).path, authority.authorityFile.path,
        ], isConversing: true)
      port = try #require(process.readLine(within: .seconds(60)))
    }

    func url(_ path: String) throws -> URL { try #require(URL(string: "https://localhost:\(port)\(path)")) }
  }

  @Test func `the configuration's certificate is presented on a connection that was used before`()
    async throws
  {
    let server = try Server()
    defer { server.process.stop() }
    let identity = try ClientIdentity(pem: TestAuthority.shared().identity(.ada))
    let session = try URLSession.trustingTestAuthority { $0.clientIdentities = ["localhost": identity] }
    defer { session.invalidateAndCancel() }
    #expect(try await session.text(from: server.url("/")) == "nobody 1")
    #expect(try await session.text(from: server.url("/private")) == "ada 1")
  }

  @Test func `without a certificate, the server decides about the later request`() async throws {
    let server = try Server()
    defer { server.process.stop() }
    let session = try URLSession.trustingTestAuthority()
    defer { session.invalidateAndCancel() }
    let delegate = TaskTrustDelegate(ChallengeLog.performsDefault)
    #expect(try await session.text(from: server.url("/"), delegate: delegate) == "nobody 1")
    #expect(try await session.text(from: server.url("/private"), delegate: delegate) == "nobody 1")
  }
}
#endif
