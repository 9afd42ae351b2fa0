/// A buffer for reading and writing files. It is freed with its owner.
final class FileBuffer {
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

  deinit { memory.deallocate() }

  /// Returns room for `count` bytes, or the complete buffer if it is smaller.
  func first(_ count: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[..<min(count, memory.count)])
  }

  /// Returns the first `count` bytes that were read into the buffer.
  func bytes(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(first(count)) }
}
