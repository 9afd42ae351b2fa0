import Foundation
import Glibc

extension NginxServer {
  /// Returns one of the 100-byte lines in `/lines`, with its line end.
  public static func line(_ number: Int) -> String {
    let label = "line \(number) "
    return label + String(repeating: "x", count: max(0, 99 - label.utf8.count)) + "\n"
  }

  static func fill(_ root: URL, _ options: Options) throws {
    let files = FileManager.default
    for name in ["", "put", "private", "gzip"] {
      try files.createDirectory(at: root.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    let kibibyte = Data((0..<1024).map { UInt8(truncatingIfNeeded: $0) })
    try kibibyte.write(to: root.appendingPathComponent("1k"))
    try kibibyte.write(to: root.appendingPathComponent("private/1k"))
    let lines = Data((0..<options.lineCount).map { line($0) }.joined().utf8)
    try lines.write(to: root.appendingPathComponent("lines"))
    try lines.write(to: root.appendingPathComponent("gzip/lines"))
    let big = root.appendingPathComponent("big").path
    try Data().write(to: URL(fileURLWithPath: big))
    guard truncate(big, off_t(options.bigFileSize)) == 0 else {
      throw ListeningSocket.failure("Could not create a file of \(options.bigFileSize) bytes")
    }
  }

  static func configuration(root: String, servers: [String], _ options: Options) -> String {
    """
    daemon off;
    worker_processes 1;
    worker_rlimit_nofile \(options.connections + 64);
    pid \(root)/nginx.pid;
    \(geteuid() == 0 ? "user root root;" : "")
    events { worker_connections \(options.connections); }
    http {
      access_log off;
      client_body_temp_path \(root)/body;
      proxy_temp_path \(root)/proxy;
      fastcgi_temp_path \(root)/fastcgi;
      uwsgi_temp_path \(root)/uwsgi;
      scgi_temp_path \(root)/scgi;
      default_type application/octet-stream;
      sendfile on;
      tcp_nodelay on;
      keepalive_requests 1000000000;
      keepalive_timeout 600s;
      client_max_body_size 0;
      absolute_redirect off;
      http2_max_concurrent_streams 1024;
      ssl_session_cache off;
      \(options.httpDirectives)
      \(servers.joined(separator: "\n"))
    }

    """
  }

  static func server(
    listen: [String], _ certificate: TestAuthority.Certificate?, authority: TestAuthority, root: String,
    _ options: Options
  ) -> String {
    let tls =
      certificate.map {
        """
        ssl_certificate \(authority.certificateFile($0).path);
        ssl_certificate_key \(authority.keyFile($0).path);
        """
      } ?? ""
    return """
      server {
        \(listen.map { "listen \($0);" }.joined(separator: " "))
        server_name localhost;
        root \(root)/www;
        \(tls)
        \(options.serverDirectives)
        location = /lines { default_type text/plain; }
        location /gzip/ { default_type text/plain; gzip on; gzip_types text/plain; gzip_min_length 1; }
        location /put/ { dav_methods PUT DELETE; create_full_put_path on; }
        location /private/ { auth_basic "kennel"; auth_basic_user_file \(root)/users; }
        location = /sink { return 200 "$http_content_length\\n"; }
        location = /redirect/relative { return 302 ../1k; }
        location = /redirect/absolute { return 302 $scheme://$http_host/1k; }
        location = /redirect/loop { return 302 /redirect/loop; }
        location = /status/204 { return 204; }
        location = /status/404 { return 404 "not here"; }
        location = /status/500 { return 500 "broken"; }
        location = /headers {
          default_type text/plain;
          return 200 "$request_method\\n$http_host\\n$http_authorization\\n$http_cookie\\n\
      $http_user_agent\\n$http_accept_encoding\\n";
        }
      }
      """
  }
}
