/// Memory through which a file's bytes go; freed with its owner.
final class FileBuffer {
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

  deinit { memory.deallocate() }

  /// Room for so many bytes, or for as many as there is.
  func first(_ count: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: memory[..<min(count, memory.count)])
  }

  /// The bytes that were read into it.
  func bytes(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(first(count)) }
}
