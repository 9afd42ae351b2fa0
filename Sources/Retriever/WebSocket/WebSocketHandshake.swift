#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// One opening handshake (RFC 6455, 4): the fields of its request, and the check of its response.
package struct WebSocketHandshake: Equatable, Sendable {
  /// What the server agreed to.
  package struct Agreement: Equatable, Sendable {
    package var subprotocol: String?
    package var compression: PermessageDeflate?

    package init(subprotocol: String? = nil, compression: PermessageDeflate? = nil) {
      self.subprotocol = subprotocol
      self.compression = compression
    }
  }

  package let key: String
  package let subprotocols: [String]
  package let offersCompression: Bool

  package init(key: String, subprotocols: [String], offersCompression: Bool) {
    self.key = key
    self.subprotocols = subprotocols
    self.offersCompression = offersCompression
  }

  /// Creates a handshake with a new random key.
  package init(subprotocols: [String], offersCompression: Bool) {
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    self.init(
      key: Data(bytes).base64EncodedString(), subprotocols: subprotocols,
      offersCompression: offersCompression)
  }

  /// The request's fields that belong to the handshake. A program cannot set them.
  package static let reservedFields: Set<String> = [
    "connection", "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions",
    "sec-websocket-protocol", "sec-websocket-accept",
  ]

  package var fields: [(name: String, value: String)] {
    var fields = [
      (name: "Connection", value: "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
      ("Sec-WebSocket-Key", key),
    ]
    if !subprotocols.isEmpty {
      fields.append(("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")))
    }
    if offersCompression { fields.append(("Sec-WebSocket-Extensions", PermessageDeflate.offer)) }
    return fields
  }

  /// The value that proves that the server has understood the handshake with this key.
  package static func accept(for key: String) -> String {
    Data(SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
  }

  /// Checks the response's head.
  package func agreement(
    status: Int, version: String, fields: HeaderFields
  ) throws(WebSocketFailure) -> Agreement {
    guard status == 101, version == "HTTP/1.1" else {
      throw refusal("The server did not accept the WebSocket: it responded with status \(status).")
    }
    let upgrades = fields.values(for: "Upgrade")
    guard upgrades.count == 1, ASCII.equalIgnoringCase(ASCII.trimmed(upgrades[0]), "websocket") else {
      throw refusal("The server's handshake has no valid Upgrade field.")
    }
    let connection = fields.values(for: "Connection").flatMap { ASCII.listMembers($0) }
    guard connection.contains(where: { ASCII.equalIgnoringCase($0, "upgrade") }) else {
      throw refusal("The server's handshake has no Connection field with the value Upgrade.")
    }
    let accepts = fields.values(for: "Sec-WebSocket-Accept").map { ASCII.trimmed($0) }
    guard accepts == [Substring(Self.accept(for: key))] else {
      throw refusal("The server's handshake has no valid Sec-WebSocket-Accept field.")
    }
    var agreement = Agreement()
    let selected = fields.values(for: "Sec-WebSocket-Protocol").map { String(ASCII.trimmed($0)) }
    if let subprotocol = selected.first {
      guard selected.count == 1, subprotocols.contains(subprotocol) else {
        throw refusal("The server selected a WebSocket subprotocol that was not offered.")
      }
      agreement.subprotocol = subprotocol
    }
    agreement.compression = try PermessageDeflate(
      values: fields.values(for: "Sec-WebSocket-Extensions"), isOffered: offersCompression)
    return agreement
  }

  private func refusal(_ message: String) -> WebSocketFailure { WebSocketFailure(.protocolError, message) }
}
#endif
