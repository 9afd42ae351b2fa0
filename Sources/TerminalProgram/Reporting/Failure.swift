import Foundation
import Glibc

/// An error as the user sees it: a message and an exit status, without secrets.
public struct Failure: Error, Sendable, Equatable {
  /// The exit status of a program that ends with this failure.
  public let status: ExitStatus
  /// Complete sentences that say what happened, why, and what to do. They are safe to print on a terminal.
  public let message: String

  /// Creates a failure. Characters in the message that control a terminal are replaced by U+FFFD.
  public init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = DisplayText.safe(message)
  }

  /// Returns the failure of a system call on a file.
  ///
  /// - Parameters:
  ///   - attempt: What was attempted, such as "Could not read dog.jpg".
  ///   - code: The error number of the system call.
  public static func file(_ attempt: String, _ code: Int32) -> Failure {
    if code == EPIPE { return Failure(.outputClosed, "The reader of the output closed it.") }
    if code == ECANCELED { return .cancelled }
    return Failure(.fileSystem, "\(attempt): \(String(cString: strerror(code))).\(advice(code))")
  }

  /// Returns the failure of a function of Foundation on a file.
  public static func file(_ attempt: String, _ error: any Error) -> Failure {
    let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    if let code = (cause as? POSIXError ?? error as? POSIXError)?.code {
      return .file(attempt, code.rawValue)
    }
    return Failure(.fileSystem, "\(attempt): \(error.localizedDescription)")
  }

  private static func advice(_ code: Int32) -> String {
    switch code {
    case ENOENT, ENOTDIR, ENAMETOOLONG: " Check the path."
    case EACCES, EPERM: " Check the permissions."
    case ENOSPC, EDQUOT: " Free some space, then try again."
    default: ""
    }
  }

  /// A cancelled task. The program ends with the status `interrupted` and prints no message.
  public static let cancelled = Failure(.interrupted, "The operation was cancelled.")

  /// Converts an error that any program may throw. A program converts the errors of its own libraries itself.
  public init(general error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let usage as UsageError: self.init(.usage, usage.message)
    case is CancellationError: self = .cancelled
    case let error as CocoaError: self = .file(Self.attempt(of: error), error)
    default: self.init(.failure, error.localizedDescription)
    }
  }

  /// Names the file, which Foundation's own text does not.
  private static func attempt(of error: CocoaError) -> String {
    let path = error.userInfo[NSFilePathErrorKey] as? String ?? (error.userInfo[NSURLErrorKey] as? URL)?.path
    return "Could not access \(path ?? "a file")"
  }
}
