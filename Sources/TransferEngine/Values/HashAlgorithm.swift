/// A hash algorithm that a protocol of HTTP needs.
package enum HashAlgorithm: CaseIterable, Sendable, Hashable {
  case md5
  /// Needed by the WebSocket handshake.
  case sha1
  case sha256
  /// SHA-512/256 (FIPS 180-4): SHA-512 with its own initial value, cut to 256 bits.
  case sha512_256

  /// The number of bytes of a hash.
  package var length: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha256, .sha512_256: 32
    }
  }
}
