import Foundation

/// The Python interpreters that run the tests' Python programs.
public enum PythonInterpreter {
  /// The system's interpreter, with the standard library.
  public static let standard: String? =
    ["/usr/bin/python3", "/usr/local/bin/python3"]
    .first { FileManager.default.isExecutableFile(atPath: $0) } ?? prepared

  /// The interpreter of the prepared virtual environment, which has packages from PyPI. This is the interpreter in the
  /// environment variable RETRIEVER_PYTHON, or `build/python/bin/python3` in the package.
  public static let prepared: String? = {
    if let named = ProcessInfo.processInfo.environment["RETRIEVER_PYTHON"] { return named }
    var directory = URL(fileURLWithPath: #filePath)
    for _ in 0..<3 { directory.deleteLastPathComponent() }
    let path = directory.appendingPathComponent("build/python/bin/python3").path
    return FileManager.default.isExecutableFile(atPath: path) ? path : nil
  }()

  /// Whether the prepared interpreter has a module.
  public static func has(_ module: String) -> Bool {
    guard let prepared else { return false }
    return (try? ChildProcess.run([prepared, "-c", "import \(module)"])) != nil
  }

  /// Starts a server that the prepared interpreter runs. The program prints its port in its first line.
  public static func startServer(
    _ program: String, _ arguments: [String] = []
  ) throws -> (process: ChildProcess, port: Int) {
    guard let prepared else {
      throw TestSupportError(
        "There is no Python with packages from PyPI. Set RETRIEVER_PYTHON to an interpreter that has them.")
    }
    let process = try ChildProcess([prepared, "-c", program] + arguments, isConversing: true)
    guard let port = process.readLine(within: .seconds(60)).flatMap({ Int($0) }) else {
      throw TestSupportError("The Python server did not print its port.")
    }
    return (process, port)
  }
}
