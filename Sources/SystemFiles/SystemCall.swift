#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Calls of the operating system that return -1 and set `errno` when they fail.
public enum SystemCall {
  /// Repeats a call while it fails because a signal interrupted it (EINTR).
  ///
  /// - Parameter call: The call. It returns -1 and sets `errno` if it fails.
  /// - Returns: The result of the last call. If it is -1, `errno` is the reason, and not EINTR.
  @inlinable public static func retrying<Number: SignedInteger>(_ call: () -> Number) -> Number {
    while true {
      let result = call()
      if result != -1 || errno != EINTR { return result }
    }
  }
}

/// The failure of a system call.
public struct SystemError: Error, Equatable {
  /// The error number, such as `ENOENT`.
  public let code: Int32

  /// Creates an error from an error number.
  public init(_ code: Int32) { self.code = code }

  /// The system's description of the error number, such as “No such file or directory”.
  public var reason: String { String(cString: strerror(code)) }
}
