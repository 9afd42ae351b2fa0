#if !canImport(Darwin)
/// The kinds of frames (RFC 6455, 5.2).
package enum WebSocketOpcode: UInt8, Sendable {
  case continuation = 0
  case text = 1
  case binary = 2
  case close = 8
  case ping = 9
  case pong = 10

  package var isControl: Bool { rawValue >= 8 }
}

/// The start of a frame, before its payload.
package struct WebSocketFrameHeader: Equatable, Sendable {
  package var opcode: WebSocketOpcode
  package var isFinal: Bool
  /// RSV1: whether the message that begins here is compressed (RFC 7692).
  package var isCompressed: Bool
  package var length: Int

  package init(opcode: WebSocketOpcode, isFinal: Bool = true, isCompressed: Bool = false, length: Int) {
    self.opcode = opcode
    self.isFinal = isFinal
    self.isCompressed = isCompressed
    self.length = length
  }

  /// The maximum payload of a control frame.
  package static let maximumControlLength = 125
}

/// Why a connection cannot continue: what the server did, and the close code that reports it to the server.
package struct WebSocketFailure: Error, Equatable, Sendable {
  package enum Code: UInt16, Sendable {
    case protocolError = 1002
    case invalidText = 1007
    case messageTooBig = 1009
    case internalError = 1011
  }

  package var code: Code
  package var message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
#endif
