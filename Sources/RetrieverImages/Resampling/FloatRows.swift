import CResampling
import Foundation

/// Memory that is zero at first, aligned for vectors, and freed with its owner.
final class AlignedStorage {
  let base: UnsafeMutableRawPointer

  init(bytes: Int) throws(ImageError) {
    var memory: UnsafeMutableRawPointer?
    guard bytes >= 0, posix_memalign(&memory, 64, max(bytes, 64)) == 0, let memory else {
      throw ImageError(.outOfMemory, "There is no memory for \(bytes) bytes of rows.")
    }
    memset(memory, 0, max(bytes, 64))
    base = memory
  }

  deinit { free(base) }
}

/// Rows of floats of one length, each with the slack that the kernels need behind it.
final class FloatRows {
  let count: Int
  private let stride: Int
  private let storage: AlignedStorage

  /// Lengths and counts are those of pixels of limited sizes: their products are far from overflowing.
  init(count: Int, length: Int, slack: Int = Int(RSP_SLACK)) throws(ImageError) {
    self.count = count
    stride = (length + slack + 15) / 16 * 16
    storage = try AlignedStorage(bytes: count * stride * MemoryLayout<Float>.stride)
  }

  /// The row of an index, which wraps around.
  subscript(index: Int) -> UnsafeMutablePointer<Float> {
    storage.base.assumingMemoryBound(to: Float.self) + index % count * stride
  }

  /// Makes a row zero, its slack included.
  func clear(_ index: Int) { memset(self[index], 0, stride * MemoryLayout<Float>.stride) }
}
