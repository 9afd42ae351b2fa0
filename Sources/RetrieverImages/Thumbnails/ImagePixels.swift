/// The pixels of an image: sRGB with 8 bits per sample, upright, from the top row down. *Beyond Apple's API.*
public struct ImagePixels: Sendable, Equatable {
  /// A pixel with straight (not premultiplied) alpha.
  public struct Pixel: Sendable, Hashable {
    /// The amount of red.
    public var red: UInt8
    /// The amount of green.
    public var green: UInt8
    /// The amount of blue.
    public var blue: UInt8
    /// The opacity; 255 is opaque.
    public var alpha: UInt8

    /// Creates a pixel, which is opaque by default.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }
  }

  /// The number of pixels in a row.
  public var width: Int { bitmap.size.width }
  /// The number of rows.
  public var height: Int { bitmap.size.height }
  /// Whether any pixel may be transparent.
  public var hasAlpha: Bool { bitmap.format.hasAlpha }
  /// The samples without padding: red, green, blue, and alpha if there is any.
  public var samples: [UInt8] { bitmap.pixels }

  let bitmap: Bitmap

  /// The pixel at a column and row, counted from the top left; nil outside the image.
  public subscript(column: Int, row: Int) -> Pixel? {
    guard 0..<width ~= column, 0..<height ~= row else { return nil }
    let start = (row * width + column) * bitmap.format.bytesPerPixel
    return bitmap.pixels.withUnsafeBufferPointer { samples in
      Pixel(
        red: samples[start], green: samples[start + 1], blue: samples[start + 2],
        alpha: hasAlpha ? samples[start + 3] : 255)
    }
  }
}

extension UIImage {
  /// Returns the pixels of the image at its full size. *Beyond Apple's API.*
  ///
  /// The library decodes the image on its own threads, and again for each call unless the image is already decoded.
  ///
  /// - Parameter policy: Whether damage is an error, or the missing pixels are transparent (default: an error).
  /// - Throws: ``ImageError``
  public func pixels(damage policy: DamagePolicy = .strict) async throws -> ImagePixels {
    try await WorkPool.shared.run { (flag) throws(ImageError) in
      ImagePixels(bitmap: try self.bitmap(policy: policy, flag: flag))
    }
  }

  /// Creates an image from pixels. Returns nil unless there are exactly `width` times `height` pixels.
  public convenience init?(width: Int, height: Int, pixels: [ImagePixels.Pixel]) {
    let size = PixelSize(width: width, height: height)
    guard width > 0, height > 0, size.pixelCount == pixels.count else { return nil }
    let isOpaque = pixels.allSatisfy { $0.alpha == 255 }
    var samples: [UInt8] = []
    samples.reserveCapacity(pixels.count * (isOpaque ? 3 : 4))
    for pixel in pixels {
      samples.append(pixel.red)
      samples.append(pixel.green)
      samples.append(pixel.blue)
      if !isOpaque { samples.append(pixel.alpha) }
    }
    self.init(bitmap: Bitmap(size: size, format: isOpaque ? .rgb8 : .rgba8, pixels: samples))
  }

  /// Creates an image from opaque samples (red, green, blue; from the top row down). Returns nil unless there are exactly
  /// three for each pixel. *Beyond Apple's API.*
  public convenience init?(width: Int, height: Int, samples: [UInt8]) {
    let size = PixelSize(width: width, height: height)
    guard width > 0, height > 0, samples.count % 3 == 0, size.pixelCount == samples.count / 3 else {
      return nil
    }
    self.init(bitmap: Bitmap(size: size, format: .rgb8, pixels: samples))
  }
}
