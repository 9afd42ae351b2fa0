import KennelModel
import KennelStorage

/// What the photos of a kennel take of the disk, and what is left.
struct StorageUsage {
  let photoBytes: Int64
  let disk: FileCalls.Space?

  /// Below this, the page warns.
  private static let littleSpace: Int64 = 2_000_000_000

  var html: HTML {
    """
    <section class="card" aria-labelledby="storage-title">
    <h2 id="storage-title">Storage</h2>
    <p>The photos use \(Self.text(photoBytes)). \(free)</p>
    </section>
    """
  }

  private var free: HTML? {
    guard let disk else { return nil }
    let advice: HTML? =
      disk.free < Self.littleSpace
      ? " Free some disk space soon. When the disk is full, nobody can share photos." : nil
    return "\(Self.text(disk.free)) of \(Self.text(disk.total)) are free on the disk.\(advice)"
  }

  private static func text(_ bytes: Int64) -> String {
    ByteSize(bytes: bytes).words
  }
}
