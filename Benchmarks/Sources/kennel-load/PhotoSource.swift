import Foundation
import RetrieverImages
import TerminalProgram
import TestSupport

/// Photos to upload: a few drawn pictures. Each upload is another file, because of a number in a JPEG comment.
struct PhotoSource: Sendable {
  private static let pictures: UInt64 = 4
  private let files: [Data]
  private let run = UInt64.random(in: 0...UInt64.max)

  init(seed: UInt64) throws {
    files = try (0..<Self.pictures).map { number in
      let picture = Scene(seed: seed &+ number).picture(width: 640, height: 480)
      let image = UIImage(width: picture.width, height: picture.height, samples: picture.bytes)
      guard let data = image?.jpegData(compressionQuality: 0.85) else {
        throw Failure(.failure, "Could not draw a photo.")
      }
      return data
    }
  }

  /// Returns the photo of an action. It differs from all others, also from those of earlier loads.
  func photo(person: Int, action: Int) -> Data {
    let file = files[(person &+ action) % files.count]
    let text = Data("\(run) \(person) \(action)".utf8)
    let comment = Data([0xff, 0xfe, 0, UInt8(clamping: text.count + 2)]) + text
    return file.prefix(2) + comment + file.dropFirst(2)
  }
}
