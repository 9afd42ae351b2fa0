/// Where the samples of a track are in the file, from its sample table.
struct MovieSamples {
  /// The maximum size of a table. A video of 10 hours has less.
  static let maximumTableSize = 32 << 20

  private let track: MovieTrack
  private let source: any ByteSource

  init(_ track: MovieTrack, _ source: any ByteSource) {
    self.track = track
    self.source = source
  }

  /// Returns the ranges of the file with the samples, one for each chunk, in the order of the track.
  func chunks() throws(ImageError) -> [Range<Int>] {
    let offsets = try self.offsets()
    if offsets.count == 0 { return [] }
    let runs = try table("stsc", head: 4, width: 12)
    var sizes = try SampleSizes(try bytes("stsz"))
    guard runs.count > 0 else { throw Self.damaged("stsc") }
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(offsets.count)
    var run = 0
    for chunk in 0..<offsets.count {
      // Chunks are numbered from 1. Each entry applies until the next one begins.
      while run + 1 < runs.count, runs.number(run + 1, at: 0, bytes: 4) <= UInt64(chunk + 1) { run += 1 }
      let count = try sizes.next(Int(runs.number(run, at: 4, bytes: 4)))
      guard let start = Int(exactly: offsets.number(chunk, at: 0, bytes: offsets.width)) else {
        throw Self.damaged("co64")
      }
      let (end, isTooMuch) = start.addingReportingOverflow(count)
      guard !isTooMuch else { throw Self.damaged("stsz") }
      ranges.append(start..<end)
    }
    return ranges
  }

  private func offsets() throws(ImageError) -> MovieTable {
    track.tables["stco"] != nil
      ? try table("stco", head: 4, width: 4) : try table("co64", head: 4, width: 8)
  }

  private func bytes(_ type: FourCharacterCode) throws(ImageError) -> [UInt8] {
    guard let box = track.tables[type] else {
      throw MovieFile.damaged("the \(type) box of a track is missing")
    }
    return Array(try source.reader(box, maximum: Self.maximumTableSize).rest)
  }

  private func table(_ type: FourCharacterCode, head: Int, width: Int) throws(ImageError) -> MovieTable {
    try MovieTable(try bytes(type), head: head, width: width, type)
  }

  static func damaged(_ type: FourCharacterCode) -> ImageError {
    MovieFile.damaged("the \(type) box of a track is invalid")
  }
}

/// A table of a box: a number of entries of the same size.
struct MovieTable {
  let count: Int
  let width: Int
  private let start: Int
  private let bytes: [UInt8]

  /// - Parameters:
  ///   - bytes: The content of the box.
  ///   - head: The size of what comes before the number of entries.
  init(_ bytes: [UInt8], head: Int, width: Int, _ type: FourCharacterCode) throws(ImageError) {
    guard bytes.count >= head + 4 else { throw MovieSamples.damaged(type) }
    let count = bytes[head..<head + 4].reduce(0) { $0 << 8 | Int($1) }
    guard count <= (bytes.count - head - 4) / width else { throw MovieSamples.damaged(type) }
    (self.bytes, self.count, self.width, start) = (bytes, count, width, head + 4)
  }

  /// Returns a number of an entry.
  func number(_ index: Int, at offset: Int, bytes size: Int) -> UInt64 {
    let first = start + index * width + offset
    var number: UInt64 = 0
    for index in first..<first + size { number = number << 8 | UInt64(bytes[index]) }
    return number
  }
}

/// The sizes of samples, which are read in order.
private struct SampleSizes {
  /// The size of all samples; 0 if each has its own.
  private let size: Int
  private let count: Int
  private var index = 0
  private let table: MovieTable?

  init(_ bytes: [UInt8]) throws(ImageError) {
    var reader = BoxReader(bytes[...])
    _ = try reader.long()
    size = Int(try reader.long())
    count = Int(try reader.long())
    table = size == 0 ? try MovieTable(bytes, head: 8, width: 4, "stsz") : nil
  }

  /// Returns the size of the next samples together.
  mutating func next(_ samples: Int) throws(ImageError) -> Int {
    guard samples <= count - index else { throw MovieSamples.damaged("stsc") }
    defer { index += samples }
    guard let table else {
      let (total, isTooMuch) = samples.multipliedReportingOverflow(by: size)
      guard !isTooMuch else { throw MovieSamples.damaged("stsz") }
      return total
    }
    // At most 2^23 samples of less than 2^32 bytes: no overflow.
    return (index..<index + samples).reduce(0) { $0 + Int(table.number($1, at: 0, bytes: 4)) }
  }
}
