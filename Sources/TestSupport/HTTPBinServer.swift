import Foundation

/// httpbin (from PyPI) on 127.0.0.1, with one thread for each connection.
public final class HTTPBinServer: Sendable {
  /// Whether the prepared Python has httpbin.
  public static let isAvailable = PythonInterpreter.has("httpbin")

  /// The port.
  public let port: Int
  private let process: ChildProcess

  /// Starts the server and waits until it is ready.
  public init() throws {
    let program = """
      from werkzeug.serving import make_server, WSGIRequestHandler
      from httpbin import app
      WSGIRequestHandler.protocol_version = "HTTP/1.1"
      server = make_server("127.0.0.1", 0, app, threaded=True)
      print(server.server_port, flush=True)
      server.serve_forever()
      """
    (process, port) = try PythonInterpreter.startServer(program)
  }

  /// Returns the URL of a path on the server, as text.
  public func address(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Returns the URL of a path on the server.
  public func url(_ path: String = "/") -> URL {
    URL(string: address(path)) ?? URL(fileURLWithPath: "/nonexistent")
  }

  /// Stops the server.
  public func stop() { process.stop() }
}
