/// Hashes, computed by the TLS library that libcurl brings.
///
/// Every function returns nil if that library does not have the algorithm: with GnuTLS there is no SHA-512/256, in FIPS
/// mode there is no MD5, and other TLS libraries are not used. A caller then does without the feature that needs the
/// hash.
package enum Digests {
  /// Returns the MD5 hash of bytes.
  package static func md5(_ bytes: some Sequence<UInt8>) -> [UInt8]? { hash(.md5, bytes) }

  /// Returns the SHA-1 hash of bytes.
  package static func sha1(_ bytes: some Sequence<UInt8>) -> [UInt8]? { hash(.sha1, bytes) }

  /// Returns the SHA-256 hash of bytes.
  package static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8]? { hash(.sha256, bytes) }

  /// Returns the SHA-512/256 hash of bytes.
  package static func sha512_256(_ bytes: some Sequence<UInt8>) -> [UInt8]? { hash(.sha512_256, bytes) }

  /// Returns the hash of bytes.
  package static func hash(_ algorithm: HashAlgorithm, _ bytes: some Sequence<UInt8>) -> [UInt8]? {
    guard var digest = Digest(algorithm) else { return nil }
    if bytes.withContiguousStorageIfAvailable({ digest.update(UnsafeRawBufferPointer($0)) }) == nil {
      Array(bytes).withUnsafeBytes { digest.update($0) }
    }
    return digest.finish()
  }

  /// Whether the hash can be computed in this process.
  package static func isAvailable(_ algorithm: HashAlgorithm) -> Bool { Digest(algorithm) != nil }
}

/// A hash of bytes that arrive in pieces.
package struct Digest: ~Copyable {
  private let context: any HashContext
  private var isValid = true

  /// Starts a hash. Returns nil if no library in the process has the algorithm.
  package init?(_ algorithm: HashAlgorithm) {
    for library in HashLibrary.allCases {
      guard let context = library.makeContext(algorithm) else { continue }
      self.context = context
      return
    }
    return nil
  }

  /// Starts a hash with one library.
  package init?(_ algorithm: HashAlgorithm, library: HashLibrary) {
    guard let context = library.makeContext(algorithm) else { return nil }
    self.context = context
  }

  /// Adds bytes.
  package mutating func update(_ bytes: UnsafeRawBufferPointer) {
    if isValid { isValid = context.update(bytes) }
  }

  /// Returns the hash; nil if the library failed.
  package consuming func finish() -> [UInt8]? { isValid ? context.finish() : nil }
}
