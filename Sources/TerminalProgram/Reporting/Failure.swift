import Foundation
import Glibc

/// What went wrong, as it is told: one sentence, one exit status, no secrets.
package struct Failure: Error, Sendable, Equatable {
  package let status: ExitStatus
  package let message: String

  package init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = DisplayText.safe(message)
  }

  /// A failed system call on a file.
  package static func file(_ problem: String, _ code: Int32) -> Failure {
    if code == EPIPE { return Failure(.outputClosed, "the reader of the output went away") }
    if code == ECANCELED { return .cancelled }
    return Failure(.fileSystem, "\(problem): \(String(cString: strerror(code)))")
  }

  package static let cancelled = Failure(.interrupted, "cancelled")

  /// An error that any program may meet; those of its libraries it has to tell itself.
  package init(general error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let usage as UsageError: self.init(.usage, usage.message)
    case is CancellationError: self = .cancelled
    case let error as CocoaError: self.init(.fileSystem, Self.sentence(of: error))
    default: self.init(.failure, error.localizedDescription)
    }
  }

  /// As it stands behind a colon.
  package static func withoutStop(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// The file, and what the system said of it: Foundation's own text has several sentences, and names no file.
  private static func sentence(of error: CocoaError) -> String {
    let path = error.userInfo[NSFilePathErrorKey] as? String ?? (error.userInfo[NSURLErrorKey] as? URL)?.path
    let reason = (error.userInfo[NSUnderlyingErrorKey] as? POSIXError)
      .map { String(cString: strerror($0.code.rawValue)) }
    guard let reason else {
      return error.userInfo[NSLocalizedDescriptionKey] as? String ?? error.localizedDescription
    }
    return path.map { "\($0): \(reason)" } ?? reason
  }
}
