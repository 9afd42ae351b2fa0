import CImageCodecs

/// A copy of a file as a list of parts: bytes of the original, and a few new ones.
struct StrippingPlan {
  enum Piece: Equatable {
    case copied(Range<Int>)
    case made([UInt8])
    /// A number of zeros, which take the place of something that is left out.
    case zeros(Int)

    var count: Int {
      switch self {
      case .copied(let range): range.count
      case .made(let bytes): bytes.count
      case .zeros(let count): count
      }
    }
  }

  /// More parts than any ordinary file has.
  static let maximumPieces = 200_000

  private(set) var pieces: [Piece] = []
  private(set) var byteCount = 0
  private(set) var removed: Set<StrippedImage.Record> = []

  /// Appends a part of the original.
  mutating func copy(_ range: Range<Int>) throws(ImageError) {
    guard !range.isEmpty else { return }
    byteCount += range.count
    if case .copied(let last)? = pieces.last, last.upperBound == range.lowerBound {
      pieces[pieces.count - 1] = .copied(last.lowerBound..<range.upperBound)
    } else {
      try append(.copied(range))
    }
  }

  /// Appends new bytes, and returns the index of their part.
  @discardableResult
  mutating func make(_ bytes: [UInt8]) throws(ImageError) -> Int {
    byteCount += bytes.count
    try append(.made(bytes))
    return pieces.count - 1
  }

  /// Appends a number of zeros.
  mutating func clear(_ count: Int) throws(ImageError) {
    guard count > 0 else { return }
    byteCount += count
    if case .zeros(let last)? = pieces.last {
      pieces[pieces.count - 1] = .zeros(last + count)
    } else {
      try append(.zeros(count))
    }
  }

  /// Appends all parts of another plan.
  mutating func add(_ other: StrippingPlan) throws(ImageError) {
    for piece in other.pieces {
      switch piece {
      case .copied(let range): try copy(range)
      case .made(let bytes): try make(bytes)
      case .zeros(let count): try clear(count)
      }
    }
    removed.formUnion(other.removed)
  }

  /// Replaces new bytes by others.
  mutating func replace(_ index: Int, with bytes: [UInt8]) {
    byteCount += bytes.count - pieces[index].count
    pieces[index] = .made(bytes)
  }

  /// Returns the position of a part in the copy.
  func position(of index: Int) -> Int { pieces[..<index].reduce(0) { $0 + $1.count } }

  /// Records that something is not copied.
  mutating func leaveOut(_ record: StrippedImage.Record) { removed.insert(record) }
  mutating func leaveOut(_ records: Set<StrippedImage.Record>) { removed.formUnion(records) }

  private mutating func append(_ piece: Piece) throws(ImageError) {
    guard pieces.count < Self.maximumPieces else {
      throw ImageError(
        .tooLarge, "The image has more separate parts than the maximum of \(Self.maximumPieces).")
    }
    pieces.append(piece)
  }
}

extension StrippingPlan {
  /// Plans the copy of a file without its metadata.
  ///
  /// - Throws: An error if the file is not in a supported format, or so damaged that its parts are not known.
  init(_ source: any ByteSource) throws(ImageError) {
    if MovieFile.isMovie(try source.bytes(0..<12)) {
      self = try MovieStripping.plan(source)
      return
    }
    let format = try source.format()
    guard let planner = Self.planners[format] else {
      throw ImageError(
        .unsupported,
        "Metadata of \(format.rawValue.uppercased()) images cannot be removed. Convert the image.")
    }
    self = try planner(source)
    // What is shorter than the original is another file, although nothing above says why.
    if removed.isEmpty, byteCount < source.count { leaveOut(.otherData) }
  }

  private typealias Planner = @Sendable (any ByteSource) throws(ImageError) -> StrippingPlan

  private static let planners: [ImageFormat: Planner] = [
    .jpeg: { (source) throws(ImageError) in try JPEGStripping.plan(source) },
    .png: { (source) throws(ImageError) in try PNGStripping.plan(source) },
    .webp: { (source) throws(ImageError) in try WebPStripping.plan(source) },
    .gif: { (source) throws(ImageError) in try GIFStripping.plan(source) },
    .heic: { (source) throws(ImageError) in try HEIFStripping.plan(source) },
    .avif: { (source) throws(ImageError) in try HEIFStripping.plan(source) },
  ]
}

/// Numbers with their most significant byte first.
enum BigEndian {
  static func bytes(_ value: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
  }
}

/// What remains of EXIF data: the orientation.
struct MinimalEXIF {
  let orientation: ImageOrientation?
  /// What is lost when only the orientation is written again.
  let leftOut: Set<StrippedImage.Record>

  /// Reads EXIF data, with or without its signature.
  init(_ bytes: some Collection<UInt8>) {
    let tiff = TIFFReader(bytes)
    orientation = tiff.flatMap { EXIFOrientation.read($0) }
    if let tiff, tiff.bytes == Self.tiff(orientation) {
      leftOut = []
    } else {
      leftOut = tiff.map { EXIFValues($0).hasLocation } ?? false ? [.exif, .location] : [.exif]
    }
  }

  /// Returns TIFF data with nothing but an orientation; nil for an upright image, which needs none.
  static func tiff(_ orientation: ImageOrientation?) -> [UInt8]? {
    guard let orientation, orientation != .up else { return nil }
    return Array("MM\0*".utf8) + BigEndian.bytes(8, 4) + BigEndian.bytes(1, 2)
      + BigEndian.bytes(EXIFOrientation.tag, 2) + BigEndian.bytes(3, 2) + BigEndian.bytes(1, 4)
      + BigEndian.bytes(orientation.rawValue, 2) + [0, 0] + BigEndian.bytes(0, 4)
  }
}
