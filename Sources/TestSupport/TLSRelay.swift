import Foundation
import Synchronization

/// Adds TLS to scripted servers. Each byte of a script passes through the relay unchanged, so tests can send any
/// invalid response over TLS, and over HTTP/2 by ALPN.
public final class TLSRelay: Sendable {
  /// The protocol that ALPN selects.
  public enum ApplicationProtocol: String, Sendable {
    /// HTTP/1.1.
    case http1 = "http/1.1"
    /// HTTP/2.
    case http2 = "h2"
  }

  /// How the client's connection ends when the server closes its connection.
  public enum Ending: String, Sendable {
    /// close_notify, then the end of the connection.
    case clean
    /// The end of the connection without close_notify, as in a truncation attack.
    case abrupt
  }

  private static let started = Result { try TLSRelay() }

  private let process: ChildProcess
  private let conversation = Mutex(())

  /// Returns the relay of this process, which is started on first use.
  public static func shared() throws -> TLSRelay { try started.get() }

  private init() throws {
    guard let python = PythonInterpreter.standard else { throw TestSupportError("Python 3 is not installed") }
    process = try ChildProcess([python, "-c", Self.program], isConversing: true)
  }

  /// Opens a TLS port that forwards to `port` of 127.0.0.1.
  ///
  /// - Returns: The new port, which stays open as long as this process runs.
  public func forward(
    to port: UInt16, as protocol: ApplicationProtocol = .http1, ending: Ending = .clean,
    certificate: TestAuthority.Certificate = .valid
  ) throws -> UInt16 {
    let authority = try TestAuthority.shared()
    let words = [
      "\(port)", `protocol`.rawValue, ending.rawValue, authority.certificateFile(certificate).path,
      authority.keyFile(certificate).path,
    ]
    let answer = try conversation.withLock { _ in
      try process.send(line: words.joined(separator: "\t"))
      return process.readLine()
    }
    guard let answer, let port = UInt16(answer) else {
      throw TestSupportError("The TLS relay does not respond: \(answer ?? "it has ended")")
    }
    return port
  }

  private static let program = #"""
    import select, socket, ssl, struct, sys, threading

    def ready(*interests):
        poll = select.poll()
        for sock, events in interests:
            poll.register(sock, events)
        poll.poll()

    def send(sock, data):
        data = memoryview(data)
        while data:
            try:
                data = data[sock.send(data):]
            except ssl.SSLWantReadError:
                ready((sock, select.POLLIN))
            except (ssl.SSLWantWriteError, BlockingIOError):
                ready((sock, select.POLLOUT))

    def receive(sock):
        try:
            return sock.recv(65536)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError, BlockingIOError):
            return None

    def reset(sock):
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def serve(raw, context, backend, ending):
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            client = context.wrap_socket(raw, server_side=True)
        except OSError:
            raw.close()
            return
        server = socket.create_connection(("127.0.0.1", backend))
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client.setblocking(False)
        server.setblocking(False)
        client_ended = False
        try:
            while True:
                if client_ended:
                    ready((server, select.POLLIN))
                elif not client.pending():
                    ready((client, select.POLLIN), (server, select.POLLIN))
                if not client_ended:
                    try:
                        data = receive(client)
                        if data == b"":
                            client_ended = True
                            server.shutdown(socket.SHUT_WR)
                        elif data:
                            send(server, data)
                    except OSError:
                        reset(server)
                        return
                try:
                    data = receive(server)
                except OSError:
                    reset(client)
                    return
                if data == b"":
                    if ending == "clean":
                        try:
                            client.unwrap()
                        except (OSError, ValueError):
                            pass
                    return
                if data:
                    try:
                        send(client, data)
                    except OSError:
                        reset(server)
                        return
        except OSError:
            pass
        finally:
            client.close()
            server.close()

    def listen(listener, context, backend, ending):
        while True:
            raw, _ = listener.accept()
            threading.Thread(target=serve, args=(raw, context, backend, ending), daemon=True).start()

    for line in sys.stdin:
        backend, protocol, ending, certificate, key = line.rstrip("\n").split("\t")
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols([protocol])
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        arguments = (listener, context, int(backend), ending)
        threading.Thread(target=listen, args=arguments, daemon=True).start()
        print(listener.getsockname()[1], flush=True)
    """#
}
