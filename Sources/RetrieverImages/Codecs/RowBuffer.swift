import Foundation

/// Memory for rows that a library fills and a consumer reads.
final class RowBuffer {
  let base: UnsafeMutableRawPointer
  let bytesPerRow: Int
  let rows: Int

  /// Allocates memory that is zero. Throws if there is none, instead of ending the process.
  init(rows: Int, bytesPerRow: Int) throws(ImageError) {
    let (bytes, overflows) = rows.multipliedReportingOverflow(by: bytesPerRow)
    guard !overflows, bytes >= 0, let base = calloc(1, max(bytes, 1)) else {
      throw .noMemory(bytes: overflows ? .max : bytes)
    }
    self.base = base
    self.bytesPerRow = bytesPerRow
    self.rows = rows
  }

  deinit { free(base) }

  subscript(row: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: base + row * bytesPerRow, count: bytesPerRow)
  }
}
