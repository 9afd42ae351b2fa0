import Foundation

extension Data {
  /// Returns bytes in which no sequence of eight or more bytes repeats, so that a lost or moved piece is detected.
  public static func pattern(count: Int) -> Data {
    var words = [UInt64]()
    words.reserveCapacity(count / 8 + 1)
    for index in 0...UInt64(count / 8) { words.append(index &* 0x9E37_79B9_7F4A_7C15 &+ 1) }
    return words.withUnsafeBytes { Data($0.prefix(count)) }
  }
}
