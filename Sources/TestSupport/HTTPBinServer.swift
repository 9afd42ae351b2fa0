import Foundation

/// httpbin (from PyPI) on 127.0.0.1, with one thread for each connection.
public final class HTTPBinServer: Sendable {
  /// Whether the prepared Python has httpbin.
  public static let isAvailable: Bool = {
    guard let python = PythonInterpreter.prepared else { return false }
    return (try? ChildProcess.run([python, "-c", "import httpbin"])) != nil
  }()

  /// The port.
  public let port: Int
  private let process: ChildProcess

  /// Starts the server and waits until it is ready.
  public init() throws {
    guard let python = PythonInterpreter.prepared else {
      throw TestSupportError("No Python with httpbin. Set RETRIEVER_PYTHON to an interpreter that has it.")
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
      throw TestSupportError("Could not start httpbin with \(python)")
    }
    self.port = port
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
