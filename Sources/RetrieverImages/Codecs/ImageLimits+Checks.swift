extension ImageLimits {
  /// Refuses a size as a header states it.
  func check(_ size: PixelSize) throws(ImageError) {
    let stated = "The image is \(size.width) by \(size.height) pixels"
    guard size.width > 0, size.height > 0 else {
      throw ImageError(.corrupt, "\(stated).")
    }
    guard size.width <= dimension, size.height <= dimension else {
      throw ImageError(.tooLarge, "\(stated); at most \(dimension) in each direction are allowed.")
    }
    guard size.pixelCount <= pixels else {
      throw ImageError(.tooLarge, "\(stated); at most \(pixels) pixels are allowed.")
    }
  }

  /// Refuses what a decoder would have to hold at once.
  func checkMemory(_ needed: UInt64) throws(ImageError) {
    guard needed <= UInt64(clamping: memory) else {
      throw ImageError(
        .tooLarge, "Reading the image takes \(needed) bytes of memory; at most \(memory) are allowed.")
    }
  }

  /// Refuses pixels that would have to be held all at once.
  func checkMemory(of size: PixelSize, bytesPerPixel: Int) throws(ImageError) {
    let (bytes, overflows) = size.pixelCount.multipliedReportingOverflow(by: bytesPerPixel)
    try checkMemory(overflows ? .max : UInt64(bytes))
  }

  /// Refuses an animation as soon as it has shown too many frames.
  func checkFrames(_ count: Int) throws(ImageError) {
    guard count <= frames else {
      throw ImageError(.tooLarge, "The image has \(count) frames or more; at most \(frames) are allowed.")
    }
  }

  /// Adds to the bytes that were fed and refuses too many.
  func count(_ bytes: UnsafeRawBufferPointer, into total: inout Int) throws(ImageError) {
    let (sum, overflows) = total.addingReportingOverflow(bytes.count)
    total = overflows ? .max : sum
    guard total <= self.bytes else {
      throw ImageError(.tooLarge, "The image has more than \(self.bytes) bytes, which is what is allowed.")
    }
  }
}
