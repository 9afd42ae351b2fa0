import Foundation
import Synchronization

/// An image that follows the API of Apple's `UIImage`. Its pixels are decoded only when they are needed.
///
/// Creating an image reads only its header. Images are immutable and thread-safe.
public final class UIImage: Sendable {
  /// The way the stored image is meant to be displayed.
  public enum Orientation: Int, Sendable, Hashable, CaseIterable {
    /// Displayed as stored.
    case up
    /// Rotated by 180 degrees.
    case down
    /// Rotated by 90 degrees counterclockwise.
    case left
    /// Rotated by 90 degrees clockwise.
    case right
    /// Mirrored from left to right.
    case upMirrored
    /// Mirrored from top to bottom.
    case downMirrored
    /// Mirrored from left to right, then rotated by 90 degrees counterclockwise.
    case leftMirrored
    /// Mirrored from left to right, then rotated by 90 degrees clockwise.
    case rightMirrored
  }

  enum Source: Sendable {
    case encoded(Data, ImageHeader)
    case decoded(Bitmap)
  }

  /// The frames of an animated image that was made from images.
  struct Animation: Sendable {
    var images: [UIImage]
    var duration: Double
  }

  let source: Source
  let limits: ImageLimits
  let animation: Animation?
  /// The number of pixels per point, which is 1 by default. The name of a file may state 2 or 3: `dog@2x.png`.
  public let scale: Double
  /// What was wrong with the data that the pixels come from, in the order of the data. *Beyond Apple's API.*
  ///
  /// Thumbnails and decoded images have this list. It is empty for an image that is not decoded yet, because creating it
  /// reads only its header.
  public let damage: [ImageDamage]
  /// The size in pixels of the image that this thumbnail shows, as displayed; nil for other images.
  let originalSize: PixelSize?

  init(
    source: Source, limits: ImageLimits = ImageLimits(), scale: Double = 1, damage: [ImageDamage] = [],
    animation: Animation? = nil, originalSize: PixelSize? = nil
  ) {
    self.source = source
    self.originalSize = originalSize
    self.animation = animation
    self.limits = limits
    self.damage = damage
    self.scale = scale.isFinite && scale > 0 ? scale : 1
  }

  convenience init(
    bitmap: Bitmap, scale: Double = 1, damage: [ImageDamage] = [], originalSize: PixelSize? = nil
  ) {
    self.init(source: .decoded(bitmap), scale: scale, damage: damage, originalSize: originalSize)
  }

  /// Creates an image from a JPEG, PNG, WebP, GIF, HEIC or AVIF. Returns nil if the data is in another format or exceeds
  /// ``ImageLimits``.
  ///
  /// - Parameter data: The complete file. Its pixels are decoded when they are needed.
  public convenience init?(data: Data) { self.init(data: data, scale: 1) }

  /// Creates an image from data, with a number of pixels per point.
  public convenience init?(data: Data, scale: Double) {
    guard let header = try? ImageHeader.read(data, limits: ImageLimits()) else { return nil }
    self.init(source: .encoded(data, header), scale: scale)
  }

  /// Creates an image from a file. Returns nil if the file cannot be read or is not a supported image.
  ///
  /// The file is read immediately, on the calling thread. A file that is larger than ``ImageLimits`` allows is not
  /// read further than the limit. The ``scale`` is 2 or 3 if the name of the file ends with `@2x` or `@3x` before its
  /// extension, or before `~iphone` or `~ipad`.
  public convenience init?(contentsOfFile path: String) {
    try? self.init(validatingContentsOfFile: path)
  }

  /// Creates an image from data, or throws an error that explains why the data is invalid. *Beyond Apple's API.*
  ///
  /// - Parameters:
  ///   - data: The complete file. Its pixels are decoded when they are needed.
  ///   - limits: The limits that apply now and when the image is decoded.
  /// - Throws: ``ImageError``
  public convenience init(validating data: Data, limits: ImageLimits = ImageLimits()) throws(ImageError) {
    try self.init(validating: data, limits: limits, scale: 1)
  }

  private convenience init(validating data: Data, limits: ImageLimits, scale: Double) throws(ImageError) {
    let header = try ImageHeader.read(data, limits: limits)
    self.init(source: .encoded(data, header), limits: limits, scale: scale)
  }

  /// Creates an image from a file, or throws an error that explains why the file is invalid. *Beyond Apple's API.*
  ///
  /// The file is read immediately, on the calling thread. In async code, use ``loading(file:limits:)``. The name of the
  /// file may state the ``scale``, as for ``init(contentsOfFile:)``.
  ///
  /// - Parameters:
  ///   - path: The path of a regular file.
  ///   - limits: The limits that apply now and when the image is decoded.
  /// - Throws: ``ImageError``, with the code ``ImageError/Code-swift.struct/unreadableFile`` if the file cannot be read.
  public convenience init(
    validatingContentsOfFile path: String, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    let file = try ImageFile.open(path)
    // One byte more than the maximum, so that a larger file causes an error.
    let count = limits.bytes == .max ? .max : max(limits.bytes, 0) + 1
    let data = try ImageFile.read(file, atMost: count, path: path) ?? Data()
    try self.init(validating: data, limits: limits, scale: ImageFile.scale(named: path))
  }

  /// Reads an image from a file on the library's own threads. *Beyond Apple's API.*
  ///
  /// The file is read completely, and its header is checked. Its pixels are decoded when they are needed.
  ///
  /// - Throws: The errors of ``init(validatingContentsOfFile:limits:)``.
  public static func loading(file path: String, limits: ImageLimits = ImageLimits()) async throws -> UIImage {
    try await WorkPool.shared.run { (_) throws(ImageError) in
      try UIImage(validatingContentsOfFile: path, limits: limits)
    }
  }

  /// The size in points, after the orientation is applied.
  public var size: CGSize {
    let pixels = pixelSize
    return CGSize(width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
  }

  /// The orientation in the file. Everything that is made from the image has the orientation applied.
  public var imageOrientation: Orientation {
    switch source {
    case .decoded: .up
    case .encoded(_, let header): Orientation(header.orientation)
    }
  }

  /// The format of the file that the image was made from; nil for an image that was drawn or scaled. *Beyond Apple's
  /// API.*
  public var format: ImageFormat? {
    switch source {
    case .decoded: nil
    case .encoded(_, let header): header.format
    }
  }

  /// The file that the image was made from, with all frames of an animation; nil for an image that was drawn or
  /// scaled.
  ///
  /// *Beyond Apple's API.*
  public var encodedData: Data? {
    switch source {
    case .decoded: nil
    case .encoded(let data, _): data
    }
  }

  /// The size in pixels, after the orientation is applied.
  var pixelSize: PixelSize {
    switch source {
    case .decoded(let bitmap): bitmap.size
    case .encoded(_, let header): header.orientation.isTransposed ? header.size.transposed : header.size
    }
  }
}

extension UIImage: CustomStringConvertible {
  /// The size and format of the image.
  public var description: String {
    let kind = format.map { $0.rawValue } ?? "pixels"
    return "UIImage(\(pixelSize.width) × \(pixelSize.height), \(kind))"
  }
}

extension UIImage.Orientation {
  init(_ stored: ImageOrientation) {
    self =
      switch stored {
      case .up: .up
      case .upMirrored: .upMirrored
      case .down: .down
      case .downMirrored: .downMirrored
      case .leftMirrored: .leftMirrored
      case .right: .right
      case .rightMirrored: .rightMirrored
      case .left: .left
      }
  }
}

extension ImageHeader {
  /// Reads the properties that a file declares. No pixel is decoded.
  static func read(_ data: Data, limits: ImageLimits) throws(ImageError) -> ImageHeader {
    let stop = HeaderReader()
    let decoder = makeImageDecoder(consumer: stop, limits: limits, readsHeaderOnly: true)
    do {
      try data.withBytes { (bytes) throws(ImageError) in try decoder.feed(bytes) }
      try decoder.finish()
    } catch {
      guard var header = stop.header else { throw error }
      if header.format == .png, header.orientation == .up {
        // The chunk with the orientation may follow the pixels.
        var parser = PNGChunkParser()
        data.withUnsafeBytes { parser.parse($0) }
        header.orientation = parser.orientation.value ?? .up
      }
      return header
    }
    guard let header = decoder.header else {
      throw ImageError(.truncated, "The image is incomplete: its data ends within the header.")
    }
    return header
  }
}

/// Ends the decoding after the header.
private final class HeaderReader: RowConsumer {
  private(set) var header: ImageHeader?

  func begin(_ header: ImageHeader) throws(ImageError) -> PixelSize {
    self.header = header
    throw .cancelled
  }

  func prepare(for rows: RowLayout) throws(ImageError) {}
  func take(_ row: UnsafeRawBufferPointer) throws(ImageError) {}
}

extension Data {
  /// Calls `withUnsafeBytes` with a typed error.
  func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws(ImageError) -> Value) throws(ImageError)
    -> Value
  {
    let result: Result<Value, ImageError> = withUnsafeBytes { bytes in
      Result { () throws(ImageError) in try body(bytes) }
    }
    return try result.get()
  }
}
