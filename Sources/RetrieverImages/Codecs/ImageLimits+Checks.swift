extension ImageLimits {
  /// Throws if the size in a header exceeds the limits.
  func check(_ size: PixelSize) throws(ImageError) {
    let stated = "The image is \(size.width) by \(size.height) pixels"
    guard size.width > 0, size.height > 0 else {
      throw ImageError(.corrupt, "\(stated).")
    }
    guard size.width <= dimension, size.height <= dimension else {
      throw ImageError(.tooLarge, "\(stated); the maximum is \(dimension) in each direction.")
    }
    guard size.pixelCount <= pixels else {
      throw ImageError(.tooLarge, "\(stated); the maximum is \(pixels) pixels.")
    }
  }

  /// Throws if the memory that a decoder needs at the same time exceeds the limit.
  func checkMemory(_ needed: UInt64) throws(ImageError) {
    guard needed <= UInt64(clamping: memory) else {
      throw ImageError(
        .tooLarge, "Decoding the image needs \(needed) bytes of memory; the maximum is \(memory).")
    }
  }

  /// Throws if the memory for all pixels of an image exceeds the limit.
  func checkMemory(of size: PixelSize, bytesPerPixel: Int) throws(ImageError) {
    let (bytes, overflows) = size.pixelCount.multipliedReportingOverflow(by: bytesPerPixel)
    try checkMemory(overflows ? .max : UInt64(bytes))
  }

  /// Throws as soon as an animation has too many frames.
  func checkFrames(_ count: Int) throws(ImageError) {
    guard count <= frames else {
      throw ImageError(.tooLarge, "The image has at least \(count) frames; the maximum is \(frames).")
    }
  }

  /// Adds to the number of bytes read so far, and throws if there are too many.
  func count(_ bytes: UnsafeRawBufferPointer, into total: inout Int) throws(ImageError) {
    let (sum, overflows) = total.addingReportingOverflow(bytes.count)
    total = overflows ? .max : sum
    guard total <= self.bytes else {
      throw ImageError(.tooLarge, "The image is larger than the maximum of \(self.bytes) bytes.")
    }
  }
}
