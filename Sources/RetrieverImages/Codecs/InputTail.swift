import Foundation

/// Joins pieces of input for a reader that takes what it can and wants the rest again with what follows.
///
/// Nothing is copied but what the reader left, and as much of the next piece as it takes to get past that.
final class InputTail {
  private var storage: UnsafeMutableRawPointer?
  private var capacity = 0
  private var count = 0
  /// The reader got no further with this many bytes.
  private var tried = 0
  private let limit: Int

  /// A tail that holds at most `limit` bytes.
  init(limit: Int) { self.limit = limit }

  deinit { free(storage) }

  /// What the reader has not taken.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: storage, count: count) }

  /// Gives the reader what it left and then the piece; the reader answers how many bytes it took.
  func feed(
    _ piece: UnsafeRawBufferPointer, to reader: (UnsafeRawBufferPointer) throws(ImageError) -> Int
  ) throws(ImageError) {
    var offset = 0
    while offset < piece.count {
      if count == 0 {
        let rest = UnsafeRawBufferPointer(rebasing: piece[offset...])
        let taken = min(try reader(rest), rest.count)
        try keep(UnsafeRawBufferPointer(rebasing: rest[taken...]))
        tried = count
        return
      }
      let before = count
      let more = min(max(4_096, before), piece.count - offset)
      try keep(UnsafeRawBufferPointer(rebasing: piece[offset..<offset + more]))
      // A long segment that comes byte by byte must not be read again from its start for each of them.
      guard count < 4_096 || count - tried > tried / 8 else {
        offset += more
        continue
      }
      let taken = min(try reader(bytes), count)
      tried = taken == 0 ? count : 0
      if taken >= before {
        offset += taken - before
        count = 0
      } else {
        offset += more
        drop(taken)
      }
    }
  }

  /// Forgets what the reader left.
  func clear() { count = 0 }

  private func drop(_ taken: Int) {
    guard taken > 0, let storage else { return }
    count -= taken
    memmove(storage, storage + taken, count)
  }

  private func keep(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    let (needed, overflows) = count.addingReportingOverflow(bytes.count)
    guard !overflows, needed <= limit else {
      throw ImageError(.corrupt, "A part of the image is longer than \(limit) bytes.")
    }
    if needed > capacity {
      let wanted = min(limit, max(needed, capacity &* 2, 4_096))
      guard let grown = realloc(storage, wanted) else { throw .noMemory(bytes: wanted) }
      storage = grown
      capacity = wanted
    }
    guard let storage else { return }
    memcpy(storage + count, base, bytes.count)
    count = needed
  }
}
