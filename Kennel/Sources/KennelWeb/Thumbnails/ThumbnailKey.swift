import HTTPService
import KennelStorage
import RetrieverImages

/// The maximum length of a thumbnail's longer side in pixels. There are only a few sizes, so that only a few thumbnails
/// are made of each photo.
package struct ThumbnailSize: Sendable, Hashable {
  /// All sizes, in ascending order.
  package static let all = [96, 160, 240, 320, 480, 640, 960, 1280, 1920].map(ThumbnailSize.init(pixels:))
  /// The default size.
  package static let `default` = ThumbnailSize(pixels: 320)
  package static let smallest = ThumbnailSize(pixels: 96)
  package static let largest = ThumbnailSize(pixels: 1920)

  package let pixels: Int

  private init(pixels: Int) { self.pixels = pixels }

  /// Returns nil if the size is not in the list.
  package init?(_ pixels: Int) {
    guard Self.all.contains(where: { $0.pixels == pixels }) else { return nil }
    self.pixels = pixels
  }

  /// Creates the smallest size with at least `pixels` pixels, or the largest size.
  package init(atLeast pixels: Int) {
    self.pixels = Self.all.first { $0.pixels >= pixels }?.pixels ?? 1920
  }

  /// Creates a size from the text of a query.
  init(query text: String?) throws(Problem) {
    guard let text, !text.isEmpty else {
      self = .default
      return
    }
    guard text.utf8.count <= 4, let size = Int64(identifier: text).flatMap({ ThumbnailSize(Int($0)) }) else {
      let sizes = Self.all.map { String($0.pixels) }.joined(separator: ", ")
      throw .badRequest("This thumbnail size is not supported. Use one of \(sizes).")
    }
    self = size
  }
}

/// The file format of a thumbnail.
package enum ThumbnailFormat: String, Sendable, Hashable, CaseIterable {
  case jpeg, webp

  var contentType: String { "image/\(rawValue)" }
  var suffix: String { self == .jpeg ? ".jpg" : ".webp" }
  var encoding: ImageEncoding { self == .jpeg ? .jpeg(quality: 0.8) : .webp(quality: 0.78) }

  /// Returns the format that a request asks for in its query, or else in its `Accept` field, and whether that field
  /// decided.
  static func wanted(by request: HTTPRequest) throws(Problem) -> (ThumbnailFormat, isNegotiated: Bool) {
    if let text = request.query("format"), !text.isEmpty {
      guard let format = ThumbnailFormat(rawValue: text) else {
        throw .badRequest("This thumbnail format is not supported. Use jpeg or webp.")
      }
      return (format, false)
    }
    let prefersWebP = AcceptedTypes(request.fields).prefers("image/webp", to: "image/jpeg")
    return (prefersWebP ? .webp : .jpeg, true)
  }
}

/// The key of a thumbnail.
package struct ThumbnailKey: Sendable, Hashable {
  package var photo: PhotoHash
  package var size: ThumbnailSize
  package var format: ThumbnailFormat

  package init(photo: PhotoHash, size: ThumbnailSize, format: ThumbnailFormat) {
    self.photo = photo
    self.size = size
    self.format = format
  }

  /// The photo's hash is uniformly distributed, so a part of it is enough.
  package func hash(into hasher: inout Hasher) {
    photo.bytes.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(8))) }
    hasher.combine(size.pixels)
    hasher.combine(format)
  }

  /// The name of the thumbnail's file.
  var fileName: String { "\(photo)-\(size.pixels)\(format.suffix)" }

  /// Creates a key from a file name. Returns nil if it is not the name of a thumbnail.
  init?(fileName: String) {
    let stem = fileName.prefix { $0 != "." }
    let parts = stem.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let photo = PhotoHash(parts[0]),
      let size = Int64(identifier: parts[1]).flatMap({ ThumbnailSize(Int(clamping: $0)) }),
      let format = ThumbnailFormat.allCases.first(where: { stem + $0.suffix == fileName })
    else { return nil }
    self.init(photo: photo, size: size, format: format)
  }

  /// Returns the keys of all thumbnails of a photo.
  static func all(of photo: PhotoHash) -> [ThumbnailKey] {
    ThumbnailSize.all.flatMap { size in
      ThumbnailFormat.allCases.map { ThumbnailKey(photo: photo, size: size, format: $0) }
    }
  }
}
