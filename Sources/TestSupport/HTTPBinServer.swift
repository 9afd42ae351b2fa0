import Foundation

/// httpbin (from PyPI) on 127.0.0.1, a thread for each connection.
public final class HTTPBinServer: Sendable {
  /// Whether the prepared Python has httpbin.
  public static let isAvailable: Bool = {
    guard let python = PythonInterpreter.prepared else { return false }
    return (try? ChildProcess.run([python, "-c", "import httpbin"])) != nil
  }()

  /// The port.
  public let port: Int
  private let process: ChildProcess

  /// Starts it and waits until it answers.
  public init() throws {
    guard let python = PythonInterpreter.prepared else {
      throw TestSupportError("No prepared Python: set RETRIEVER_PYTHON to one that has httpbin")
    }
    let program = """
      from werkzeug.serving import make_server, WSGIRequestHandler
      from httpbin import app
      WSGIRequestHandler.protocol_version = "HTTP/1.1"
      server = make_server("127.0.0.1", 0, app, threaded=True)
      print(server.server_port, flush=True)
      server.serve_forever()
      """
    process = try ChildProcess([python, "-c", program], isConversing: true)
    guard let line = process.readLine(within: .seconds(30)), let port = Int(line) else {
      throw TestSupportError("httpbin does not start with \(python)")
    }
    self.port = port
  }

  /// The URL of a path on it, as text.
  public func address(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// The URL of a path on it.
  public func url(_ path: String = "/") -> URL {
    URL(string: address(path)) ?? URL(fileURLWithPath: "/nonexistent")
  }

  /// Ends it.
  public func stop() { process.stop() }
}
