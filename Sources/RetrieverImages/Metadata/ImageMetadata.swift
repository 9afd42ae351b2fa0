import Foundation

/// What an image file says about the image: when, where and how it was taken, its title, and its author.
///
/// Metadata is read without decoding a pixel. It comes from EXIF, XMP and IPTC records, and from the texts and comments
/// of PNG and GIF files. The orientation of a HEIC or AVIF is the one outside of EXIF data, which decoders apply. All of it can be wrong: cameras have wrong clocks, and anyone can write anything into a file.
///
/// A property is nil if the file does not state it, or states it in an invalid way.
public struct ImageMetadata: Sendable, Hashable {
  /// The format of the file.
  public var format: ImageFormat
  /// The width as stored, before the orientation is applied.
  public var pixelWidth: Int
  /// The height as stored, before the orientation is applied.
  public var pixelHeight: Int
  /// The density of the pixels when the image is printed.
  public var resolution: Resolution?
  /// The name of the color profile, such as “Display P3”.
  public var colorProfileName: String?

  /// The time when the photo was taken or the image was created.
  public var captureDate: Timestamp?
  /// The time when the file was last changed.
  public var modificationDate: Timestamp?
  /// The place where the photo was taken.
  public var location: Location?

  /// The manufacturer of the camera.
  public var cameraMake: String?
  /// The model of the camera.
  public var cameraModel: String?
  /// The serial number of the camera.
  public var cameraSerialNumber: String?
  /// The name of the camera's owner, as set in the camera.
  public var ownerName: String?
  /// The manufacturer of the lens.
  public var lensMake: String?
  /// The model of the lens.
  public var lensModel: String?
  /// The serial number of the lens.
  public var lensSerialNumber: String?

  /// The exposure time in seconds.
  public var exposureTime: Double?
  /// The f-number: the focal length divided by the diameter of the aperture.
  public var fNumber: Double?
  /// The sensitivity as an ISO speed.
  public var isoSpeed: Int?
  /// The focal length in millimeters.
  public var focalLength: Double?
  /// The focal length in millimeters that has the same angle of view on 35 mm film.
  public var focalLengthIn35mmFilm: Double?
  /// Whether the flash fired.
  public var flashFired: Bool?

  /// The title.
  public var title: String?
  /// The description or caption.
  public var description: String?
  /// The keywords, without duplicates.
  public var keywords: [String] = []
  /// The rating from 0 to 5 stars, or -1 for a rejected image.
  public var rating: Double?
  /// The person who created the image.
  public var artist: String?
  /// The copyright notice.
  public var copyright: String?
  /// The program that wrote the file.
  public var software: String?
  /// The comments of a JPEG or GIF.
  public var comments: [String] = []

  /// The gain map of a photo with high dynamic range.
  public var gainMap: GainMap?

  var storedOrientation = ImageOrientation.up

  /// Reads the metadata of an image file.
  ///
  /// If the file is damaged or incomplete, the metadata before the damage is read.
  ///
  /// - Parameter data: The complete file, or at least its beginning.
  /// - Throws: ``ImageError`` if the data is not in a supported format, or ends before the size of the image.
  public init(data: Data) throws(ImageError) { self.init(try MetadataRecords.read(DataSource(data))) }

  /// Reads the metadata of an image file on a disk, off the threads that run Swift's tasks.
  ///
  /// Only the parts that contain metadata are read: a JPEG up to its pixels, and the parts of other files without their
  /// pixels. If the file is damaged or incomplete, the metadata before the damage is read. Cancelling the task has no
  /// effect.
  ///
  /// - Throws: ``ImageError`` if the file cannot be read, is not in a supported format, or ends before the size of the
  ///   image.
  public init(contentsOf url: URL) async throws(ImageError) {
    self = try await FileWork.run { () throws(ImageError) in
      ImageMetadata(try MetadataRecords.read(FileSource(url)))
    }
  }

  init(_ records: MetadataRecords) {
    format = records.format
    pixelWidth = records.size?.width ?? 0
    pixelHeight = records.size?.height ?? 0
    take(records)
  }
}

/// Work that waits for a disk.
enum FileWork {
  /// Runs work on a thread of Dispatch, so that it does not block the threads that run Swift's tasks.
  static func run<Value: Sendable>(
    _ work: @escaping @Sendable () throws(ImageError) -> Value
  ) async throws(ImageError) -> Value {
    let result: Result<Value, ImageError> = await withCheckedContinuation { continuation in
      DispatchQueue.global(qos: .userInitiated).async {
        continuation.resume(returning: Result { () throws(ImageError) in try work() })
      }
    }
    return try result.get()
  }
}
