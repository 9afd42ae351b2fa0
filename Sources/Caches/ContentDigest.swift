/// Detects bytes that were damaged on disk. It does not protect against deliberate changes.
///
/// A digest processes eight bytes at a time, in pieces of any size.
public struct ContentDigest: Sendable {
  private var state: UInt64 = 0xCBF2_9CE4_8422_2325
  private var carry: UInt64 = 0
  private var carried = 0
  /// The number of bytes.
  public private(set) var count = 0

  /// Creates the digest of no bytes.
  public init() {}

  /// Adds bytes.
  public mutating func update(_ bytes: UnsafeRawBufferPointer) {
    count &+= bytes.count
    var position = 0
    while position < bytes.count, carried > 0 {
      push(bytes[position])
      position += 1
    }
    while position &+ 8 <= bytes.count {
      mix(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)))
      position &+= 8
    }
    while position < bytes.count {
      push(bytes[position])
      position += 1
    }
  }

  /// The digest of all bytes so far.
  public var value: UInt64 {
    var last = self
    last.mix(carry)
    last.mix(UInt64(truncatingIfNeeded: count))
    return last.state
  }

  private mutating func push(_ byte: UInt8) {
    carry |= UInt64(byte) << UInt64(8 &* carried)
    carried &+= 1
    if carried == 8 {
      mix(carry)
      carry = 0
      carried = 0
    }
  }

  private mutating func mix(_ word: UInt64) {
    state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
    state ^= state >> 29
  }
}

/// Names of cache files.
public enum FileNameHash {
  /// Returns a 128-bit FNV-1a hash as 32 hexadecimal digits.
  ///
  /// Two texts may have the same hash. A cache compares the text that is stored in the file.
  public static func hexadecimal(_ text: some StringProtocol) -> String { hexadecimal(hash(text)) }

  /// Returns a 128-bit FNV-1a hash.
  public static func hash(_ text: some StringProtocol) -> UInt128 {
    var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
    for byte in text.utf8 {
      hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
    }
    return hash
  }

  /// Returns a hash as 32 hexadecimal digits.
  public static func hexadecimal(_ hash: UInt128) -> String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }
}
