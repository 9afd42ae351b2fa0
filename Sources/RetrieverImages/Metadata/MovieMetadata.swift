import Foundation

/// What an MP4 or QuickTime file says about its video: its size, its duration, its codings, and when and where it was
/// recorded. *Beyond Apple's API.*
///
/// No picture is decoded. All of it can be wrong: anyone can write anything into a file. ``StrippedImage`` copies such a file
/// without its metadata.
///
/// A property is nil if the file does not state it, or states it in an invalid way.
public struct MovieMetadata: Sendable, Hashable {
  /// A format of videos.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// MP4, and the formats of phones that are derived from it.
    case mp4
    /// Apple's QuickTime format.
    case quickTime
  }

  /// The format of the file.
  public var format: Format
  /// The width as shown, after the pictures are turned upright.
  public var pixelWidth: Int
  /// The height as shown, after the pictures are turned upright.
  public var pixelHeight: Int
  /// How far the pictures are turned clockwise when they are shown, in degrees: 0, 90, 180 or 270.
  public var rotation: Int
  /// The duration in seconds; 0 if the file does not state it.
  public var seconds: Double
  /// The coding of the pictures, such as `avc1` (H.264) or `hvc1` (HEVC).
  public var pictureCodec: String
  /// The coding of the sound, such as `mp4a` (AAC).
  public var soundCodec: String?

  /// The time that the camera states, with its time zone if it is known.
  public var captureDate: ImageMetadata.Timestamp?
  /// The time in the description of the movie, which is in UTC. Some cameras store their local time in it.
  public var creationDate: ImageMetadata.Timestamp?
  /// The place where the video was recorded.
  public var location: ImageMetadata.Location?
  /// The manufacturer of the camera.
  public var cameraMake: String?
  /// The model of the camera.
  public var cameraModel: String?
  /// The person who recorded the video.
  public var author: String?
  /// The title.
  public var title: String?

  /// Reads the metadata of a video file in memory.
  ///
  /// - Throws: ``ImageError`` if the data is not a video with H.264 or HEVC and with AAC or without sound, if it is in
  ///   fragments, or if it is damaged.
  public init(data: Data) throws(ImageError) { try self.init(DataSource(data)) }

  /// Reads the metadata of a video file on a disk, off the threads that run Swift's tasks.
  ///
  /// Only the description is read, wherever it is in the file.
  ///
  /// - Throws: ``ImageError`` if the file cannot be read, and the same errors as ``init(data:)``.
  public init(contentsOf url: URL) async throws(ImageError) {
    self = try await FileWork.run { () throws(ImageError) in try MovieMetadata(FileSource(url)) }
  }

  /// Returns whether a file begins like an MP4 or QuickTime file.
  ///
  /// - Parameter prefix: The first 12 bytes of the file, or more.
  public static func isMovie(_ prefix: Data) -> Bool { MovieFile.isMovie(prefix) }

  private init(_ source: any ByteSource) throws(ImageError) {
    guard MovieFile.isMovie(try source.bytes(0..<12)) else {
      throw ImageError(.unknownFormat, "The file is not an MP4 or QuickTime video.")
    }
    let movie = try MovieFile(source)
    guard let picture = movie.picture else { throw MovieFile.damaged("it has no pictures") }
    format = .quickTime
    if let first = movie.boxes.first, first.type == "ftyp",
      let brand = try source.exactly(4, at: first.content.lowerBound), !brand.elementsEqual("qt  ".utf8)
    {
      format = .mp4
    }
    (pixelWidth, pixelHeight, rotation) = (picture.width, picture.height, picture.rotation)
    seconds = movie.seconds ?? 0
    pictureCodec = picture.codecs.first?.description ?? ""
    soundCodec = movie.sound?.codecs.first?.description
    let tags = try MovieTags(movie)
    captureDate = tags.texts[.date].flatMap { ImageMetadata.Timestamp($0) }
    creationDate = Self.date(movie.creationTime)
    location = tags.location
    cameraMake = tags.texts[.make]
    cameraModel = tags.texts[.model]
    author = tags.texts[.author]
    title = tags.texts[.title]
  }

  /// Returns the time of a number of seconds since 1904, or nil for 0, which means that the time is not known.
  private static func date(_ seconds: UInt64) -> ImageMetadata.Timestamp? {
    // Until the year 9999.
    guard seconds > 0, seconds < 255_485_232_000 else { return nil }
    let days = Int(seconds / 86_400)
    let rest = Int(seconds % 86_400)
    // Days since 1 March of the year 0, in the Gregorian calendar; 1904 begins 695 362 days after it.
    let shifted = days + 695_361
    let era = shifted / 146_097
    let day = shifted % 146_097
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
    let dayOfYear = day - (365 * year + year / 4 - year / 100)
    let month = (5 * dayOfYear + 2) / 153
    return ImageMetadata.Timestamp(
      year: year + era * 400 + (month < 10 ? 0 : 1), month: month < 10 ? month + 3 : month - 9,
      day: dayOfYear - (153 * month + 2) / 5 + 1, hour: rest / 3600, minute: rest / 60 % 60,
      second: rest % 60, secondsFromGMT: 0)
  }
}
