/// A track of a movie: pictures, sounds, or other data such as the positions of a camera.
struct MovieTrack {
  let box: FileBox
  /// What the track contains: `vide`, `soun` or another kind.
  let handler: FourCharacterCode
  /// The codings of its samples.
  let codecs: [FourCharacterCode]
  /// The duration in seconds; nil if it is not stated.
  let seconds: Double?
  /// The size as shown: after rotation, and with square pixels. 0 for tracks without pictures.
  let width: Int
  let height: Int
  /// How far the pictures are turned clockwise when they are shown, in degrees: 0, 90, 180 or 270.
  let rotation: Int
  /// The boxes of the sample table, by their type.
  let tables: [FourCharacterCode: FileBox]

  static let pictureCodecs: Set<FourCharacterCode> = ["avc1", "avc3", "hvc1", "hev1"]
  static let soundCodecs: Set<FourCharacterCode> = ["mp4a"]

  /// Whether the track has pictures that browsers can show.
  var isShown: Bool { handler == "vide" && isCoded(as: Self.pictureCodecs) }
  /// Whether the track has sounds that browsers can play.
  var isHeard: Bool { handler == "soun" && isCoded(as: Self.soundCodecs) }
  /// Whether a copy without metadata has the track.
  var isKept: Bool { isShown || isHeard }

  var codecNames: String {
    codecs.isEmpty ? "an unknown format" : Set(codecs.map(\.description)).sorted().joined(separator: ", ")
  }

  private func isCoded(as known: Set<FourCharacterCode>) -> Bool {
    !codecs.isEmpty && codecs.allSatisfy { known.contains($0) }
  }

  init(_ box: FileBox, _ source: any ByteSource) throws(ImageError) {
    self.box = box
    let parts = try Self.parts(source.boxes(in: box.content))
    guard let head = parts["tkhd"], let media = parts["mdia"] else {
      throw MovieFile.damaged("the description of a track is incomplete")
    }
    let mediaParts = try Self.parts(source.boxes(in: media.content))
    guard let mediaHead = mediaParts["mdhd"], let handlerBox = mediaParts["hdlr"],
      let information = mediaParts["minf"]
    else { throw MovieFile.damaged("the description of a track is incomplete") }
    seconds = try MovieHeader(try source.reader(mediaHead, maximum: 1024)).seconds
    var handlerReader = try source.reader(handlerBox, maximum: 4096)
    _ = try handlerReader.number(bytes: 8)
    handler = try handlerReader.code()
    let informationParts = try Self.parts(source.boxes(in: information.content))
    if let table = informationParts["stbl"] {
      tables = try Self.parts(source.boxes(in: table.content))
    } else {
      tables = [:]
    }
    var codecs: [FourCharacterCode] = []
    var coded = (width: 0, height: 0)
    if let descriptions = tables["stsd"] {
      for entry in try MovieDescriptions.entries(descriptions, source) {
        codecs.append(entry.type)
        if handler == "vide", coded.width == 0,
          let size = try source.exactly(4, at: entry.content.lowerBound + MovieDescriptions.sizeOffset)
        {
          coded = (Int(size[0]) << 8 | Int(size[1]), Int(size[2]) << 8 | Int(size[3]))
        }
      }
    }
    self.codecs = codecs
    let display = try MovieDisplay(try source.reader(head, maximum: 1024))
    rotation = display.rotation
    let isSized = display.width > 0 && display.height > 0
    let size = isSized ? (width: display.width, height: display.height) : coded
    let isTurned = rotation == 90 || rotation == 270
    let hasPictures = handler == "vide"
    width = hasPictures ? (isTurned ? size.height : size.width) : 0
    height = hasPictures ? (isTurned ? size.width : size.height) : 0
  }

  /// Returns boxes by their type. The first one of a type counts.
  private static func parts(_ boxes: [FileBox]) -> [FourCharacterCode: FileBox] {
    Dictionary(boxes.map { ($0.type, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

/// How a track is shown, from its `tkhd` box.
struct MovieDisplay {
  let width: Int
  let height: Int
  let rotation: Int

  init(_ reader: BoxReader) throws(ImageError) {
    var reader = reader
    let isLong = try reader.version().version == 1
    // The times, the number of the track, the duration, the layer and the volume, with reserved bytes between them.
    _ = try reader.take((isLong ? 16 : 8) + 8 + (isLong ? 8 : 4) + 16)
    var matrix: [Int32] = []
    for _ in 0..<9 { matrix.append(Int32(bitPattern: try reader.long())) }
    let (a, b) = (Int(matrix[0]), Int(matrix[1]))
    if abs(b) > abs(a) { rotation = b > 0 ? 90 : 270 } else { rotation = a < 0 ? 180 : 0 }
    width = Int(try reader.long() >> 16)
    height = Int(try reader.long() >> 16)
  }
}

/// The sample descriptions of a track (`stsd`): how its samples are coded.
enum MovieDescriptions {
  /// The position of the width and the height in the description of coded pictures.
  static let sizeOffset = 24
  /// The position of the name of the encoder in it.
  static let encoderName = 42..<74
  /// The size of what comes before the boxes in it.
  static let pictureHeadSize = 78

  /// Returns the descriptions. Their content begins after their type.
  static func entries(_ box: FileBox, _ source: any ByteSource) throws(ImageError) -> [FileBox] {
    guard box.content.count >= 8 else { throw MovieFile.damaged("its stsd box is too short") }
    return try source.boxes(in: (box.content.lowerBound + 8)..<box.content.upperBound)
  }

  /// Returns the size of what comes before the boxes in the description of coded sounds. QuickTime has longer forms.
  ///
  /// - Parameters:
  ///   - entry: The description.
  ///   - box: The `stsd` box.
  static func soundHeadSize(
    _ entry: FileBox, in box: FileBox, _ source: any ByteSource
  ) throws(ImageError) -> Int {
    guard let version = try source.exactly(2, at: entry.content.lowerBound + 8),
      let tableVersion = try source.exactly(1, at: box.content.lowerBound)
    else { throw MovieFile.damaged("its stsd box is too short") }
    switch (version[1], tableVersion[0]) {
    case (1, 0): return 28 + 16
    case (2, 0): return 28 + 36
    default: return 28
    }
  }
}
