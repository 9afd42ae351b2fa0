import Foundation
import RetrieverImages
import Synchronization

/// Creates the placeholders for photos that are not loaded yet: a tiny image of the ThumbHash in the document itself.
/// It needs no further request and no script.
final class PlaceholderImages: Sendable {
  /// The recently used placeholders. When `current` is full, it becomes `previous`, and the old `previous` is
  /// discarded.
  private struct Cache {
    var current: [[UInt8]: String] = [:]
    var previous: [[UInt8]: String] = [:]
  }

  private static let capacity = 2000
  private let cache = Mutex(Cache())

  /// Returns a `data:` URL, or an empty string if the hash is not valid or the image cannot be encoded.
  ///
  /// - Throws: `CancellationError`. A page without its placeholders must not be kept.
  func address(for hash: [UInt8]) async throws(CancellationError) -> String {
    if let known = known(hash) { return known }
    var address = ""
    if let picture = ThumbHash(Data(hash)) {
      if let file = try? await picture.image.data(as: .webp(quality: 0.5)) {
        address = "data:image/webp;base64," + file.base64EncodedString()
      } else if Task.isCancelled {
        throw CancellationError()
      }
    }
    keep(address, for: hash)
    return address
  }

  private func known(_ hash: [UInt8]) -> String? {
    let (address, isOld) = cache.withLock { ($0.current[hash] ?? $0.previous[hash], $0.current[hash] == nil) }
    if let address, isOld { keep(address, for: hash) }
    return address
  }

  private func keep(_ address: String, for hash: [UInt8]) {
    cache.withLock { cache in
      if cache.current.count >= Self.capacity / 2 {
        cache.previous = cache.current
        cache.current = [:]
      }
      cache.current[hash] = address
    }
  }
}
