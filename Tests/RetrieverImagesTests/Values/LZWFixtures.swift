import Foundation

@testable import RetrieverImages

/// Compresses the pixels of GIFs with LZW, in all the ways that encoders use.
enum LZWFixture {
  /// What an encoder does when its table is full.
  enum FullTable: CaseIterable {
    case clear
    /// It goes on with the same codes.
    case keep
  }

  static func codes(
    _ indices: [UInt8], codeSize: Int, whenFull: FullTable = .clear, startsWithClear: Bool = true,
    hasEnd: Bool = true
  ) -> [UInt8] {
    let clear = 1 << codeSize
    var output = BitOutput()
    var table: [Int: Int] = [:]
    var next = clear + 2
    var size = codeSize + 1
    func reset() {
      table = [:]
      next = clear + 2
      size = codeSize + 1
    }
    if startsWithClear { output.append(clear, size) }
    var string = Int(indices[0])
    for index in indices.dropFirst() {
      if let longer = table[string << 8 | Int(index)] {
        string = longer
        continue
      }
      output.append(string, size)
      if next < 4_096 {
        table[string << 8 | Int(index)] = next
        // The decoder adds this code one step later.
        if next == 1 << size, size < 12 { size += 1 }
        next += 1
      } else if whenFull == .clear {
        output.append(clear, size)
        reset()
      }
      string = Int(index)
    }
    output.append(string, size)
    if next < 4_096, next == 1 << size, size < 12 { size += 1 }
    if hasEnd { output.append(clear + 1, size) }
    return output.finished()
  }

  /// Returns a GIF with one frame and 256 shades of gray.
  static func file(
    _ indices: [UInt8], width: Int, codeSize: Int, codes: [UInt8]? = nil, hasTrailer: Bool = true
  ) -> Data {
    let codes = codes ?? self.codes(indices, codeSize: codeSize)
    let height = indices.count / width
    let size = [width, height].flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    var file = Array("GIF89a".utf8) + size + [0xF7, 0, 0]
    file += (0..<256).flatMap { [UInt8($0), UInt8($0), UInt8($0)] }
    file += [0x2C, 0, 0, 0, 0] + size + [0, UInt8(codeSize)]
    for start in stride(from: 0, to: codes.count, by: 255) {
      let block = codes[start..<min(start + 255, codes.count)]
      file += [UInt8(block.count)] + block
    }
    return Data(file + [0] + (hasTrailer ? [0x3B] : []))
  }

  /// Returns repeated patterns and noise, which fill the table.
  static func noise(_ count: Int, colors: Int = 256) -> [UInt8] {
    var random = SeededGenerator(seed: UInt64(count))
    return (0..<count).map { index in
      index / 37 % 3 == 0 ? UInt8(index / 5 % colors) : UInt8(Int.random(in: 0..<colors, using: &random))
    }
  }

  private struct BitOutput {
    private var bytes: [UInt8] = []
    private var bits = 0
    private var count = 0

    mutating func append(_ code: Int, _ size: Int) {
      bits |= code << count
      count += size
      while count >= 8 {
        bytes.append(UInt8(bits & 255))
        bits >>= 8
        count -= 8
      }
    }

    func finished() -> [UInt8] { count > 0 ? bytes + [UInt8(bits)] : bytes }
  }
}
