import Foundation

/// The bytes of requests and responses: lines of text that identify one load, so that a body from another load is
/// detected.
enum Content {
  private static let lineLength = 64

  /// Created once. Each body consists of its own first line and a prefix of this block.
  private static let block: [UInt8] = {
    var bytes: [UInt8] = []
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    for line in 0..<(1_100_000 / lineLength) {
      var number = UInt64(line) &* 0x9E37_79B9_7F4A_7C15 &+ 1
      for _ in 1..<lineLength {
        bytes.append(letters[Int(number >> 33) % letters.count])
        number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      }
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }()

  /// Returns a body of `size` bytes for a load.
  static func bytes(_ number: Int, _ size: Int) -> Data {
    var data = Data("load \(number)\n".utf8.prefix(size))
    let rest = size - data.count
    if rest > 0 { block.withUnsafeBytes { data.append(contentsOf: $0.prefix(rest)) } }
    return data
  }
}
