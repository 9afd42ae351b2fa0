import KennelStorage

/// A secret that gives access to something: 256 random bits. The store keeps only its SHA-256 hash.
package struct SecretToken: Sendable, Hashable {
  private static let byteCount = 32
  private let bytes: [UInt8]

  /// Creates a random token.
  init() { bytes = Sodium.randomBytes(Self.byteCount) }

  /// Creates a token from its text, or returns nil if the text is not a valid token.
  package init?(_ text: String) {
    guard let bytes = Sodium.bytes(Self.byteCount, ofBase64: text) else { return nil }
    self.bytes = bytes
  }

  /// The token as 43 characters that need no escaping in a cookie or a path.
  package var text: String { Sodium.base64(bytes) }

  var digest: [UInt8] { Sodium.sha256(bytes) }
}

extension SecretToken: CustomStringConvertible, CustomReflectable {
  /// Hides the token, so that it does not get into a log.
  package var description: String { "SecretToken(…)" }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
