import HTTPService
import RetrieverImages

/// How long a thumbnail's longer side is, at most, in pixels; one of a few, so that few are made of each photo.
package struct ThumbnailSize: Sendable, Hashable {
  /// From the smallest to the largest.
  package static let all = [96, 160, 240, 320, 480, 640, 960, 1280, 1920].map(ThumbnailSize.init(pixels:))
  /// When nothing is said.
  package static let usual = ThumbnailSize(pixels: 320)
  package static let smallest = ThumbnailSize(pixels: 96)

  package let pixels: Int

  private init(pixels: Int) { self.pixels = pixels }

  /// Nil unless it is one of the list.
  package init?(_ pixels: Int) {
    guard Self.all.contains(where: { $0.pixels == pixels }) else { return nil }
    self.pixels = pixels
  }

  /// The smallest of at least so many pixels, or the largest there is.
  package init(atLeast pixels: Int) {
    self.pixels = Self.all.first { $0.pixels >= pixels }?.pixels ?? 1920
  }

  /// From a query's text.
  init(query text: String?) throws(Problem) {
    guard let text, !text.isEmpty else {
      self = .usual
      return
    }
    guard text.utf8.count <= 4, let size = Int64(identifier: text).flatMap({ ThumbnailSize(Int($0)) }) else {
      let sizes = Self.all.map { String($0.pixels) }.joined(separator: ", ")
      throw .badRequest("There is no thumbnail of that size. Ask for one of \(sizes).")
    }
    self = size
  }
}

/// What a thumbnail is written as.
package enum ThumbnailFormat: String, Sendable, Hashable, CaseIterable {
  case jpeg, webp

  var contentType: String { "image/\(rawValue)" }
  var suffix: String { self == .jpeg ? ".jpg" : ".webp" }
  var encoding: ImageEncoding { self == .jpeg ? .jpeg(quality: 0.8) : .webp(quality: 0.78) }

  /// What a request asks for by its query, else by its `Accept` field; and whether that field decided.
  static func wanted(by request: HTTPRequest) throws(Problem) -> (ThumbnailFormat, isNegotiated: Bool) {
    if let text = request.query("format"), !text.isEmpty {
      guard let format = ThumbnailFormat(rawValue: text) else {
        throw .badRequest("There are no thumbnails of that format. Ask for jpeg or webp.")
      }
      return (format, false)
    }
    let prefersWebP = AcceptedTypes(request.fields).prefers("image/webp", to: "image/jpeg")
    return (prefersWebP ? .webp : .jpeg, true)
  }
}

/// Which thumbnail.
package struct ThumbnailKey: Sendable, Hashable {
  package var photo: PhotoHash
  package var size: ThumbnailSize
  package var format: ThumbnailFormat

  package init(photo: PhotoHash, size: ThumbnailSize, format: ThumbnailFormat) {
    self.photo = photo
    self.size = size
    self.format = format
  }

  /// A hash is as good as random: a part of it tells keys apart as well as all of it.
  package func hash(into hasher: inout Hasher) {
    photo.bytes.withUnsafeBytes { hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: $0.prefix(8))) }
    hasher.combine(size.pixels)
    hasher.combine(format)
  }

  /// What its file is called.
  var fileName: String { "\(photo)-\(size.pixels)\(format.suffix)" }

  /// From a file's name; nil when it is no thumbnail's.
  init?(fileName: String) {
    let stem = fileName.prefix { $0 != "." }
    let parts = stem.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let photo = PhotoHash(parts[0]),
      let size = Int64(identifier: parts[1]).flatMap({ ThumbnailSize(Int(clamping: $0)) }),
      let format = ThumbnailFormat.allCases.first(where: { stem + $0.suffix == fileName })
    else { return nil }
    self.init(photo: photo, size: size, format: format)
  }

  /// All that are made of a photo.
  static func all(of photo: PhotoHash) -> [ThumbnailKey] {
    ThumbnailSize.all.flatMap { size in
      ThumbnailFormat.allCases.map { ThumbnailKey(photo: photo, size: size, format: $0) }
    }
  }
}
