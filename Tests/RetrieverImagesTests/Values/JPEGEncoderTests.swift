import Foundation
import Testing

@testable import RetrieverImages

@Suite struct JPEGEncoderTests {
  /// The quantization tables of a JPEG, each in rows of eight.
  private static func tables(of jpeg: Data) -> [[Int]] {
    // The order in a file: from corner to corner in diagonals of alternating direction.
    let order = (0..<64).sorted { left, right in
      let (one, other) = (left / 8 + left % 8, right / 8 + right % 8)
      guard one == other else { return one < other }
      return one.isMultiple(of: 2) ? left > right : left < right
    }
    let bytes = [UInt8](jpeg)
    var tables: [[Int]] = []
    var place = 2
    while place + 4 <= bytes.count, bytes[place + 1] != 0xDA {
      let length = Int(bytes[place + 2]) << 8 | Int(bytes[place + 3])
      if bytes[place + 1] == 0xDB {
        for start in stride(from: place + 4, to: place + 2 + length, by: 65) {
          var table = [Int](repeating: 0, count: 64)
          for (index, target) in order.enumerated() { table[target] = Int(bytes[start + 1 + index]) }
          tables.append(table)
        }
      }
      place += 2 + length
    }
    return tables
  }

  private static func expected(_ quality: Int, _ value: (_ frequency: Double) -> Double) -> [Int] {
    let percent = quality < 50 ? 5_000 / quality : 200 - 2 * quality
    return (0..<64).map { index in
      let frequency = Double(index / 8 * (index / 8) + index % 8 * (index % 8)).squareRoot() / 7
      return min(max((Int(value(frequency).rounded()) * percent + 50) / 100, 1), 255)
    }
  }

  @Test(arguments: [10, 50, 80, 89], [false, true])
  func `below 90, the quantization tables are flat`(quality: Int, isProgressive: Bool) throws {
    let luminance = Self.expected(quality) { 8.6 * (1 + 6 * pow($0, 1.2)) }
    let chroma = Self.expected(quality) { 17.2 * (1 + $0) }
    for format in [RowFormat.rgb8, .rgba8, .grey8] {
      let bitmap = drawnBitmap(width: 20, height: 10, format: format)
      let jpeg = try JPEGEncoder.encode(
        bitmap, quality: Double(quality) / 100, isProgressive: isProgressive)
      #expect(Self.tables(of: jpeg) == (format == .grey8 ? [luminance] : [luminance, chroma]))
    }
  }

  @Test func `from 90 on, the quantization tables are those of the standard`() throws {
    let bitmap = drawnBitmap(width: 20, height: 10)
    let tables = Self.tables(of: try JPEGEncoder.encode(bitmap, quality: 0.9, isProgressive: false))
    // The standard's first rows for a quality of 50, divided by five.
    let (luminance, chroma) = ([3, 2, 2, 3, 5, 8, 10, 12], [3, 4, 5, 9, 20, 20, 20, 20])
    #expect(tables.map { Array($0.prefix(8)) } == [luminance, chroma])
  }
}
