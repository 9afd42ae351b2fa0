import Foundation
import Glibc
import Synchronization

/// Caddy as a correct server: HTTP/1.1, HTTP/2 and, if wanted, HTTP/3, on one port of 127.0.0.1.
///
/// It serves the files of ``documentRoot`` below `/files`, passes requests below `/app` to another server, and responds
/// to `/hello` with `hello`.
public final class CaddyServer: Sendable {
  /// The path of caddy; nil if it is not installed.
  public static let executable = ["/usr/bin/caddy", "/usr/local/bin/caddy"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The port, of TCP and UDP.
  public let port: UInt16
  /// The directory of the files.
  public let documentRoot: URL

  private let directory: TemporaryDirectory
  private let backend: UInt16
  private let process = Mutex<ChildProcess?>(nil)

  /// Starts the server and waits until it accepts connections.
  ///
  /// - Parameter backend: The port of a server on 127.0.0.1 for requests below `/app`.
  public init(
    backend: UInt16 = 9, certificate: TestAuthority.Certificate = .valid, usesHTTP3: Bool = true
  ) throws {
    directory = try TemporaryDirectory()
    documentRoot = directory.file("www")
    try FileManager.default.createDirectory(at: documentRoot, withIntermediateDirectories: true)
    port = try ListeningSocket.freePort()
    self.backend = backend
    try start(certificate: certificate, usesHTTP3: usesHTTP3)
  }

  deinit { stop() }

  /// Returns the URL of a path.
  public func url(_ path: String = "/hello") -> URL {
    URL(string: "https://127.0.0.1:\(port)\(path)") ?? URL(fileURLWithPath: "/nonexistent")
  }

  /// Ends the server, which closes its connections first.
  public func stop() {
    process.withLock { process in
      process?.stop()
      process = nil
    }
  }

  /// Ends the server without notice to its clients.
  public func crash() {
    process.withLock { process in
      guard let running = process else { return }
      running.send(signal: SIGKILL)
      _ = running.waitForEnd(within: .seconds(30))
      process = nil
    }
  }

  /// Starts the server again on the same port.
  public func start(certificate: TestAuthority.Certificate = .valid, usesHTTP3: Bool = true) throws {
    guard let executable = Self.executable else { throw TestSupportError("caddy is not installed") }
    let authority = try TestAuthority.shared()
    let configuration = """
      {
        admin off
        auto_https off
        storage file_system \(directory.path("storage"))
        default_sni 127.0.0.1
        grace_period 1s
        servers {
          protocols h1 h2\(usesHTTP3 ? " h3" : "")
        }
      }
      https://127.0.0.1:\(port) {
        bind 127.0.0.1
        tls \(authority.certificateFile(certificate).path) \(authority.keyFile(certificate).path)
        respond /hello hello
        handle_path /files/* {
          root * \(documentRoot.path)
          file_server
        }
        reverse_proxy /app/* 127.0.0.1:\(backend)
      }

      """
    try directory.write(Data(configuration.utf8), to: "Caddyfile")
    let log = directory.path("log")
    try? FileManager.default.removeItem(atPath: log)
    let child = try ChildProcess(
      [executable, "run", "--config", directory.path("Caddyfile"), "--adapter", "caddyfile"],
      environment: ["HOME": directory.url.path, "XDG_DATA_HOME": directory.url.path], output: log)
    process.withLock { $0 = child }
    let deadline = ContinuousClock.now + .seconds(60)
    while child.isRunning, .now < deadline {
      // Written after all ports are open.
      let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
      if text.contains("serving initial configuration") { return }
      usleep(5000)
    }
    stop()
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    throw TestSupportError("Could not start caddy: \(text.suffix(2000))")
  }
}
