#if !canImport(Darwin)
import HTTPSyntax

/// The parameters of `permessage-deflate` (RFC 7692) that both sides have agreed on.
package struct PermessageDeflate: Equatable, Sendable {
  /// Whether the server begins each message without the earlier ones.
  package var serverHasNoContext = false
  /// Whether this client must do the same.
  package var clientHasNoContext = false
  /// The size of this client's window: 8 to 15, as a power of two.
  package var clientWindowBits = 15

  package init() {}

  package static let name = "permessage-deflate"

  /// What a client offers: any window of its own that the server wants. The server may choose everything else.
  package static let offer = "permessage-deflate; client_max_window_bits"

  /// Reads the server's answer. Nil if the server uses no extension.
  ///
  /// - Parameter isOffered: Whether the client's request had the offer.
  package init?(values: [String], isOffered: Bool) throws(WebSocketFailure) {
    let extensions = values.flatMap { ASCII.listMembers($0) }
    guard let first = extensions.first else { return nil }
    guard extensions.count == 1 else {
      throw Self.refusal("The server selected more than one WebSocket extension.")
    }
    var parts = first.split(separator: ";", omittingEmptySubsequences: false).map { ASCII.trimmed($0) }
    let name = parts.removeFirst()
    guard isOffered, ASCII.equalIgnoringCase(name, Self.name) else {
      throw Self.refusal(
        "The server selected a WebSocket extension that was not offered: \(name.prefix(40)).")
    }
    var seen: Set<String> = []
    for part in parts {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let parameter = ASCII.lowercased(ASCII.trimmed(pair.first ?? ""))
      guard seen.insert(parameter).inserted else {
        throw Self.refusal("The server repeated a parameter of permessage-deflate.")
      }
      try apply(parameter, value: pair.count > 1 ? ASCII.trimmed(pair[1]) : nil)
    }
  }

  private mutating func apply(_ parameter: String, value: Substring?) throws(WebSocketFailure) {
    switch (parameter, value) {
    case ("server_no_context_takeover", nil): serverHasNoContext = true
    case ("client_no_context_takeover", nil): clientHasNoContext = true
    case ("server_max_window_bits", let value?):
      // A larger window inflates everything that a smaller one deflated.
      guard Self.windowBits(value) != nil else { throw Self.invalid(parameter) }
    case ("client_max_window_bits", let value?):
      guard let bits = Self.windowBits(value) else { throw Self.invalid(parameter) }
      clientWindowBits = bits
    default: throw Self.invalid(parameter)
    }
  }

  /// Returns a number from 8 to 15 without leading zeros. It may be quoted.
  private static func windowBits(_ value: Substring) -> Int? {
    var text = value
    if text.count > 2, text.first == "\"", text.last == "\"" { text = text.dropFirst().dropLast() }
    guard text.first != "0", let number = ASCII.number(text), 8...15 ~= number else { return nil }
    return Int(number)
  }

  private static func invalid(_ parameter: String) -> WebSocketFailure {
    refusal("The server answered with an invalid parameter of permessage-deflate: \(parameter.prefix(40)).")
  }

  private static func refusal(_ message: String) -> WebSocketFailure {
    WebSocketFailure(.protocolError, message)
  }
}
#endif
