import Foundation

@testable import RetrieverImages

/// Builds uncompressed PNG files of any color type and depth.
struct PNGFixture {
  enum ColorType: Int, CaseIterable {
    case grey = 0
    case rgb = 2
    case palette = 3
    case greyAlpha = 4
    case rgba = 6

    var channels: Int { [0: 1, 2: 3, 3: 1, 4: 2, 6: 4][rawValue] ?? 1 }
    var depths: [Int] {
      switch self {
      case .grey: [1, 2, 4, 8, 16]
      case .palette: [1, 2, 4, 8]
      default: [8, 16]
      }
    }
  }

  var width = 13
  var height = 11
  var colorType = ColorType.rgb
  var depth = 8
  var isInterlaced = false
  /// Chunks before the pixels and after a palette.
  var chunks: [(name: String, data: [UInt8])] = []

  /// Returns the sample of a channel. Neighboring samples differ.
  func sample(_ x: Int, _ y: Int, _ channel: Int) -> Int {
    let value = (x * 37 + y * 91 + channel * 53) * 997
    return value & ((1 << depth) - 1)
  }

  /// Returns the palette entry at `index`.
  static func color(_ index: Int) -> [UInt8] {
    [UInt8(index * 7 & 255), UInt8(255 - index & 255), UInt8(index * 3 & 255)]
  }

  func data() -> Data {
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let flags = [UInt8(depth), UInt8(colorType.rawValue), 0, 0, isInterlaced ? 1 : 0]
    file += Self.chunk("IHDR", Self.big(width) + Self.big(height) + flags)
    let early = chunks.filter { ["iCCP", "gAMA", "cHRM", "sRGB", "cICP"].contains($0.name) }
    for chunk in early { file += Self.chunk(chunk.name, chunk.data) }
    if colorType == .palette { file += Self.chunk("PLTE", (0..<(1 << depth)).flatMap { Self.color($0) }) }
    for chunk in chunks where !early.contains(where: { $0.name == chunk.name }) {
      file += Self.chunk(chunk.name, chunk.data)
    }
    let stream = Self.deflated(raw())
    let middle = stream.count / 2
    file += Self.chunk("IDAT", Array(stream[..<middle])) + Self.chunk("IDAT", Array(stream[middle...]))
    file += Self.chunk("IEND", [])
    return Data(file)
  }

  /// Returns rows with the filters Sub, Up and None in turn.
  private func raw() -> [UInt8] {
    guard isInterlaced else { return rows(xs: Array(0..<width), ys: Array(0..<height)) }
    let passes = [
      (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2),
    ]
    return passes.flatMap { startX, startY, stepX, stepY in
      rows(
        xs: Array(stride(from: startX, to: width, by: stepX)),
        ys: Array(stride(from: startY, to: height, by: stepY)))
    }
  }

  private func rows(xs: [Int], ys: [Int]) -> [UInt8] {
    guard !xs.isEmpty else { return [] }
    let step = max(1, depth * colorType.channels / 8)
    var above = [UInt8](repeating: 0, count: (xs.count * depth * colorType.channels + 7) / 8)
    var all: [UInt8] = []
    for (index, y) in ys.enumerated() {
      let row = packed(xs: xs, y: y)
      switch index % 3 {
      case 0: all += [1] + row.indices.map { row[$0] &- ($0 >= step ? row[$0 - step] : 0) }
      case 1: all += [2] + row.indices.map { row[$0] &- above[$0] }
      default: all += [0] + row
      }
      above = row
    }
    return all
  }

  private func packed(xs: [Int], y: Int) -> [UInt8] {
    var bits = 0
    var held = 0
    var bytes: [UInt8] = []
    for x in xs {
      for channel in 0..<colorType.channels {
        held = held << depth | sample(x, y, channel)
        bits += depth
        while bits >= 8 {
          bits -= 8
          bytes.append(UInt8(held >> bits & 255))
        }
        held &= (1 << bits) - 1
      }
    }
    if bits > 0 { bytes.append(UInt8(held << (8 - bits) & 255)) }
    return bytes
  }

  static func big(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  static func chunk(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + data
    return big(data.count) + body + big(Int(checksum(body)))
  }

  /// Returns a zlib stream of stored (uncompressed) blocks.
  static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var stream: [UInt8] = [0x78, 0x01]
    var offset = 0
    repeat {
      let count = min(65_535, bytes.count - offset)
      let isLast: UInt8 = offset + count == bytes.count ? 1 : 0
      let low = UInt8(count & 255)
      let high = UInt8(count >> 8)
      stream += [isLast, low, high, ~low, ~high] + bytes[offset..<offset + count]
      offset += count
    } while offset < bytes.count
    var one = 1
    var two = 0
    for byte in bytes {
      one = (one + Int(byte)) % 65_521
      two = (two + one) % 65_521
    }
    return stream + big(two << 16 | one)
  }

  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
  }
}
