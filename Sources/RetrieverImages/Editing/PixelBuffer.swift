/// Pixels in memory, to read and to change: sRGB with 8 bits per sample, from the top row down. *Beyond Apple's API.*
///
/// ``UIImage/pixelBuffer(_:)`` returns the pixels of an image, and ``UIImage/init(_:)`` makes an image from them.
public struct PixelBuffer: Sendable, Equatable {
  /// The order and the meaning of the samples of a pixel.
  public enum Layout: Sendable, Hashable, CaseIterable {
    /// Red, green and blue. All pixels are opaque.
    case rgb
    /// Red, green, blue and straight alpha.
    case rgba
    /// Red, green, blue and alpha. The colors are multiplied by alpha, as encoded values (not in linear light).
    case premultipliedRGBA

    /// The number of bytes of a pixel.
    public var bytesPerPixel: Int { self == .rgb ? 3 : 4 }
  }

  /// The number of pixels in a row.
  public let width: Int
  /// The number of rows.
  public let height: Int
  /// The order and the meaning of the samples.
  public let layout: Layout
  /// The samples, without padding between the rows.
  public private(set) var bytes: [UInt8]

  /// The number of bytes of a row.
  public var bytesPerRow: Int { width * layout.bytesPerPixel }

  /// Creates a buffer from samples.
  ///
  /// - Parameters:
  ///   - width: The number of pixels in a row; at least 1.
  ///   - height: The number of rows; at least 1.
  ///   - layout: The order and the meaning of the samples.
  ///   - bytes: The samples from the top row down.
  ///   - bytesPerRow: The distance between the beginnings of two rows; nil if there is no padding. The padding is left out.
  /// - Throws: ``ImageError`` if the numbers are invalid, or if there are not exactly as many bytes as they require. The
  ///   padding of the last row may be missing.
  public init(
    width: Int, height: Int, layout: Layout, bytes: [UInt8], bytesPerRow: Int? = nil
  ) throws(ImageError) {
    let (row, rowOverflows) = width.multipliedReportingOverflow(by: layout.bytesPerPixel)
    let stride = bytesPerRow ?? row
    let (complete, overflows) = stride.multipliedReportingOverflow(by: height)
    guard width > 0, height > 0, !rowOverflows, !overflows, stride >= row,
      bytes.count == complete || bytes.count == complete - stride + row
    else {
      throw ImageError(
        .invalidRequest,
        "Could not use \(bytes.count) bytes as \(width) × \(height) pixels of \(layout.bytesPerPixel) bytes, "
          + "with \(stride) bytes in each row.")
    }
    self.width = width
    self.height = height
    self.layout = layout
    if stride == row {
      self.bytes = bytes
    } else {
      self.bytes = []
      self.bytes.reserveCapacity(row * height)
      for y in 0..<height { self.bytes.append(contentsOf: bytes[y * stride..<y * stride + row]) }
    }
  }

  init(_ bitmap: Bitmap) {
    width = bitmap.size.width
    height = bitmap.size.height
    layout = bitmap.format.hasAlpha ? .rgba : .rgb
    bytes = bitmap.pixels
  }

  /// The pixels as an image has them.
  var bitmap: Bitmap {
    let straight = layout == .premultipliedRGBA ? converted(to: .rgba) : self
    return Bitmap(
      size: PixelSize(width: width, height: height), format: layout == .rgb ? .rgb8 : .rgba8,
      pixels: straight.bytes)
  }

  /// The pixel at a column and row, counted from the top left, with straight alpha; nil outside the image.
  ///
  /// Setting a pixel outside the image, or nil, has no effect. Without alpha, setting a pixel draws it over white.
  public subscript(column: Int, row: Int) -> ImagePixels.Pixel? {
    get {
      guard let start = index(column, row) else { return nil }
      let alpha = layout == .rgb ? 255 : bytes[start + 3]
      let color = ImagePixels.Pixel(
        red: bytes[start], green: bytes[start + 1], blue: bytes[start + 2], alpha: alpha)
      return layout == .premultipliedRGBA ? color.straight : color
    }
    set {
      guard let newValue, let start = index(column, row) else { return }
      let color =
        switch layout {
        case .rgb: newValue.overWhite
        case .rgba: newValue
        case .premultipliedRGBA: newValue.premultiplied
        }
      (bytes[start], bytes[start + 1], bytes[start + 2]) = (color.red, color.green, color.blue)
      if layout != .rgb { bytes[start + 3] = color.alpha }
    }
  }

  private func index(_ column: Int, _ row: Int) -> Int? {
    guard 0..<width ~= column, 0..<height ~= row else { return nil }
    return (row * width + column) * layout.bytesPerPixel
  }

  /// Calls a closure with the samples. The pointer is valid only during the call.
  public func withUnsafeBytes<Value, Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in
      try body(UnsafeRawBufferPointer(buffer))
    }
  }

  /// Calls a closure that may change the samples. The pointer is valid only during the call.
  public mutating func withUnsafeMutableBytes<Value, Failure>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try bytes.withUnsafeMutableBufferPointer { (buffer) throws(Failure) in
      try body(UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// Returns the same pixels in another layout. Without alpha, transparent pixels are drawn over white.
  public func converted(to other: Layout) -> PixelBuffer {
    if layout == other { return self }
    var result: [UInt8] = []
    result.reserveCapacity(width * height * other.bytesPerPixel)
    let step = layout.bytesPerPixel
    bytes.withUnsafeBufferPointer { bytes in
      for start in stride(from: 0, to: bytes.count, by: step) {
        var color = ImagePixels.Pixel(
          red: bytes[start], green: bytes[start + 1], blue: bytes[start + 2],
          alpha: step == 4 ? bytes[start + 3] : 255)
        if layout == .premultipliedRGBA { color = color.straight }
        switch other {
        case .rgb: color = color.overWhite
        case .rgba: break
        case .premultipliedRGBA: color = color.premultiplied
        }
        result.append(color.red)
        result.append(color.green)
        result.append(color.blue)
        if other != .rgb { result.append(color.alpha) }
      }
    }
    return PixelBuffer(width: width, height: height, layout: other, unchecked: result)
  }

  private init(width: Int, height: Int, layout: Layout, unchecked bytes: [UInt8]) {
    self.width = width
    self.height = height
    self.layout = layout
    self.bytes = bytes
  }
}

extension ImagePixels.Pixel {
  /// A transparent pixel.
  public static let clear = ImagePixels.Pixel(red: 0, green: 0, blue: 0, alpha: 0)
  /// Opaque black.
  public static let black = ImagePixels.Pixel(red: 0, green: 0, blue: 0)
  /// Opaque white.
  public static let white = ImagePixels.Pixel(red: 255, green: 255, blue: 255)

  private func mapColors(_ change: (Int) -> Int) -> ImagePixels.Pixel {
    ImagePixels.Pixel(
      red: UInt8(clamping: change(Int(red))), green: UInt8(clamping: change(Int(green))),
      blue: UInt8(clamping: change(Int(blue))), alpha: alpha)
  }

  fileprivate var premultiplied: ImagePixels.Pixel {
    alpha == 255 ? self : mapColors { ($0 * Int(alpha) + 127) / 255 }
  }

  /// The color of a premultiplied pixel. Colors that are too large for their alpha become the brightest ones.
  fileprivate var straight: ImagePixels.Pixel {
    if alpha == 255 { return self }
    return alpha == 0 ? .clear : mapColors { ($0 * 255 + Int(alpha) / 2) / Int(alpha) }
  }

  fileprivate var overWhite: ImagePixels.Pixel {
    if alpha == 255 { return self }
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 3) { pixel in
      pixel.initialize(repeating: 255)
      guard let base = pixel.baseAddress else { return self }
      PixelBlending.draw((red, green, blue), share: Float(alpha) / 255, over: base, hasAlpha: false)
      return ImagePixels.Pixel(red: base[0], green: base[1], blue: base[2])
    }
  }
}

extension UIImage {
  /// Returns the pixels of the image at its full size: upright and in sRGB. *Beyond Apple's API.*
  ///
  /// The library decodes and converts on its own threads. If the task is cancelled, the work ends between two rows.
  ///
  /// - Throws: ``ImageError``
  public func pixelBuffer(_ layout: PixelBuffer.Layout = .rgba) async throws -> PixelBuffer {
    try await WorkPool.shared.run { (flag) throws(ImageError) in
      PixelBuffer(try self.bitmap(flag: flag)).converted(to: layout)
    }
  }

  /// Creates an image from pixels. *Beyond Apple's API.*
  public convenience init(_ pixels: PixelBuffer) { self.init(bitmap: pixels.bitmap) }

  /// Returns an image whose pixels a closure has changed. *Beyond Apple's API.*
  ///
  /// The closure runs on one of the library's threads. It may also replace the buffer with one of another size.
  ///
  /// - Throws: ``ImageError``, and the error that the closure throws.
  public func changingPixels(
    _ layout: PixelBuffer.Layout = .rgba, _ change: @escaping @Sendable (inout PixelBuffer) throws -> Void
  ) async throws -> UIImage {
    try await WorkPool.shared.run { (flag) throws(ImageError) in
      var buffer = PixelBuffer(try self.bitmap(flag: flag)).converted(to: layout)
      return Result {
        try change(&buffer)
        return UIImage(bitmap: buffer.bitmap, scale: self.scale, damage: self.damage)
      }
    }.get()
  }
}
