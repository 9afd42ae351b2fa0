import Glibc

/// A port of 127.0.0.1 without a listener. No other program can get the port while this object exists.
public final class ClosedPort: Sendable {
  /// The port number.
  public let number: UInt16
  private let descriptor: Int32

  /// Binds a port without listening, so that connections are refused.
  public init() throws {
    (descriptor, number) = try ListeningSocket.bound(on: .ipv4)
  }

  deinit { close(descriptor) }

  /// An `http` URL with this port.
  public func address(_ path: String = "/") -> String { "http://127.0.0.1:\(number)\(path)" }
}
