import Foundation
import KennelStorage

/// What the photos of a kennel take of the disk, and what is left.
struct StorageUsage {
  let photoBytes: Int64
  let disk: FileCalls.Space?
  let words: Words

  /// Below this, the page warns.
  private static let littleSpace: Int64 = 2_000_000_000

  var html: HTML {
    """
    <section class="card" aria-labelledby="storage-title">
    <h2 id="storage-title">\(words.people.storage)</h2>
    <p>\(words.people.photosUse(text(photoBytes))) \(free)</p>
    </section>
    """
  }

  private var free: HTML? {
    guard let disk else { return nil }
    let advice = disk.free < Self.littleSpace ? words.people.littleSpace : ""
    return "\(words.people.freeSpace(text(disk.free), text(disk.total)))\(advice)"
  }

  private func text(_ bytes: Int64) -> String {
    max(bytes, 0).formatted(
      .byteCount(style: .decimal, spellsOutZero: false).locale(Locale(identifier: words.language.rawValue)))
  }
}
