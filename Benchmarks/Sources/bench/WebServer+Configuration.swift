// The configuration of nginx.

extension WebServer {
  static func configuration(_ ports: [Listener: Int], _ authority: Authority) -> String {
    func listen(_ listener: Listener, _ parameters: String = "") -> String {
      listener.addresses.map { "listen \($0):\(ports[listener] ?? 0)\(parameters) backlog=4096;" }
        .joined(separator: "\n    ")
    }
    // The files are already compressed, so that the work of the server is small.
    let compressed = CompressedFile.all.map {
      "location = /\($0.name) { add_header Content-Encoding \($0.coding.rawValue); }"
    }.joined(separator: "\n    ")
    let locations = """
      location = /post { return 200 "taken"; }
        location = /\(cacheablePage) {
          alias files/\(BenchFile.small.name);
          add_header Cache-Control max-age=3600;
        }
        location = /\(closingPage) {
          alias files/\(BenchFile.small.name);
          keepalive_timeout 0;
          add_header TLS-Session $ssl_session_reused;
        }
        # mirror reads the complete body. Without it, nginx would answer while the client is still sending.
        location = /\(uploadPage) {
          client_body_buffer_size 1m;
          mirror /unread;
          error_page 404 =200 @taken;
          log_not_found off;
        }
        location = /unread { internal; return 204; }
        location @taken { return 200 "taken"; }
        location = /created { default_type application/json; return 200 '\(DogList.dog(7))'; }
        \(compressed)
        # Serves one picture under any number of names.
        location ~ ^/distinct/[0-9]+/(.+)$ { alias pictures/$1; }
      """
    return """
      daemon off;
      master_process off;
      worker_processes 1;
      pid nginx.pid;
      events { worker_connections 16384; }
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
        server {
          \(listen(.manyHosts))
          \(locations)
        }
      }

      """
  }
}
