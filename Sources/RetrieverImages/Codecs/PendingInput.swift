import Foundation

/// Joins pieces of input for a reader that consumes what it can, and needs the rest again together with the next
/// piece.
///
/// It copies only the bytes that the reader left over, and as much of the next piece as the reader needs to get past
/// them.
final class PendingInput {
  private var storage: UnsafeMutableRawPointer?
  private var capacity = 0
  private var count = 0
  /// The number of bytes with which the reader made no progress.
  private var tried = 0
  private let limit: Int

  /// Creates pending input that holds at most `limit` bytes.
  init(limit: Int) { self.limit = limit }

  deinit { free(storage) }

  /// The bytes that the reader has not consumed.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: storage, count: count) }

  /// Passes the remaining bytes and then the piece to the reader, which returns the number of bytes it consumed.
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
      // If a long segment arrives byte by byte, the reader must not read it again from the start for each byte.
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

  /// Discards the remaining bytes.
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
      throw ImageError(.corrupt, "A segment of the image is longer than the maximum of \(limit) bytes.")
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
