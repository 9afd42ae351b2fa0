extension Bitmap {
  /// Returns the pixels with the orientation applied.
  func upright(from orientation: ImageOrientation) -> Bitmap {
    if orientation == .up { return self }
    let bytesPerPixel = format.bytesPerPixel
    let result = orientation.isTransposed ? size.transposed : size
    // The stored index of the upright image's first pixel, and the distances to its neighbors.
    let (width, height) = (size.width, size.height)
    let (first, right, down): (Int, Int, Int) =
      switch orientation {
      case .up: (0, 1, width)
      case .upMirrored: (width - 1, -1, width)
      case .down: (width * height - 1, -1, -width)
      case .downMirrored: (width * (height - 1), 1, -width)
      case .leftMirrored: (0, width, 1)
      case .right: (width * (height - 1), -width, 1)
      case .rightMirrored: (width * height - 1, -width, -1)
      case .left: (width - 1, width, -1)
      }
    let turned = [UInt8](unsafeUninitializedCapacity: pixels.count) { buffer, count in
      pixels.withUnsafeBufferPointer { stored in
        var written = 0
        for y in 0..<result.height {
          var index = first + y * down
          for _ in 0..<result.width {
            for sample in 0..<bytesPerPixel {
              buffer[written] = stored[index * bytesPerPixel + sample]
              written += 1
            }
            index += right
          }
        }
        count = written
      }
    }
    return Bitmap(size: result, format: format, pixels: turned)
  }
}
