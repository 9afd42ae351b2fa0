/// A box of a file in the ISO base media file format (ISO/IEC 14496-12), with its place in the file.
struct FileBox {
  let type: FourCharacterCode
  /// The box with its head.
  let range: Range<Int>
  let content: Range<Int>

  var head: Range<Int> { range.lowerBound..<content.lowerBound }
}

/// The boxes of a file at the top level, or those in another box.
struct FileBoxes {
  /// The kinds of files, as errors name them.
  enum Container: String {
    case heif = "HEIF image"
    case movie = "video"
  }

  /// More boxes than any ordinary file has.
  static let maximumCount = 100_000

  private let source: any ByteSource
  private let container: Container
  private let end: Int
  private let isNested: Bool
  private var offset: Int
  private var count = 0

  /// The boxes at the top level.
  init(_ source: any ByteSource, of container: Container) {
    (self.source, self.container, end, isNested, offset) = (source, container, source.count, false, 0)
  }

  /// The boxes in another box. Zeros at its end, which QuickTime writes, are not a box.
  ///
  /// - Parameter range: The part of the box that contains boxes.
  init(_ source: any ByteSource, in range: Range<Int>, of container: Container) {
    (self.source, self.container, isNested) = (source, container, true)
    (offset, end) = (range.lowerBound, range.upperBound)
  }

  /// Returns the next box; nil at the end.
  ///
  /// - Throws: An error if a box is not completely within the data.
  mutating func next() throws(ImageError) -> FileBox? {
    let left = end - offset
    guard left >= (isNested ? 8 : 1) else { return nil }
    count += 1
    guard count <= Self.maximumCount else {
      throw ImageError(
        .tooLarge,
        "The \(container.rawValue) has more parts than the maximum of \(Self.maximumCount).")
    }
    guard var head = try source.exactly(8, at: offset) else { throw truncated }
    var size = Self.number(head[..<4])
    if size == 1 {
      guard let long = try source.exactly(8, at: offset + 8) else { throw truncated }
      size = Self.number(long[...])
      head += long
    }
    if size == 0 {
      if isNested { return nil }
      // A size of 0 means that the box is the last one.
      size = UInt64(left)
    }
    let type = FourCharacterCode(UInt32(truncatingIfNeeded: Self.number(head[4..<8])))
    guard size >= UInt64(head.count) else { throw invalidSize(type) }
    guard size <= UInt64(left) else { throw isNested ? invalidSize(type) : truncated }
    let range = offset..<offset + Int(size)
    offset = range.upperBound
    return FileBox(type: type, range: range, content: (range.lowerBound + head.count)..<range.upperBound)
  }

  private func invalidSize(_ type: FourCharacterCode) -> ImageError {
    let name = container == .heif ? "image" : container.rawValue
    return ImageError(.corrupt, "The \(name) is damaged: the size of its \(type) box is invalid.")
  }

  private var truncated: ImageError {
    switch container {
    case .heif: .truncated("HEIF")
    case .movie: ImageError(.truncated, "The video is incomplete: its data ends within a box.")
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
