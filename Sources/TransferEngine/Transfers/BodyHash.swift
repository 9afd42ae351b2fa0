/// A hash of a body, computed while the body arrives.
///
/// `@unchecked Sendable`: only the holder of the loop's lock uses it.
final class BodyHash: @unchecked Sendable {
  let algorithm: HashAlgorithm
  private var digest: Digest?

  /// Returns nil if the algorithm is not available.
  init?(_ algorithm: HashAlgorithm) {
    guard let digest = Digest(algorithm) else { return nil }
    self.algorithm = algorithm
    self.digest = consume digest
  }

  func update(_ bytes: UnsafeRawBufferPointer) { digest?.update(bytes) }

  /// Returns the hash, once.
  func finish() -> [UInt8]? { digest.take()?.finish() }
}
