import Foundation

/// The reason why a file could not be read or written.
package struct FileProblem: Error, Sendable, Hashable {
  package let path: String
  package let message: String

  package init(_ path: String, _ message: String) {
    self.path = path
    self.message = message
  }

  /// A failed system call.
  static func system(_ path: String, _ problem: String, _ code: Int32) -> FileProblem {
    FileProblem(path, "\(problem): \(String(cString: strerror(code)))")
  }
}
