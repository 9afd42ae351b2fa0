/// The structure of an MP4 or QuickTime file: its boxes and its tracks.
///
/// Only the description is read, not the pictures and sounds. The boxes may have any order.
struct MovieFile {
  /// More tracks than any camera writes.
  static let maximumTrackCount = 100

  let source: any ByteSource
  /// The boxes at the top level.
  let boxes: [FileBox]
  /// The `moov` box, which describes the movie.
  let box: FileBox
  let tracks: [MovieTrack]
  /// The duration in seconds; nil if it is not stated.
  let seconds: Double?
  /// The seconds since 1904 in UTC when the movie was made; 0 if that is not stated.
  let creationTime: UInt64
  /// Why the file could not be followed to its end. It does not matter if nothing is missing.
  let problem: ImageError?

  /// Returns whether a file begins like an MP4 or QuickTime file.
  ///
  /// - Parameter prefix: At least the first 12 bytes. An image in the same container is not a movie.
  static func isMovie(_ prefix: some Collection<UInt8>) -> Bool {
    let bytes = Array(prefix.prefix(12))
    guard bytes.count == 12 else { return false }
    func code(_ start: Int) -> FourCharacterCode {
      FourCharacterCode(bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    switch code(4) {
    case "ftyp":
      let brand = code(8)
      return ImageSniffer.formatsByBrand[brand] == nil && !ImageSniffer.generalBrands.contains(brand)
        && brand != "crx " && brand != "jpx "
    case "moov", "mdat", "wide", "free", "skip", "pnot": return true
    default: return false
    }
  }

  init(_ source: any ByteSource) throws(ImageError) {
    self.source = source
    let (boxes, problem) = try Self.topBoxes(of: source)
    (self.boxes, self.problem) = (boxes, problem)
    if boxes.contains(where: { $0.type == "moof" }) { throw Self.fragmented }
    let descriptions = boxes.filter { $0.type == "moov" }
    guard let box = descriptions.first else { throw problem ?? Self.damaged("its description is missing") }
    guard descriptions.count == 1 else { throw Self.damaged("it has several descriptions") }
    self.box = box
    var header: MovieHeader?
    var tracks: [MovieTrack] = []
    for part in try source.boxes(in: box.content) {
      switch part.type {
      case "mvhd": header = try MovieHeader(try source.reader(part, maximum: 1024))
      case "mvex": throw Self.fragmented
      case "cmov": throw ImageError(.unsupported, "Videos with a compressed description are not supported.")
      case "trak":
        guard tracks.count < Self.maximumTrackCount else {
          throw ImageError(
            .tooLarge, "The video has more tracks than the maximum of \(Self.maximumTrackCount).")
        }
        tracks.append(try MovieTrack(part, source))
      default: break
      }
    }
    guard let header else { throw Self.damaged("its mvhd box is missing") }
    creationTime = header.creationTime
    seconds = header.seconds ?? tracks.first { $0.isShown }?.seconds
    self.tracks = tracks
    try requirePlayableTracks()
  }

  private static func topBoxes(
    of source: any ByteSource
  ) throws(ImageError) -> (boxes: [FileBox], problem: ImageError?) {
    var boxes: [FileBox] = []
    var reader = FileBoxes(source, of: .movie)
    do {
      while let box = try reader.next() { boxes.append(box) }
    } catch {
      if error.code == .unreadable { throw error }
      return (boxes, error)
    }
    return (boxes, nil)
  }

  /// The track whose pictures are shown first.
  var picture: MovieTrack? { tracks.first { $0.isShown } }
  /// The track that is heard first.
  var sound: MovieTrack? { tracks.first { $0.isHeard } }

  private func requirePlayableTracks() throws(ImageError) {
    guard let picture else {
      guard let other = tracks.first(where: { $0.handler == "vide" }) else {
        throw ImageError(.unsupported, "The file has no pictures. Use a video.")
      }
      throw ImageError(
        .unsupported, "The video is coded as \(other.codecNames). Use a video with H.264 or HEVC.")
    }
    guard picture.width > 0, picture.height > 0 else { throw Self.damaged("its size is missing") }
    if sound == nil, let other = tracks.first(where: { $0.handler == "soun" }) {
      throw ImageError(
        .unsupported, "The sound of the video is coded as \(other.codecNames). Use a video with AAC sound.")
    }
  }

  static func damaged(_ reason: String) -> ImageError {
    ImageError(.corrupt, "The video is damaged: \(reason).")
  }

  private static let fragmented = ImageError(
    .unsupported, "Videos in fragments are not supported. Save the video as an ordinary MP4 file.")
}

/// The values with which the boxes `mvhd` and `mdhd` begin.
struct MovieHeader {
  let creationTime: UInt64
  /// The duration; nil if it is not stated.
  let seconds: Double?

  init(_ reader: BoxReader) throws(ImageError) {
    var reader = reader
    let isLong = try reader.version().version == 1
    creationTime = try reader.number(bytes: isLong ? 8 : 4)
    _ = try reader.number(bytes: isLong ? 8 : 4)
    let scale = try reader.long()
    let duration = try reader.number(bytes: isLong ? 8 : 4)
    let isKnown = scale > 0 && duration > 0 && duration != (isLong ? .max : UInt64(UInt32.max))
    seconds = isKnown ? Double(duration) / Double(scale) : nil
  }
}

extension ByteSource {
  /// Returns the boxes of a movie in a range.
  func boxes(in range: Range<Int>) throws(ImageError) -> [FileBox] {
    var boxes: [FileBox] = []
    var reader = FileBoxes(self, in: range, of: .movie)
    while let box = try reader.next() { boxes.append(box) }
    return boxes
  }

  /// Returns a reader of the content of a box.
  ///
  /// - Throws: An error if the content is larger than the maximum, or incomplete.
  func reader(_ box: FileBox, maximum: Int) throws(ImageError) -> BoxReader {
    guard box.content.count <= maximum else {
      throw ImageError(
        .tooLarge,
        "The \(box.type) box of the video has \(box.content.count) bytes; the maximum is \(maximum) bytes.")
    }
    guard let bytes = try exactly(box.content.count, at: box.content.lowerBound) else {
      throw MovieFile.damaged("its \(box.type) box is incomplete")
    }
    return BoxReader(bytes[...])
  }
}
