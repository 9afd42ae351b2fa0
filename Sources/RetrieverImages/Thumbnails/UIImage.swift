import Foundation
import Synchronization

/// An image in the shape of Apple's: cheap to make, decoded when its pixels are needed.
///
/// Making one reads no more than the header. Images are immutable and may be used from many tasks at once.
public final class UIImage: Sendable {
  /// How the stored picture is meant to be seen.
  public enum Orientation: Int, Sendable, Hashable, CaseIterable {
    /// As it is stored.
    case up
    /// Turned by half.
    case down
    /// Turned a quarter against the clock.
    case left
    /// Turned a quarter with the clock.
    case right
    /// Mirrored left to right.
    case upMirrored
    /// Mirrored top to bottom.
    case downMirrored
    /// Mirrored, then turned a quarter against the clock.
    case leftMirrored
    /// Mirrored, then turned a quarter with the clock.
    case rightMirrored
  }

  enum Source: Sendable {
    case encoded(Data, ImageHeader)
    case decoded(Bitmap)
  }

  let source: Source
  let limits: ImageLimits
  /// How many pixels there are to a point; 1 unless the image was made with another.
  public let scale: Double

  init(source: Source, limits: ImageLimits = ImageLimits(), scale: Double = 1) {
    self.source = source
    self.limits = limits
    self.scale = scale.isFinite && scale > 0 ? scale : 1
  }

  convenience init(bitmap: Bitmap, scale: Double = 1) { self.init(source: .decoded(bitmap), scale: scale) }

  /// An image of the bytes of a JPEG, PNG, WebP or GIF; nil when they are none, or larger than ``ImageLimits``.
  ///
  /// - Parameter data: the whole file. Its pixels are decoded when they are needed.
  public convenience init?(data: Data) { self.init(data: data, scale: 1) }

  /// The same, with another number of pixels to a point.
  public convenience init?(data: Data, scale: Double) {
    guard let header = try? ImageHeader.read(data, limits: ImageLimits()) else { return nil }
    self.init(source: .encoded(data, header), scale: scale)
  }

  /// An image of the bytes of a file; nil when it cannot be read or is no image.
  ///
  /// The file is read at once, on the calling thread; of one that is larger than ``ImageLimits`` allow, no more than that.
  public convenience init?(contentsOfFile path: String) {
    guard let file = FileHandle(forReadingAtPath: path),
      let data = try? file.read(upToCount: ImageLimits().bytes + 1)
    else { return nil }
    self.init(data: data)
  }

  /// An image of the given bytes, or the reason why there is none. Beyond Apple's interface.
  ///
  /// - Parameters:
  ///   - data: the whole file. Its pixels are decoded when they are needed.
  ///   - limits: what the image may ask for, now and when it is decoded.
  /// - Throws: ``ImageError``
  public convenience init(validating data: Data, limits: ImageLimits = ImageLimits()) throws(ImageError) {
    let header = try ImageHeader.read(data, limits: limits)
    self.init(source: .encoded(data, header), limits: limits)
  }

  /// The size in points, as the image is meant to be seen.
  public var size: CGSize {
    let pixels = pixelSize
    return CGSize(width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
  }

  /// The orientation the file asks for. Everything that is made of the image has it applied.
  public var imageOrientation: Orientation {
    switch source {
    case .decoded: .up
    case .encoded(_, let header): Orientation(header.orientation)
    }
  }

  /// The format of the file the image was made of; nil for one that was drawn or scaled. Beyond Apple's interface.
  public var format: ImageFormat? {
    switch source {
    case .decoded: nil
    case .encoded(_, let header): header.format
    }
  }

  /// The file the image was made of, with all frames of an animation; nil for one that was drawn or scaled.
  ///
  /// Beyond Apple's interface.
  public var encodedData: Data? {
    switch source {
    case .decoded: nil
    case .encoded(let data, _): data
    }
  }

  /// In pixels, as it is meant to be seen.
  var pixelSize: PixelSize {
    switch source {
    case .decoded(let bitmap): bitmap.size
    case .encoded(_, let header): header.orientation.isTransposed ? header.size.transposed : header.size
    }
  }
}

extension UIImage: CustomStringConvertible {
  /// The size and kind of the image.
  public var description: String {
    let kind = format.map { $0.rawValue } ?? "pixels"
    return "UIImage(\(pixelSize.width) × \(pixelSize.height), \(kind))"
  }
}

extension UIImage.Orientation {
  fileprivate init(_ stored: ImageOrientation) {
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
  /// What a file says of itself; no pixel is decoded.
  static func read(_ data: Data, limits: ImageLimits) throws(ImageError) -> ImageHeader {
    let stop = HeaderReader()
    let decoder = makeImageDecoder(consumer: stop, limits: limits, readsHeaderOnly: true)
    do {
      try data.withBytes { (bytes) throws(ImageError) in try decoder.feed(bytes) }
      try decoder.finish()
    } catch {
      guard let header = stop.header else { throw error }
      return header
    }
    guard let header = decoder.header else {
      throw ImageError(.truncated, "The image ends within its header.")
    }
    return header
  }
}

/// Ends the decoding when the header is there.
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
  /// `withUnsafeBytes` with the error's type kept.
  func withBytes<Value>(_ body: (UnsafeRawBufferPointer) throws(ImageError) -> Value) throws(ImageError)
    -> Value
  {
    let result: Result<Value, ImageError> = withUnsafeBytes { bytes in
      Result { () throws(ImageError) in try body(bytes) }
    }
    return try result.get()
  }
}
