import TerminalProgram

/// The reason why a file could not be read or written.
package struct FileProblem: Error, Sendable, Hashable {
  package let path: String
  /// Complete sentences, which do not name the file.
  package let message: String

  package init(_ path: String, _ message: String) {
    self.path = path
    self.message = message
  }

  /// A failed system call. What was attempted is, for example, "Could not read the file".
  static func system(_ path: String, _ attempt: String, _ code: Int32) -> FileProblem {
    FileProblem(path, Failure.file(attempt, code).message)
  }
}
