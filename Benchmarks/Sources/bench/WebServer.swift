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
    port = try LocalPort.free()
    let configuration = place.work.appending(path: "nginx.conf")
    try Data(WebServer.configuration(port: port).utf8).write(to: configuration)
    let arguments = [
      "-p", place.work.path, "-e", place.work.appending(path: "nginx-error.log").path, "-c",
      configuration.path,
    ]
    server = try Child(endingWithUs: program, arguments)
    guard LocalPort.waitUntilOpen(port, seconds: 5) else {
      throw Problem("nginx does not listen: see \(place.work.path)/nginx-error.log")
    }
  }

  var processorSeconds: Double { server.processorSeconds }

  var host: String { "127.0.0.1:\(port)" }

  func url(_ path: String) -> String { "http://\(host)/\(path)" }

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
        # One picture under as many names as are wanted.
        location ~ ^/distinct/[0-9]+/(.+)$ { alias pictures/$1; }
      }
    }

    """
  }
}
