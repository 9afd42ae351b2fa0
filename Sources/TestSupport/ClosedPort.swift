import Glibc

/// A port of 127.0.0.1 where nobody listens, and which nobody else is given for as long as this lives.
public final class ClosedPort: Sendable {
  /// The port.
  public let number: UInt16
  private let descriptor: Int32

  /// Takes a port without listening there: whoever connects is refused.
  public init() throws {
    (descriptor, number) = try ListeningSocket.bound(on: .ipv4)
  }

  deinit { close(descriptor) }

  /// An `http` address there.
  public func address(_ path: String = "/") -> String { "http://127.0.0.1:\(number)\(path)" }
}
