import Foundation
import KennelModel
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

  private func text(_ bytes: Int64) -> String { ByteSize(bytes: bytes).words(in: words.locale) }
}

extension Quota {
  /// Describes the quota in the language of the page, such as `20 GB`, or returns nil if there is no limit.
  func text(_ words: Words) -> String? {
    if case .bytes(let bytes) = self { ByteSize(bytes: bytes).words(in: words.locale) } else { nil }
  }
}

extension QuotaUsage {
  /// Describes the usage in the language of the page, such as `1.2 GB of 20 GB`.
  func text(_ words: Words) -> String {
    words.people.usage(ByteSize(bytes: used).words(in: words.locale), quota.text(words))
  }
}

extension Words {
  fileprivate var locale: Locale { Locale(identifier: language.rawValue) }
}
