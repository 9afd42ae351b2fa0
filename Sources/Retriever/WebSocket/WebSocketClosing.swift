#if !canImport(Darwin)
import Foundation

/// The content of a Close frame: a code and a reason (RFC 6455, 5.5.1 and 7.4).
package struct WebSocketClosing: Equatable, Sendable {
  /// Nil if the frame has no code.
  package var code: UInt16?
  package var reason: [UInt8] = []

  package init(code: UInt16?, reason: [UInt8] = []) {
    self.code = code
    self.reason = reason
  }

  /// The maximum length of a reason: a control frame has 125 bytes, two of them for the code.
  package static let maximumReasonLength = WebSocketFrameHeader.maximumControlLength - 2

  /// Reads the payload of a received frame.
  package init(payload: [UInt8]) throws(WebSocketFailure) {
    guard !payload.isEmpty else {
      self.init(code: nil)
      return
    }
    guard payload.count >= 2 else {
      throw WebSocketFailure(.protocolError, "The server sent a Close frame with half a code.")
    }
    let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
    guard Self.isValidOnConnection(code) else {
      throw WebSocketFailure(.protocolError, "The server sent the invalid close code \(code).")
    }
    let reason = Array(payload[2...])
    var validator = UTF8Validator()
    guard reason.withUnsafeBytes({ validator.append($0) }), validator.isAtCharacterBoundary else {
      throw WebSocketFailure(.invalidText, "The server sent a close reason that is not valid UTF-8.")
    }
    self.init(code: code, reason: reason)
  }

  /// Makes a frame that a program asks for. A code that must not be sent is left out, and the reason is shortened to
  /// what is valid and fits.
  package init(sending code: Int, reason: Data?) {
    guard let code = UInt16(exactly: code), Self.isValidOnConnection(code) else {
      self.init(code: nil)
      return
    }
    self.init(code: code, reason: Self.shortened(reason ?? Data()))
  }

  private static func shortened(_ reason: Data) -> [UInt8] {
    let valid = String(decoding: reason.prefix(4 * maximumReasonLength), as: UTF8.self)
    var bytes: [UInt8] = []
    for scalar in valid.unicodeScalars {
      let encoded = UTF8.encode(scalar)
      guard let encoded, bytes.count + encoded.count <= maximumReasonLength else { break }
      bytes.append(contentsOf: encoded)
    }
    return bytes
  }

  package var payload: [UInt8] {
    guard let code else { return [] }
    return [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] + reason
  }

  /// Whether a Close frame may have this code. The others are reserved, or describe ends without a frame.
  package static func isValidOnConnection(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
#endif
