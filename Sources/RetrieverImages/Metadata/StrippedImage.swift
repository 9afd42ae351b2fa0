import Foundation
import SystemFiles

/// A copy of an image file without its metadata.
///
/// The image is not encoded again: its compressed pixels are the same, byte for byte. These remain: the pixels and the
/// tables to decode them, the color profile, the frames of an animation and their times, the density of the pixels, and
/// the orientation. A gain map for displays with high dynamic range remains too, with the values that describe it.
///
/// A JPEG without its end marker is not supported: what was appended to it cannot be distinguished from its pixels.
///
/// Everything else is left out: the place and time, the camera, the lens and their serial numbers, names, titles, comments,
/// thumbnails, and data that this library does not know.
///
/// The compressed pixels are not looked into: what is hidden in them, after their last code or in the padding of a codec,
/// stays.
///
/// The copy of a HEIC or AVIF keeps its size: zeros take the place of what is left out, because these formats refer to
/// their data by position. Of these formats, files with a sequence of images are not supported.
///
/// Videos can be copied in the same way: MP4 and QuickTime files with H.264 or HEVC, and with AAC or without sound. The copy
/// has the same size, too. It contains only the tracks with pictures and sounds, and what players need of their description.
public struct StrippedImage: Sendable {
  /// The kinds of records that a copy leaves out.
  public enum Record: String, Sendable, Hashable, CaseIterable {
    /// The data of the camera.
    case exif
    /// The place where the photo was taken.
    case location
    /// The data of an editor, such as titles and keywords.
    case xmp
    /// The data of a news agency or an older editor.
    case iptc
    /// A text, such as a title.
    case text
    /// A comment.
    case comment
    /// The time of the last change.
    case time
    /// A thumbnail outside of EXIF data.
    case thumbnail
    /// Data that this library does not know, further images in the same file, or data after the end of the image.
    case otherData
  }

  /// The maximum number of bytes that are read from a file at a time.
  static let pieceSize = 256 << 10

  enum Source: Sendable {
    case data(Data)
    case file(URL, FileSource.Identity)
  }

  let source: Source
  let plan: StrippingPlan

  /// The size of the copy in bytes.
  public var byteCount: Int { plan.byteCount }
  /// The size of the original in bytes.
  public var originalByteCount: Int {
    switch source {
    case .data(let data): data.count
    case .file(_, let identity): identity.byteCount
    }
  }
  /// The kinds of records that the copy leaves out.
  public var removed: Set<Record> { plan.removed }

  /// Plans the copy of a file in memory.
  ///
  /// - Throws: ``ImageError`` if the data is not in a supported format, or is too damaged to find its parts.
  public init(data: Data) throws(ImageError) {
    source = .data(data)
    plan = try StrippingPlan(DataSource(data))
  }

  /// Plans the copy of a file on a disk, off the threads that run Swift's tasks.
  ///
  /// The file is not kept in memory. If it changes before the copy is written, writing fails.
  ///
  /// - Throws: ``ImageError`` if the file cannot be read, is not in a supported format, or is too damaged to find its
  ///   parts.
  public init(contentsOf url: URL) async throws(ImageError) {
    let (plan, identity) = try await FileWork.run { () throws(ImageError) in
      let file = try FileSource(url)
      return (try StrippingPlan(file), file.identity)
    }
    self.plan = plan
    source = .file(url, identity)
  }

  /// Returns the copy in memory.
  ///
  /// A file is read on the calling thread.
  ///
  /// - Throws: ``ImageError`` if the file cannot be read or has changed.
  public func data() throws(ImageError) -> Data {
    var data = Data(capacity: byteCount)
    try withPieces { (piece) throws(ImageError) -> Never? in
      data.append(contentsOf: piece)
      return nil
    }
    return data
  }

  /// Passes the copy to a function in pieces of at most 256 KiB, on the calling thread. A file is never completely in
  /// memory.
  ///
  /// - Throws: ``ImageError`` if the file cannot be read or has changed, and any error that the function throws.
  public func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let failure = try withPieces { (bytes) throws(ImageError) -> (any Error)? in
      let result = Result { try body(bytes) }
      return if case .failure(let error) = result { error } else { nil }
    }
    if let failure { throw failure }
  }

  /// Writes the copy to a file, off the threads that run Swift's tasks. The file is replaced completely or not at all, and
  /// its permissions stay the same. It can be the original.
  ///
  /// The data reaches the disk before the old file is replaced, so that no failure of the machine can lose both. If the
  /// task is cancelled, the old file stays.
  ///
  /// - Parameters:
  ///   - url: The file.
  ///   - replaces: Whether an existing file is replaced. If not, it is an error if there is one.
  /// - Throws: ``ImageError``
  public func write(to url: URL, replaces: Bool = true) async throws(ImageError) {
    let flag = CancellationFlag()
    let result: Result<Void, ImageError> = await withTaskCancellationHandler {
      do throws(ImageError) {
        return .success(
          try await FileWork.run { () throws(ImageError) in try self.write(to: url, replaces: replaces, flag)
          })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      flag.set()
    }
    try result.get()
  }
}
