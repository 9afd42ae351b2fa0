import Foundation

/// Builds GIF files whose LZW codes all have 8 bits: a clear code comes before they would become longer.
struct GIFFixture {
  var screenWidth = 20
  var screenHeight = 16
  var left = 0
  var top = 0
  var width = 20
  var height = 16
  var isInterlaced = false
  var transparent: Int?
  var frameCount = 1

  static func color(_ index: Int) -> [UInt8] { [UInt8(index * 2), UInt8(255 - index), UInt8(index ^ 0x55)] }

  func index(_ x: Int, _ y: Int) -> Int { (x * 5 + y * 11) % 128 }

  func data() -> Data {
    var file = Array("GIF89a".utf8) + Self.word(screenWidth) + Self.word(screenHeight) + [0x86, 0, 0]
    file += (0..<128).flatMap { Self.color($0) }
    file += [0x21, 0xFE, 3] + Array("Hi!".utf8) + [0]
    for _ in 0..<frameCount { file += frame() }
    return Data(file + [0x3B])
  }

  private func frame() -> [UInt8] {
    let control: [UInt8] = [0x21, 0xF9, 4, transparent == nil ? 0 : 1, 5, 0, UInt8(transparent ?? 0), 0]
    let place = Self.word(left) + Self.word(top) + Self.word(width) + Self.word(height)
    let flags: UInt8 = isInterlaced ? 0x40 : 0
    let order =
      isInterlaced
      ? [(0, 8), (4, 8), (2, 4), (1, 2)].flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) }
      : Array(0..<height)
    let indices = order.flatMap { y in (0..<width).map { UInt8(index($0, y)) } }
    var codes: [UInt8] = []
    for (position, index) in indices.enumerated() {
      if position.isMultiple(of: 120) { codes.append(0x80) }
      codes.append(index)
    }
    codes.append(0x81)
    var blocks: [UInt8] = []
    for start in stride(from: 0, to: codes.count, by: 100) {
      let block = codes[start..<min(start + 100, codes.count)]
      blocks += [UInt8(block.count)] + block
    }
    return control + [0x2C] + place + [flags, 7] + blocks + [0]
  }

  private static func word(_ value: Int) -> [UInt8] { [UInt8(value & 255), UInt8(value >> 8)] }
}
