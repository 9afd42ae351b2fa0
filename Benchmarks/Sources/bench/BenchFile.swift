// The files that the web server serves. They are made once.
import Foundation

struct BenchFile {
  let name: String
  let size: Int
  private let block: [UInt8]

  static let all = [small, large, lines]
  static let small = BenchFile(name: "1k.bin", size: 1 << 10, block: noise(1 << 10))
  static let large = BenchFile(name: "1g.bin", size: 1 << 30, block: noise(1 << 20))
  /// 512 MiB of lines with 99 characters and a line feed.
  static let lines = BenchFile(
    name: "lines.txt", size: (512 << 20) / 100 * 100, block: (0..<10_000).flatMap(line))

  func make(in folder: URL) throws {
    let file = folder.appending(path: name)
    let present = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? NSNumber
    guard present?.intValue != size else { return }
    warn("bench: making \(name)")
    guard let stream = fopen(file.path, "w") else { throw Problem("could not write \(file.path)") }
    var left = size
    while left > 0 {
      let count = min(left, block.count)
      guard fwrite(block, 1, count, stream) == count else { break }
      left -= count
    }
    guard fclose(stream) == 0, left == 0 else {
      throw Problem("could not write \(file.path). Check the free disk space")
    }
  }

  private static func noise(_ count: Int) -> [UInt8] {
    var state: UInt64 = 0x9e37_79b9_7f4a_7c15
    return (0..<count).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
  }

  private static func line(_ number: Int) -> [UInt8] {
    let text = Array(
      "\(number) the quick brown fox jumps over the lazy dog and fetches what it was sent for; ".utf8)
    return (0..<99).map { text[$0 % text.count] } + [UInt8(ascii: "\n")]
  }
}
