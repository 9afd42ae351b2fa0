import CResampling
import Foundation

/// Memory that is zero at first, is aligned for vectors, and is freed with its owner.
final class AlignedStorage {
  let base: UnsafeMutableRawPointer

  init(bytes: Int) throws(ImageError) {
    var memory: UnsafeMutableRawPointer?
    guard bytes >= 0, posix_memalign(&memory, 64, max(bytes, 64)) == 0, let memory else {
      throw ImageError(.outOfMemory, "Could not allocate \(bytes) bytes of memory for rows.")
    }
    memset(memory, 0, max(bytes, 64))
    base = memory
  }

  deinit { free(base) }
}

/// Rows of floats of equal length, each followed by the extra floats that the kernels need.
final class FloatRows {
  let count: Int
  private let stride: Int
  private let storage: AlignedStorage

  /// Creates rows. The lengths and counts come from limited image sizes, so their products cannot overflow.
  init(count: Int, length: Int, slack: Int = Int(RSP_SLACK)) throws(ImageError) {
    self.count = count
    stride = (length + slack + 15) / 16 * 16
    storage = try AlignedStorage(bytes: count * stride * MemoryLayout<Float>.stride)
  }

  /// The row at an index, which wraps around.
  subscript(index: Int) -> UnsafeMutablePointer<Float> {
    storage.base.assumingMemoryBound(to: Float.self) + index % count * stride
  }

  /// Sets a row to zero, including the extra floats after it.
  func clear(_ index: Int) { memset(self[index], 0, stride * MemoryLayout<Float>.stride) }
}
