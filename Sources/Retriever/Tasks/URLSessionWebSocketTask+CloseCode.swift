#if !canImport(Darwin)
extension URLSessionWebSocketTask {
  /// Why a connection was closed (RFC 6455, 7.4).
  public enum CloseCode: RawRepresentable, Hashable, Sendable {
    /// The connection is not closed.
    case invalid
    /// The connection has served its purpose.
    case normalClosure
    /// The server is shutting down, or the program has moved on.
    case goingAway
    /// The other side violated the protocol.
    case protocolError
    /// The other side sent a kind of data that is not supported.
    case unsupportedData
    /// The Close frame had no code. This code is never sent.
    case noStatusReceived
    /// The connection ended without a Close frame. This code is never sent.
    case abnormalClosure
    /// A message was not consistent with its type, for example text that is not valid UTF-8.
    case invalidFramePayloadData
    /// A message violated a policy of the other side.
    case policyViolation
    /// A message was too big.
    case messageTooBig
    /// The client expected an extension that the server did not agree to.
    case mandatoryExtensionMissing
    /// The server had an unexpected problem.
    case internalServerError
    /// The TLS handshake failed. This code is never sent.
    case tlsHandshakeFailure
    /// A code without a name, such as one of an application (3000 to 4999). *Beyond Apple's API*, where such a value has
    /// no case, but exists as well.
    case other(Int)

    private static let named: [CloseCode] = [
      .invalid, .normalClosure, .goingAway, .protocolError, .unsupportedData, .noStatusReceived,
      .abnormalClosure, .invalidFramePayloadData, .policyViolation, .messageTooBig,
      .mandatoryExtensionMissing, .internalServerError, .tlsHandshakeFailure,
    ]

    /// Creates a code from its number. Never returns nil.
    public init?(rawValue: Int) {
      self = Self.named.first { $0.rawValue == rawValue } ?? .other(rawValue)
    }

    /// The number of the code.
    public var rawValue: Int {
      switch self {
      case .invalid: 0
      case .normalClosure: 1000
      case .goingAway: 1001
      case .protocolError: 1002
      case .unsupportedData: 1003
      case .noStatusReceived: 1005
      case .abnormalClosure: 1006
      case .invalidFramePayloadData: 1007
      case .policyViolation: 1008
      case .messageTooBig: 1009
      case .mandatoryExtensionMissing: 1010
      case .internalServerError: 1011
      case .tlsHandshakeFailure: 1015
      case .other(let number): number
      }
    }

    /// Whether both codes have the same number.
    public static func == (left: CloseCode, right: CloseCode) -> Bool { left.rawValue == right.rawValue }

    /// Adds the number of the code to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    init(_ frame: WebSocketClosing) {
      self = frame.code.flatMap { CloseCode(rawValue: Int($0)) } ?? .noStatusReceived
    }
  }
}
#endif
