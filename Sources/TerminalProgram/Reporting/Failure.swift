import Foundation
import Glibc

/// An error as the user sees it: one sentence and one exit status, without secrets.
public struct Failure: Error, Sendable, Equatable {
  /// The exit status of a program that ends with this failure.
  public let status: ExitStatus
  /// One phrase that is safe to print on a terminal.
  public let message: String

  /// Creates a failure. Characters in the message that control a terminal are replaced by U+FFFD.
  public init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = DisplayText.safe(message)
  }

  /// Returns the failure of a system call on a file.
  public static func file(_ problem: String, _ code: Int32) -> Failure {
    if code == EPIPE { return Failure(.outputClosed, "the reader of the output closed it") }
    if code == ECANCELED { return .cancelled }
    return Failure(.fileSystem, "\(problem): \(String(cString: strerror(code)))")
  }

  /// A cancelled task. The program ends with the status `interrupted` and prints no message.
  public static let cancelled = Failure(.interrupted, "cancelled")

  /// Converts an error that any program may throw. A program converts the errors of its own libraries itself.
  public init(general error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let usage as UsageError: self.init(.usage, usage.message)
    case is CancellationError: self = .cancelled
    case let error as CocoaError: self.init(.fileSystem, Self.sentence(of: error))
    default: self.init(.failure, error.localizedDescription)
    }
  }

  /// Returns the sentence without its final period, for use after a colon.
  public static func withoutStop(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// Returns the file and the system's error. Foundation's own text has several sentences and does not name the file.
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
