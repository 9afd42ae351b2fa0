// nginx on loopback, one worker, and the files it serves.
import Foundation

final class WebServer {
  let port: Int
  private let server: Child
  private let place: Place

  init(_ place: Place) throws {
    self.place = place
    guard let program = Place.program("nginx") else { throw Problem("nginx is missing: `make setup-bench`") }
    let files = place.work.appending(path: "files", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    try BenchFile.all.forEach { try $0.make(in: files) }
    port = try WebServer.freePort()
    let configuration = place.work.appending(path: "nginx.conf")
    try Data(WebServer.configuration(port: port).utf8).write(to: configuration)
    let arguments = [
      "-p", place.work.path, "-e", place.work.appending(path: "nginx-error.log").path, "-c",
      configuration.path,
    ]
    // It must not outlive this program, however this program ends.
    if let binder = Place.program("setpriv") {
      server = try Child(binder, ["--pdeathsig", "KILL", program] + arguments)
    } else {
      server = try Child(program, arguments)
    }
    try waitUntilItListens()
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  func stop() {
    server.signal(SIGTERM)
    _ = try? server.finish(within: 5)
    try? FileManager.default.removeItem(at: place.downloads)
  }

  private static func configuration(port: Int) -> String {
    """
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
      server {
        listen 127.0.0.1:\(port) backlog=4096;
        location = /post { return 200 "taken"; }
      }
    }

    """
  }

  private func waitUntilItListens() throws {
    for _ in 0..<200 {
      let probe = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(probe) }
      var address = WebServer.loopback(port: port)
      if withSockaddr(&address, { connect(probe, $0, $1) }) == 0 { return }
      usleep(25_000)
    }
    throw Problem("nginx does not listen: see \(place.work.path)/nginx-error.log")
  }

  private static func freePort() throws -> Int {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = loopback(port: 0)
    guard withSockaddr(&address, { bind(listener, $0, $1) }) == 0 else { throw Problem("no free port") }
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withSockaddr(&address) { pointer, _ in getsockname(listener, pointer, &length) }
    return Int(UInt16(bigEndian: address.sin_port))
  }

  private static func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }
}

private func withSockaddr<Result>(
  _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Result
) -> Result {
  withUnsafeMutablePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
}
