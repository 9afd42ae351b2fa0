/// Copies pixels whose size does not change, without converting them to linear light.
final class CopyingStage {
  private let format: RowFormat
  private let output: RowLayout
  private let row: AlignedStorage

  init(source: RowFormat, output: RowLayout) throws(ImageError) {
    format = source
    self.output = output
    row = try AlignedStorage(bytes: output.bytesPerRow)
  }

  func push(
    _ pixels: UnsafeRawPointer, emit: (UnsafeRawBufferPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    let samples = output.size.width * format.channels
    let out = row.base.assumingMemoryBound(to: UInt8.self)
    switch format {
    case .rgb8, .rgba8, .cmyk8:
      row.base.copyMemory(from: pixels, byteCount: samples)
    case .grey8:
      for index in 0..<samples {
        let value = pixels.load(fromByteOffset: index, as: UInt8.self)
        for channel in 0..<3 { out[index * 3 + channel] = value }
      }
    case .rgb16, .rgba16:
      for index in 0..<samples { out[index] = Self.sample(pixels, index) }
    case .grey16:
      for index in 0..<samples {
        let value = Self.sample(pixels, index)
        for channel in 0..<3 { out[index * 3 + channel] = value }
      }
    }
    try emit(UnsafeRawBufferPointer(start: row.base, count: output.bytesPerRow))
  }

  /// Returns the nearest 8-bit sample of a 16-bit sample.
  private static func sample(_ pixels: UnsafeRawPointer, _ index: Int) -> UInt8 {
    let value = UInt32(pixels.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
    return UInt8(truncatingIfNeeded: (value * 255 + 32_767) / 65_535)
  }
}
