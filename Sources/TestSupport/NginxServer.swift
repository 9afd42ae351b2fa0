import Foundation
import Glibc

/// nginx as a correct server: HTTP/1.1 and HTTP/2, with and without TLS, with valid and invalid certificates.
///
/// It runs one worker, with its configuration, files and sockets in a temporary directory. It serves these paths:
///
/// - `/1k`: 1 KiB; `/lines`: lines of 100 bytes; `/big`: a large (sparse) file; all with Range and ETag
/// - `/gzip/lines`: the same lines, compressed on the fly if the client accepts it
/// - `/put/NAME`: accepts PUT (201 for a new file), and GET of an uploaded file
/// - `/sink`: accepts a body of any size, and responds with 200 and the announced length
/// - `/private/1k`: requires Basic authentication as `user` with `password`
/// - `/redirect/relative`, `/redirect/absolute`, `/redirect/loop`: 302 to `/1k`, or to itself
/// - `/status/NNN`: 204, 404 or 500
/// - `/headers`: the received method, Host, Authorization, Cookie, User-Agent and Accept-Encoding, one per line
public final class NginxServer: Sendable {
  /// The options of a server.
  public struct Options: Sendable {
    /// The size of `/big`, which uses no disk space.
    public var bigFileSize = 1 << 30
    /// The number of lines in `/lines`.
    public var lineCount = 10_000
    /// Additional directives for the `http` block.
    public var httpDirectives = ""
    /// Additional directives (locations) for every server.
    public var serverDirectives = ""
    /// The maximum number of connections of the worker.
    public var connections = 16_384

    /// Creates the default options.
    public init() {}
  }

  /// The path of nginx; nil if it is not installed.
  public static let executable = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"]
    .first { FileManager.default.isExecutableFile(atPath: $0) }

  /// The user name for `/private`.
  public static let user = "user"
  /// The password for `/private`.
  public static let password = "password"

  /// The port for HTTP/1.1 without TLS.
  public let httpPort: UInt16
  /// The port for HTTP/1.1 with TLS and a valid certificate.
  public let httpsPort: UInt16
  /// The port for HTTP/2 (by ALPN) with TLS and a valid certificate.
  public let http2Port: UInt16
  /// The ports for HTTP/1.1 with TLS, by certificate.
  public let portsByCertificate: [TestAuthority.Certificate: UInt16]
  /// The path of the Unix domain socket, for HTTP/1.1.
  public let socketPath: String
  /// The directory that nginx serves. Tests may add files.
  public let documentRoot: URL

  private let directory: TemporaryDirectory
  private let process: ChildProcess

  /// Starts nginx and waits until it accepts connections.
  public convenience init(_ options: Options = Options()) throws {
    var failure: any Error = TestSupportError("nginx was not started")
    // Another process may take a port after we have found it free and before nginx binds it.
    for _ in 0..<4 {
      do {
        try self.init(once: options)
        return
      } catch {
        failure = error
      }
    }
    throw failure
  }

  private init(once options: Options) throws {
    guard let executable = Self.executable else { throw TestSupportError("nginx is not installed") }
    let authority = try TestAuthority.shared()
    let directory = try TemporaryDirectory()
    self.directory = directory
    var ports: [UInt16] = []
    while ports.count < 2 + TestAuthority.Certificate.allCases.count {
      let port = try ListeningSocket.freePort()
      if !ports.contains(port) { ports.append(port) }
    }
    httpPort = ports[0]
    http2Port = ports[1]
    portsByCertificate = Dictionary(
      uniqueKeysWithValues: zip(TestAuthority.Certificate.allCases, ports.dropFirst(2)))
    httpsPort = portsByCertificate[.valid] ?? 0
    socketPath = directory.path("nginx.sock")
    documentRoot = directory.file("www")
    try Self.fill(documentRoot, options)

    var servers = [
      ["127.0.0.1:\(httpPort) backlog=4096", "unix:\(socketPath)"]: TestAuthority.Certificate?.none,
      ["127.0.0.1:\(http2Port) ssl http2"]: .valid,
    ]
    for (certificate, port) in portsByCertificate { servers[["127.0.0.1:\(port) ssl"]] = certificate }
    let blocks = servers.map { listen, certificate in
      Self.server(listen: listen, certificate, authority: authority, root: directory.url.path, options)
    }
    let configuration = Self.configuration(root: directory.url.path, servers: blocks, options)
    try directory.write(Data(configuration.utf8), to: "nginx.conf")
    try directory.write(Data("\(Self.user):{PLAIN}\(Self.password)\n".utf8), to: "users")

    let log = directory.path("error.log")
    process = try ChildProcess(
      [executable, "-p", directory.url.path, "-e", log, "-c", directory.path("nginx.conf")], output: log)
    try waitUntilReady(log: log)
  }

  deinit { process.stop() }

  /// Returns the URL of a path over HTTP/1.1 without TLS.
  public func url(_ path: String = "/1k") -> URL { Self.url("http://127.0.0.1:\(httpPort)\(path)") }

  /// Returns the URL of a path over HTTP/1.1 with TLS and the given certificate.
  public func secureURL(_ path: String = "/1k", certificate: TestAuthority.Certificate = .valid) -> URL {
    Self.url("https://localhost:\(portsByCertificate[certificate] ?? 0)\(path)")
  }

  /// Returns the URL of a path over HTTP/2 with TLS.
  public func http2URL(_ path: String = "/1k") -> URL {
    Self.url("https://localhost:\(http2Port)\(path)")
  }

  /// The contents of nginx's error log.
  public var log: String {
    (try? String(contentsOfFile: directory.path("error.log"), encoding: .utf8)) ?? ""
  }

  /// Stops nginx and waits for its end.
  public func stop() { process.stop() }

  private static func url(_ text: String) -> URL {
    URL(string: text) ?? URL(fileURLWithPath: "/nonexistent")
  }

  private func waitUntilReady(log: String) throws {
    let deadline = ContinuousClock.now + .seconds(30)
    while process.isRunning, .now < deadline {
      // nginx writes this file when it has all its ports. Before, it may have some of them, wait for another, and end.
      let hasPorts = FileManager.default.fileExists(atPath: directory.path("nginx.pid"))
      if hasPorts, (try? RawClient(port: httpPort)) != nil { return }
      usleep(5000)
    }
    process.stop()
    throw TestSupportError("Could not start nginx: \(self.log)")
  }
}
