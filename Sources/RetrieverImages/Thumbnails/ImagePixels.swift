/// The pixels of an image: sRGB, 8 bits a sample, rows from the top, upright. Beyond Apple's interface.
public struct ImagePixels: Sendable, Equatable {
  /// One pixel, its alpha straight.
  public struct Pixel: Sendable, Hashable {
    /// How much red there is.
    public var red: UInt8
    /// How much green there is.
    public var green: UInt8
    /// How much blue there is.
    public var blue: UInt8
    /// 255 is opaque.
    public var alpha: UInt8

    /// A pixel, opaque if nothing else is said.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
      self.red = red
      self.green = green
      self.blue = blue
      self.alpha = alpha
    }
  }

  /// How many there are in a row.
  public var width: Int { bitmap.size.width }
  /// How many rows there are.
  public var height: Int { bitmap.size.height }
  /// Whether any pixel may be transparent.
  public var hasAlpha: Bool { bitmap.format.hasAlpha }
  /// The samples without padding: red, green, blue, and alpha where there is one.
  public var samples: [UInt8] { bitmap.pixels }

  let bitmap: Bitmap

  /// The pixel in a column and row, counted from the top left; nil outside of the image.
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
  /// The pixels of the image at its full size. Beyond Apple's interface.
  ///
  /// They are decoded on threads of the library, each time anew unless the image is decoded already.
  ///
  /// - Throws: ``ImageError``
  public func pixels() async throws -> ImagePixels {
    try await WorkPool.shared.run { (mark) throws(ImageError) in
      guard case .decoded(let bitmap) = try self.decoded(to: nil, mark: mark).source else {
        throw ImageError(.corrupt, "The image has no pixels.")
      }
      return ImagePixels(bitmap: bitmap)
    }
  }

  /// An image of given pixels; nil when there are not exactly `width` times `height` of them.
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

  /// An image of opaque samples: red, green, blue, rows from the top; nil unless there are exactly enough of them.
  package convenience init?(width: Int, height: Int, samples: [UInt8]) {
    let size = PixelSize(width: width, height: height)
    guard width > 0, height > 0, size.pixelCount * 3 == samples.count else { return nil }
    self.init(bitmap: Bitmap(size: size, format: .rgb8, pixels: samples))
  }
}
