import Foundation

/// A picture of the reference set that `scripts/setup test` creates, and its expected thumbnail.
struct ReferencePicture: Decodable, Sendable, CustomStringConvertible {
  let file: String
  /// The thumbnail should fit into a square of this many pixels.
  let box: Int
  let width: Int
  let height: Int
  let channels: Int
  let reference: String
  /// The maximum differences from the reference in units of 1/255: the mean, and that of any sample.
  let mean: Double
  let largest: Int

  var description: String { file }

  /// Empty if the set has not been created.
  static let all: [ReferencePicture] = {
    guard let manifest = try? Data(contentsOf: folder.appending(path: "manifest.json")) else { return [] }
    return (try? JSONDecoder().decode([ReferencePicture].self, from: manifest)) ?? []
  }()

  static let folder: URL = {
    var root = URL(filePath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root.appending(path: "build/pictures", directoryHint: .isDirectory)
  }()

  func data() throws -> Data { try Data(contentsOf: Self.folder.appending(path: file)) }

  /// Returns the mean and the largest difference of samples from the reference. Colors are weighted by their opacity;
  /// a reference without alpha is opaque.
  func difference(from samples: [UInt8], hasAlpha: Bool) throws -> (mean: Double, largest: Int) {
    let expected = [UInt8](try Data(contentsOf: Self.folder.appending(path: reference)))
    let first = Self.premultiplied(expected, channels: channels)
    let second = Self.premultiplied(samples, channels: hasAlpha ? 4 : 3)
    guard first.count == second.count, !first.isEmpty else { return (.infinity, .max) }
    var (sum, largest) = (0, 0)
    for (one, other) in zip(first, second) {
      sum += abs(one - other)
      largest = max(largest, abs(one - other))
    }
    return (Double(sum) / Double(width * height * channels), largest)
  }

  /// Returns the samples of complete pixels with their colors multiplied by their opacity.
  static func premultiplied(_ samples: [UInt8], channels: Int) -> [Int] {
    var result: [Int] = []
    for start in stride(from: 0, to: samples.count - channels + 1, by: channels) {
      let alpha = channels == 4 ? Int(samples[start + 3]) : 255
      for color in samples[start..<start + 3] {
        let product = Int(color) * alpha
        result.append((product + 127) / 255)
      }
      result.append(alpha)
    }
    return result
  }
}
