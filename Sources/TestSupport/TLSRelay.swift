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
    certificate: TestAuthority.Certificate = .valid, clients: ClientCertificates = .ignored,
    versions: Versions = .all
  ) throws -> UInt16 {
    let authority = try TestAuthority.shared()
    let answer = try ask([
      "open", "\(port)", `protocol`.rawValue, ending.rawValue, authority.certificateFile(certificate).path,
      authority.keyFile(certificate).path, clients.rawValue, authority.authorityFile.path, versions.rawValue,
    ])
    guard let port = UInt16(answer) else { throw TestSupportError("Not a port: \(answer)") }
    return port
  }

  /// Whether the server requests a client certificate of the test authority.
  public enum ClientCertificates: String, Sendable {
    /// It requests none.
    case ignored
    /// It accepts connections without one.
    case optional
    /// It refuses connections without one.
    case required
  }

  /// The versions of TLS that the server accepts.
  public enum Versions: String, Sendable {
    /// TLS 1.2 and 1.3.
    case all
    /// TLS 1.2 only.
    case tls12 = "1.2"
  }

  /// Makes a port present another certificate in its next handshakes.
  public func present(_ certificate: TestAuthority.Certificate, on port: UInt16) throws {
    let authority = try TestAuthority.shared()
    _ = try ask([
      "present", "\(port)", authority.certificateFile(certificate).path, authority.keyFile(certificate).path,
    ])
  }

  /// Makes a port present two certificates in turns.
  public func alternate(
    _ first: TestAuthority.Certificate, _ second: TestAuthority.Certificate, on port: UInt16
  ) throws {
    let authority = try TestAuthority.shared()
    let files = [first, second].flatMap { [authority.certificateFile($0).path, authority.keyFile($0).path] }
    _ = try ask(["present", "\(port)"] + files)
  }

  /// What happened on a port.
  public struct Report: Sendable, Decodable, Equatable {
    /// The number of TCP connections.
    public var accepted: Int
    /// The number of handshakes that clients completed.
    public var completed: Int
    /// How many of these resumed a TLS session.
    public var resumed: Int
    /// The common names of the clients' certificates, in the order of the connections; empty without one.
    public var clients: [String]
  }

  /// Returns what happened on a port so far.
  public func report(on port: UInt16) throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(ask(["report", "\(port)"]).utf8))
  }

  private func ask(_ words: [String]) throws -> String {
    let answer = try conversation.withLock { _ in
      try process.send(line: words.joined(separator: "\t"))
      return process.readLine()
    }
    guard let answer else { throw TestSupportError("The TLS relay has ended") }
    return answer
  }

  private static let program = #"""
    import json, select, socket, ssl, struct, sys, threading

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

    class Port:
        def __init__(self):
            self.lock = threading.Lock()
            self.contexts = []
            self.accepted = self.completed = self.resumed = 0
            self.clients = []

        def next_context(self):
            with self.lock:
                self.accepted += 1
                return self.contexts[(self.accepted - 1) % len(self.contexts)]

        def complete(self, client):
            subject = (client.getpeercert() or {}).get("subject", ())
            names = [value for part in subject for key, value in part if key == "commonName"]
            with self.lock:
                self.completed += 1
                self.resumed += 1 if client.session_reused else 0
                self.clients.append(names[0] if names else "")

        def report(self):
            with self.lock:
                return json.dumps({"accepted": self.accepted, "completed": self.completed,
                                   "resumed": self.resumed, "clients": self.clients})

    def serve(raw, port, context, backend, ending):
        raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        client = context.wrap_socket(raw, server_side=True, do_handshake_on_connect=False)
        try:
            client.do_handshake()
        except OSError:
            # Unread data would reset the connection, and the client would lose the alert.
            try:
                client.shutdown(socket.SHUT_WR)
                while client.recv(65536):
                    pass
            except (OSError, ValueError):
                pass
            client.close()
            return
        port.complete(client)
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

    def listen(listener, port, backend, ending):
        while True:
            raw, _ = listener.accept()
            arguments = (raw, port, port.next_context(), backend, ending)
            threading.Thread(target=serve, args=arguments, daemon=True).start()

    def make_context(certificate, key, protocol, clients, authority, versions):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        context.set_alpn_protocols([protocol])
        if clients != "ignored":
            context.load_verify_locations(authority)
            context.verify_mode = ssl.CERT_REQUIRED if clients == "required" else ssl.CERT_OPTIONAL
        if versions == "1.2":
            context.maximum_version = ssl.TLSVersion.TLSv1_2
        return context

    ports = {}

    def open_port(backend, protocol, ending, certificate, key, clients, authority, versions):
        port = Port()
        port.rest = (protocol, clients, authority, versions)
        port.contexts = [make_context(certificate, key, *port.rest)]
        listener = socket.create_server(("127.0.0.1", 0), backlog=512)
        arguments = (listener, port, int(backend), ending)
        threading.Thread(target=listen, args=arguments, daemon=True).start()
        number = str(listener.getsockname()[1])
        ports[number] = port
        return number

    def present(number, *files):
        port = ports[number]
        pairs = zip(files[::2], files[1::2])
        contexts = [make_context(certificate, key, *port.rest) for certificate, key in pairs]
        with port.lock:
            # The first one comes next.
            count = len(contexts)
            port.contexts = [contexts[(index - port.accepted) % count] for index in range(count)]
        return "done"

    for line in sys.stdin:
        command, *words = line.rstrip("\n").split("\t")
        answer = {"open": open_port, "present": present, "report": lambda number: ports[number].report()}
        print(answer[command](*words), flush=True)
    """#
}
