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
}
