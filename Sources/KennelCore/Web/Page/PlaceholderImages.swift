import Foundation
import RetrieverImages
import Synchronization

/// Makes what stands in a photo's place until it is there: a tiny picture of its ThumbHash within the document itself, so
/// that nothing more is asked for and no script is needed.
final class PlaceholderImages: Sendable {
  /// The ones used of late. When `current` is full it becomes `previous`, and what nobody asked for is forgotten.
  private struct Kept {
    var current: [[UInt8]: String] = [:]
    var previous: [[UInt8]: String] = [:]
  }

  private static let capacity = 2000
  private let kept = Mutex(Kept())

  /// A `data:` URL; empty when the hash is none.
  func address(for hash: [UInt8]) async -> String {
    if let known = known(hash) { return known }
    guard let picture = ThumbHash(Data(hash)),
      let file = try? await picture.image.data(as: .webp(quality: 0.5))
    else { return "" }
    let address = "data:image/webp;base64," + file.base64EncodedString()
    keep(address, for: hash)
    return address
  }

  private func known(_ hash: [UInt8]) -> String? {
    let (address, isOld) = kept.withLock { ($0.current[hash] ?? $0.previous[hash], $0.current[hash] == nil) }
    if let address, isOld { keep(address, for: hash) }
    return address
  }

  private func keep(_ address: String, for hash: [UInt8]) {
    kept.withLock { kept in
      if kept.current.count >= Self.capacity / 2 {
        kept.previous = kept.current
        kept.current = [:]
      }
      kept.current[hash] = address
    }
  }
}
