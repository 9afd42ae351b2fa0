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

    /// The listeners whose connections are reused.
    static let reused: [Listener] = [.http, .https, .http2]

    /// The parts of a row's name and text for the listener.
    var suffix: String { self == .http ? "" : self == .http2 ? ".http2" : ".https" }
    var text: String { self == .http ? "" : self == .http2 ? ", HTTP/2" : ", https" }
  }

  /// A page of 1 KiB, after which the server closes the connection. The response field `TLS-Session` is `r` if the TLS
  /// session was resumed.
  static let closingPage = "closing"

  let authority: Authority
  private let ports: [Listener: Int]
  private let server: Child
  private let place: Place

  init(_ place: Place) throws {
    self.place = place
    guard let program = Place.program("nginx") else {
      throw Problem("nginx is missing. Run `make setup-bench`")
    }
    let files = place.work.appending(path: "files", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try BenchFile.all.forEach { try $0.make(in: files) }
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

  func url(_ path: String, at listener: Listener = .http) -> String {
    "\(listener == .http ? "http" : "https")://\(host(of: listener))/\(path)"
  }

  private func host(of listener: Listener) -> String { "127.0.0.1:\(ports[listener] ?? 0)" }

  func stop() {
    server.signal(SIGTERM)
    _ = try? server.finish(within: 5)
    try? FileManager.default.removeItem(at: place.downloads)
  }

  private static func configuration(_ ports: [Listener: Int], _ authority: Authority) -> String {
    func listen(_ listener: Listener, _ parameters: String = "") -> String {
      "listen 127.0.0.1:\(ports[listener] ?? 0)\(parameters) backlog=4096;"
    }
    let locations = """
      location = /post { return 200 "taken"; }
        location = /\(closingPage) {
          alias files/\(BenchFile.small.name);
          keepalive_timeout 0;
          add_header TLS-Session $ssl_session_reused;
        }
        # Serves one picture under any number of names.
        location ~ ^/distinct/[0-9]+/(.+)$ { alias pictures/$1; }
      """
    return """
      daemon off;
      master_process off;
      worker_processes 1;
      pid nginx.pid;
      events { worker_connections 4096; }
      http {
        access_log off;
        default_type application/octet-stream;
        client_body_temp_path temporary;
        proxy_temp_path temporary;
        fastcgi_temp_path temporary;
        uwsgi_temp_path temporary;
        scgi_temp_path temporary;
        sendfile on;
        tcp_nopush on;
        keepalive_timeout 300s;
        keepalive_requests 100000000;
        root files;
        ssl_certificate \(authority.certificate.path);
        ssl_certificate_key \(authority.key.path);
        ssl_protocols TLSv1.3;
        server {
          \(listen(.http))
          \(locations)
        }
        server {
          \(listen(.https, " ssl"))
          ssl_session_cache shared:sessions:10m;
          \(locations)
        }
        server {
          \(listen(.http2, " ssl http2"))
          ssl_session_cache shared:sessions:10m;
          \(locations)
        }
        server {
          \(listen(.fullHandshakes, " ssl"))
          ssl_session_cache off;
          ssl_session_tickets off;
          \(locations)
        }
      }

      """
  }
}
