import KennelStorage
import Synchronization

/// Limits the number of archives that are sent at the same time.
final class ArchiveLimit: Sendable {
  /// The right to send an archive. It ends with ``end()``, or when it is released because nothing is sent.
  final class Permit: Sendable {
    private let limit: ArchiveLimit
    private let hasEnded = Mutex(false)

    fileprivate init(_ limit: ArchiveLimit) { self.limit = limit }

    deinit { end() }

    func end() {
      let isFirst = hasEnded.withLock { hasEnded in
        defer { hasEnded = true }
        return !hasEnded
      }
      if isFirst { limit.count.withLock { $0 -= 1 } }
    }
  }

  private let maximumCount: Int
  private let count = Mutex(0)

  init(maximumCount: Int) { self.maximumCount = maximumCount }

  /// The number of permits that have not ended.
  var currentCount: Int { count.withLock { $0 } }

  /// Returns a permit.
  ///
  /// - Throws: `busy` if too many archives are being sent.
  func begin() throws(KennelError) -> Permit {
    let isFree = count.withLock { count in
      guard count < maximumCount else { return false }
      count += 1
      return true
    }
    guard isFree else {
      throw KennelError(.busy, "Too many archives are being downloaded. Try again in a moment.")
    }
    return Permit(self)
  }
}
