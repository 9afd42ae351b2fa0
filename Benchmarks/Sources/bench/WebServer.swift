// nginx on the loopback interface with one worker, and the files that it serves.
import Foundation

final class WebServer {
  /// A port and its protocol.
  enum Listener: CaseIterable {
    case http
    /// HTTP/1.1 over TLS 1.3. Clients can resume sessions.
    case https
    /// HTTP/2 over TLS 1.3.
    case http2
    /// Like `https`, but without sessions: each handshake is a full one.
    case fullHandshakes
    /// HTTP/1.1 at `manyAddresses`.
    case manyHosts

    /// The listeners whose connections are reused.
    static let reused: [Listener] = [.http, .https, .http2]

    /// The parts of a row's name and text for the listener.
    var suffix: String { self == .http ? "" : self == .http2 ? ".http2" : ".https" }
    var text: String { self == .http ? "" : self == .http2 ? ", HTTP/2" : ", https" }
    /// The name of the protocol for readers.
    var title: String { self == .http ? "http" : self == .http2 ? "HTTP/2" : "https" }
    var isSecure: Bool { self != .http && self != .manyHosts }

    /// The addresses of this machine at which the server listens.
    var addresses: [String] {
      switch self {
      case .http, .fullHandshakes: [WebServer.address]
      case .https, .http2: Authority.addresses
      case .manyHosts: [WebServer.address] + WebServer.manyAddresses
      }
    }
  }

  /// A page of 1 KiB, after which the server closes the connection. The response field `TLS-Session` is `r` if the TLS
  /// session was resumed.
  static let closingPage = "closing"
  /// A page that caches may keep for an hour.
  static let cacheablePage = "cacheable"
  /// Reads a body of 1 MiB before it answers.
  static let uploadPage = "upload"

  /// Thousand hosts of this machine. Clients use the addresses instead of names, so that all of them do the same work:
  /// the Go program has a resolver of its own.
  static let manyAddresses = (0..<1_000).map { "127.1.\($0 / 250).\($0 % 250 + 1)" }

  static let address = "127.0.0.1"

  let authority: Authority
  private let ports: [Listener: Int]
  private let server: Child
  private let place: Place

  init(_ place: Place) throws {
    self.place = place
    guard let program = Place.program("nginx") else {
      throw Problem("nginx is missing. Run `make setup-bench`")
    }
    // `stop` removes it.
    try FileManager.default.createDirectory(at: place.downloads, withIntermediateDirectories: true)
    let files = place.work.appending(path: "files", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try BenchFile.all.forEach { try $0.make(in: files) }
    try CompressedFile.all.forEach { try $0.make(in: files) }
    authority = try Authority(in: place.work.appending(path: "tls", directoryHint: .isDirectory))
    ports = try Listener.allCases.reduce(into: [:]) { $0[$1] = try LocalPort.free() }
    let configuration = place.work.appending(path: "nginx.conf")
    try Data(WebServer.configuration(ports, authority).utf8).write(to: configuration)
    let arguments = [
      "-p", place.work.path, "-e", place.work.appending(path: "nginx-error.log").path, "-c",
      configuration.path,
    ]
    server = try Child(endingWithUs: program, arguments)
    guard ports.values.allSatisfy({ LocalPort.waitUntilOpen($0, seconds: 5) }) else {
      throw Problem("nginx did not start to listen. See \(place.work.path)/nginx-error.log")
    }
  }

  var processorSeconds: Double { server.processorSeconds }

  var host: String { host(of: .http) }

  func url(_ path: String, at listener: Listener = .http, address: String = WebServer.address) -> String {
    "\(listener.isSecure ? "https" : "http")://\(host(of: listener, address))/\(path)"
  }

  private func host(of listener: Listener, _ address: String = WebServer.address) -> String {
    "\(address):\(ports[listener] ?? 0)"
  }

  func stop() {
    server.signal(SIGTERM)
    _ = try? server.finish(within: 5)
    try? FileManager.default.removeItem(at: place.downloads)
  }
}
