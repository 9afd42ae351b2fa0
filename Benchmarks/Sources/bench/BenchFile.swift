// The files that the web server serves. They are made once.
import Foundation

struct BenchFile {
  let name: String
  let size: Int
  private let block: [UInt8]

  static let all = [tiny, small, medium, shortList, longList, large, lines]
  static let tiny = BenchFile(name: "100.bin", size: 100, block: noise(100))
  static let small = BenchFile(name: "1k.bin", size: 1 << 10, block: noise(1 << 10))
  static let medium = BenchFile(name: "100k.bin", size: 100 << 10, block: noise(100 << 10))
  /// About 4 KiB of JSON.
  static let shortList = BenchFile(name: "dogs.json", content: DogList.json(40))
  /// About 64 KiB of JSON.
  static let longList = BenchFile(name: "many-dogs.json", content: DogList.json(616))
  static let large = BenchFile(name: "1g.bin", size: 1 << 30, block: noise(1 << 20))
  /// 512 MiB of lines with 99 characters and a line feed.
  static let lines = BenchFile(
    name: "lines.txt", size: (512 << 20) / 100 * 100, block: (0..<10_000).flatMap(line))

  private init(name: String, size: Int, block: [UInt8]) {
    self.name = name
    self.size = size
    self.block = block
  }

  private init(name: String, content: [UInt8]) { self.init(name: name, size: content.count, block: content) }

  /// Returns the size of the body that a client gets for a page; nil if it is not one of the files.
  static func decodedSize(of page: String) -> Int? {
    all.first { $0.name == page }?.size ?? CompressedFile.all.first { $0.name == page }?.original.size
  }

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
