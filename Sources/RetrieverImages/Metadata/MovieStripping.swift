/// Plans the copy of an MP4 or QuickTime file without its metadata.
///
/// Everything stays at its position, because the description states the places of all samples as positions in the file. Of
/// the description, only the boxes that players need are copied; others become free space of the same size. Of the data,
/// only the samples of the tracks with pictures and sounds are copied. Zeros replace all other bytes, such as the tracks in
/// which cameras record their positions.
enum MovieStripping {
  static func plan(_ source: any ByteSource) throws(ImageError) -> StrippingPlan {
    let movie = try MovieFile(source)
    var copy = try MovieCopy(movie)
    try copy.take()
    return try copy.plan()
  }
}

/// The parts of a movie that a copy has.
private struct MovieCopy {
  /// What becomes of a box.
  private enum Treatment {
    case copied
    /// Its boxes have treatments of their own.
    case opened([FourCharacterCode: Treatment])
    /// Its times are cleared.
    case withoutTimes
    /// Its name is cleared.
    case withoutName
    /// It may refer to this file only.
    case references
    /// The descriptions of the samples.
    case descriptions
    /// It is copied if it groups samples for seeking.
    case grouping
  }

  private let movie: MovieFile
  private let source: any ByteSource
  private var kept: [Range<Int>] = []
  private var made: [(position: Int, bytes: [UInt8])] = []
  private var removed: Set<StrippedImage.Record> = []
  private let hasLocation: Bool

  init(_ movie: MovieFile) throws(ImageError) {
    self.movie = movie
    source = movie.source
    hasLocation = try MovieTags(movie).hasLocation
  }

  // MARK: The file

  mutating func take() throws(ImageError) {
    for (index, box) in movie.boxes.enumerated() {
      switch box.type {
      case "ftyp" where index == 0: kept.append(box.range)
      case "moov": try takeDescription(box)
      case "mdat": kept.append(box.head)
      default: try leaveOut(box)
      }
    }
    // What follows the last box has no effect on any position.
    if let last = movie.boxes.last, last.range.upperBound < source.count { removed.insert(.otherData) }
    try takeSamples()
  }

  private mutating func takeSamples() throws(ImageError) {
    let data = movie.boxes.filter { $0.type == "mdat" }.map(\.content)
    let area = DisjointRanges(data)
    var samples: [Range<Int>] = []
    for track in movie.tracks where track.isKept {
      for chunk in try MovieSamples(track, source).chunks() where !chunk.isEmpty {
        guard area.contains(chunk) else {
          throw movie.problem
            ?? ImageError(.truncated, "The video is incomplete: its pictures or sounds are missing.")
        }
        samples.append(chunk)
      }
    }
    let parts = DisjointRanges(samples)
    for content in data {
      for gap in parts.gaps(in: content) where !removed.contains(.otherData) {
        if try !source.isZero(gap) { removed.insert(.otherData) }
      }
    }
    kept += parts.ranges
  }

  /// Makes free space of a box.
  private mutating func leaveOut(_ box: FileBox) throws(ImageError) {
    let start = box.range.lowerBound
    kept.append(start..<start + 4)
    if ["free", "skip", "wide"].contains(box.type) {
      kept.append((start + 4)..<start + 8)
      try clear(box.content, as: .otherData)
    } else {
      made.append((start + 4, Array("free".utf8)))
      removed.insert(box.type == "uuid" ? .xmp : .otherData)
      if hasLocation { removed.insert(.location) }
    }
    kept.append((start + 8)..<box.content.lowerBound)
  }

  /// Clears bytes, and records that if they were not zero.
  private mutating func clear(_ range: Range<Int>, as record: StrippedImage.Record) throws(ImageError) {
    guard !removed.contains(record) else { return }
    if try !source.isZero(range) { removed.insert(record) }
  }

  // MARK: The description

  private mutating func takeDescription(_ box: FileBox) throws(ImageError) {
    let trackOrder = Dictionary(
      movie.tracks.map { ($0.box.range.lowerBound, $0) }, uniquingKeysWith: { first, _ in first })
    kept.append(box.head)
    try eachPart(of: box.content) { copy, part throws(ImageError) in
      if let track = trackOrder[part.range.lowerBound] {
        guard track.isKept else { return try copy.leaveOut(part) }
        try copy.take(part, Self.trackBoxes, in: track)
      } else if part.type == "mvhd" {
        try copy.take(part, .withoutTimes, in: nil)
      } else {
        try copy.leaveOut(part)
      }
    }
  }

  private static let trackBoxes: Treatment = .opened([
    "tkhd": .withoutTimes, "edts": .opened(["elst": .copied]),
    "tapt": .opened(["clef": .copied, "prof": .copied, "enof": .copied]),
    "mdia": .opened([
      "mdhd": .withoutTimes, "hdlr": .withoutName, "elng": .copied,
      "minf": .opened([
        "vmhd": .copied, "smhd": .copied, "hdlr": .withoutName, "dinf": .opened(["dref": .references]),
        "stbl": .opened([
          "stsd": .descriptions, "stts": .copied, "ctts": .copied, "cslg": .copied, "stss": .copied,
          "stps": .copied, "sdtp": .copied, "stsc": .copied, "stsz": .copied, "stco": .copied,
          "co64": .copied, "sbgp": .grouping, "sgpd": .grouping,
        ]),
      ]),
    ]),
  ])

  /// The boxes in the description of samples: how decoders are set up, and how the result is shown.
  private static let codingBoxes: [FourCharacterCode: Treatment] = [
    "avcC": .copied, "hvcC": .copied, "lhvC": .copied, "colr": .copied, "pasp": .copied, "clap": .copied,
    "fiel": .copied, "btrt": .copied, "mdcv": .copied, "clli": .copied, "dvcC": .copied, "dvvC": .copied,
    "amve": .copied, "esds": .copied, "chan": .copied, "chnl": .copied, "srat": .copied,
    "wave": .opened(["frma": .copied, "mp4a": .copied, "esds": .copied, "chan": .copied]),
  ]

  private static let groupings: Set<FourCharacterCode> = ["roll", "prol", "rap ", "sync", "tscl", "tsas"]

  /// Passes on the boxes in a range. What follows them is cleared.
  private mutating func eachPart(
    of range: Range<Int>, _ body: (inout MovieCopy, FileBox) throws(ImageError) -> Void
  ) throws(ImageError) {
    var end = range.lowerBound
    for part in try source.boxes(in: range) {
      try body(&self, part)
      end = part.range.upperBound
    }
    try clear(end..<range.upperBound, as: .otherData)
  }

  private mutating func take(
    _ box: FileBox, _ treatment: Treatment, in track: MovieTrack?
  ) throws(ImageError) {
    switch treatment {
    case .copied: kept.append(box.range)
    case .opened(let parts):
      kept.append(box.head)
      try takeParts(box.content, parts, in: track)
    case .withoutTimes:
      let version = try source.exactly(1, at: box.content.lowerBound)?.first ?? 0
      let times = box.content.lowerBound + 4
      try take(box, clearing: times..<times + (version == 1 ? 16 : 8), as: .time)
    case .withoutName:
      let name = min(box.content.lowerBound + 24, box.content.upperBound)
      try take(box, clearing: name..<box.content.upperBound, as: .text)
    case .references: try takeReferences(box)
    case .descriptions: try takeDescriptions(box, in: track)
    case .grouping:
      let kind = try source.exactly(4, at: box.content.lowerBound + 4) ?? []
      let code = FourCharacterCode(kind.reduce(0) { $0 << 8 | UInt32($1) })
      if Self.groupings.contains(code) { kept.append(box.range) } else { try leaveOut(box) }
    }
  }

  private mutating func takeParts(
    _ range: Range<Int>, _ parts: [FourCharacterCode: Treatment], in track: MovieTrack?
  ) throws(ImageError) {
    try eachPart(of: range) { copy, part throws(ImageError) in
      if let treatment = parts[part.type] {
        try copy.take(part, treatment, in: track)
      } else if part.type.rawValue == 0, part.content.isEmpty {
        // The end of a list in QuickTime files.
        copy.kept.append(part.range)
      } else {
        try copy.leaveOut(part)
      }
    }
  }

  /// Copies a box except for a part of its content.
  private mutating func take(
    _ box: FileBox, clearing range: Range<Int>, as record: StrippedImage.Record
  ) throws(ImageError) {
    let range = range.clamped(to: box.content)
    kept.append(box.range.lowerBound..<range.lowerBound)
    try clear(range, as: record)
    kept.append(range.upperBound..<box.range.upperBound)
  }

  /// Takes the list of files that contain the samples. It must name only this file, and may contain its old path.
  private mutating func takeReferences(_ box: FileBox) throws(ImageError) {
    let list = min(box.content.lowerBound + 8, box.content.upperBound)
    kept.append(box.range.lowerBound..<list)
    try eachPart(of: list..<box.content.upperBound) { copy, part throws(ImageError) in
      guard let flags = try copy.source.exactly(4, at: part.content.lowerBound), part.content.count >= 4,
        flags[3] & 1 == 1
      else {
        throw ImageError(.unsupported, "The video refers to other files. Save it as an independent file.")
      }
      try copy.take(
        part, clearing: (part.content.lowerBound + 4)..<part.content.upperBound, as: .text)
    }
  }

  private mutating func takeDescriptions(_ box: FileBox, in track: MovieTrack?) throws(ImageError) {
    guard let track, box.content.count >= 8 else { throw MovieFile.damaged("its stsd box is too short") }
    let list = box.content.lowerBound + 8
    kept.append(box.range.lowerBound..<list)
    try eachPart(of: list..<box.content.upperBound) { copy, entry throws(ImageError) in
      let start = entry.content.lowerBound
      let headSize =
        track.isShown
        ? MovieDescriptions.pictureHeadSize
        : try MovieDescriptions.soundHeadSize(entry, in: box, copy.source)
      guard entry.content.count >= headSize else { throw MovieFile.damaged("its stsd box is too short") }
      if track.isShown {
        let name = MovieDescriptions.encoderName
        let range = (start + name.lowerBound)..<(start + name.upperBound)
        copy.kept.append(entry.range.lowerBound..<range.lowerBound)
        try copy.clear(range, as: .text)
        copy.kept.append(range.upperBound..<start + headSize)
      } else {
        copy.kept.append(entry.range.lowerBound..<start + headSize)
      }
      try copy.takeParts((start + headSize)..<entry.content.upperBound, Self.codingBoxes, in: track)
    }
  }

  // MARK: The result

  /// Returns the kept and the new bytes in order, with zeros between them.
  func plan() throws(ImageError) -> StrippingPlan {
    var plan = StrippingPlan()
    guard !removed.isEmpty else {
      try plan.copy(0..<source.count)
      return plan
    }
    plan.leaveOut(removed)
    let copied = DisjointRanges(kept.filter { !$0.isEmpty }).ranges.map { ($0, nil as [UInt8]?) }
    let new = made.map { ($0.position..<$0.position + $0.bytes.count, Optional($0.bytes)) }
    var position = 0
    for (range, bytes) in (copied + new).sorted(by: { $0.0.lowerBound < $1.0.lowerBound }) {
      guard range.lowerBound >= position else { throw MovieFile.damaged("its boxes overlap") }
      try plan.clear(range.lowerBound - position)
      if let bytes { try plan.make(bytes) } else { try plan.copy(range) }
      position = range.upperBound
    }
    try plan.clear(source.count - position)
    return plan
  }
}
