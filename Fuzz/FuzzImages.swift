// The entry points for libFuzzer. scripts/fuzz builds this file with the codecs and the tests' fixtures.
import Foundation

// Safe: set once before the first input, and only read after that.
nonisolated(unsafe) private var read: (Data) -> Void = readImage

/// The limits. They are small, so that large sizes that the fuzzer generates cost no time.
private let limits = ImageLimits(
  bytes: 1 << 20, pixels: 300_000, dimension: 4_096, frames: 50, memory: 8 << 20)

@_cdecl("LLVMFuzzerInitialize")
func initialize(
  _ count: UnsafeMutablePointer<Int32>?, _ arguments: UnsafeMutableRawPointer?
) -> Int32 {
  switch getenv("FUZZ_CODEC").map({ String(cString: $0) }) {
  case "icc": read = readProfile
  case "heif": read = readContainer
  case "metadata": read = readMetadata
  case "movie": read = readMovie
  case "records": read = readRecords
  case "strip": read = strip
  default: break
  }
  if let folder = getenv("FUZZ_SEEDS").map({ String(cString: $0) }) {
    do {
      try Seeds.write(to: URL(fileURLWithPath: folder, isDirectory: true))
      exit(0)
    } catch {
      print("Could not write the seeds: \(error)")
      exit(1)
    }
  }
  return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  read(Data(UnsafeRawBufferPointer(start: bytes, count: count)))
  return 0
}

private func readImage(_ data: Data) {
  let complete = decode(
    data, wanted: data.count.isMultiple(of: 3) ? PixelSize(width: 9, height: 9) : nil, limits: limits)
  if complete.error == nil {
    precondition(complete.isComplete, "an image without all rows was accepted as complete")
    precondition(complete.rowCount == complete.layout?.size.height, "rows are missing")
  }
  let consumer = RecordingConsumer(
    wanted: data.count.isMultiple(of: 3) ? PixelSize(width: 9, height: 9) : nil)
  let decoder = makeImageDecoder(consumer: consumer, limits: limits)
  do throws(ImageError) {
    // Feeds the data in pieces, and takes a snapshot in the middle.
    let half = data.count / 2
    try feed(data.prefix(half), cut: .random(seed: UInt64(data.count)), to: decoder)
    _ = try decoder.snapshot(into: RecordingConsumer())
    try feed(Data(data.dropFirst(half)), cut: .random(seed: UInt64(data.count)), to: decoder)
    try decoder.finish()
    // The sizes of the pieces never matter, even if the data is damaged.
    precondition(complete.error == nil, "the image fails, but succeeds in pieces")
    precondition(complete.damage == decoder.damage, "in pieces, the damage differs")
  } catch {
    precondition(complete.error == error, "in pieces, the error differs: \(error)")
  }
  precondition(complete.pixels == consumer.pixels, "in pieces, the pixels differ")
  readFrames(data)
}

/// Reads a HEIF file up to its coded pixels, and the parameter sets in it.
private func readContainer(_ data: Data) {
  do throws(ImageError) {
    var parser = BoxParser(maximumMetaSize: 1 << 20)
    var store = ItemStore()
    let result: Result<[UInt8]?, ImageError> = data.withUnsafeBytes { bytes in
      store.add(bytes)
      return Result { () throws(ImageError) in try parser.take(bytes) }
    }
    guard let content = try result.get() ?? parser.finish() else { return }
    let meta = try HEIFMeta(content)
    guard let image = try HEIFImage(meta, store: store, limits: limits) else { return }
    _ = image.header
    for (index, coding) in image.picture.codings.enumerated() {
      guard case .hevc(let configuration) = coding else { continue }
      let location = meta.locations[image.picture.tiles[index]]
      let bytes = location.flatMap { store.bytes(of: $0, in: meta.data, maximum: 1 << 16) } ?? []
      for unit in configuration.parameterSets {
        try HEVCConfiguration.check(unit, for: image.picture.tileSize)
      }
      var units = HEVCUnits(bytes, lengthSize: configuration.lengthSize)
      while let unit = try units.next() {
        try HEVCConfiguration.check(unit, for: image.picture.tileSize)
      }
    }
  } catch {}
}

/// Decodes all frames, in one piece and in small pieces, which must give the same.
private func readFrames(_ data: Data) {
  let complete = frames(of: data, pieceSize: max(data.count, 1))
  let pieces = frames(of: data, pieceSize: 17)
  precondition(complete.hashes == pieces.hashes, "in pieces, the frames differ")
  precondition((complete.error == nil) == (pieces.error == nil), "in pieces, the result differs")
}

/// Returns a hash of the pixels and the duration of each frame.
private func frames(of data: Data, pieceSize: Int) -> (hashes: [Int], error: ImageError?) {
  let decoder = FrameDecoder(limits: limits, flag: CancellationFlag())
  var hashes: [Int] = []
  func take(_ frame: ImageFrame) throws(ImageError) {
    var hasher = Hasher()
    hasher.combine(try frame.image.bitmap().pixels)
    hasher.combine(frame.duration)
    hashes.append(hasher.finalize())
  }
  do throws(ImageError) {
    for start in stride(from: 0, to: data.count, by: pieceSize) {
      let piece = Data(data[start..<min(start + pieceSize, data.count)])
      try piece.withBytes { (bytes) throws(ImageError) in
        var rest = bytes
        while let frame = try decoder.next(&rest) { try take(frame) }
      }
    }
    if let frame = try decoder.finish() { try take(frame) }
  } catch {
    return (hashes, error)
  }
  return (hashes, nil)
}

private func readProfile(_ data: Data) {
  for format in [RowFormat.rgb8, .grey8, .cmyk8, .rgba16] {
    guard let profile = ColorProfile.make(data, for: format) else { continue }
    _ = profile.deepCurves()
    let row = [UInt8](repeating: 77, count: 16 * format.bytesPerPixel)
    var output = [UInt8](repeating: 0, count: 16 * profile.outputFormat.bytesPerPixel)
    output.withUnsafeMutableBytes { output in
      row.withUnsafeBytes { profile.convert(row: $0, into: output) }
    }
  }
}

private func readMetadata(_ data: Data) {
  guard let metadata = try? ImageMetadata(data: data) else { return }
  precondition(metadata.keywords.allSatisfy { !$0.isEmpty }, "a keyword is empty")
  _ = metadata.captureDate.map { ($0.description, $0.date) }
  // A file in memory is read like one on a disk, which has its buffer.
  _ = try? ImageHeader.read(data, limits: limits)
}

/// Reads a video and copies it without its metadata. The samples must stay, and nothing may reveal the place.
private func readMovie(_ data: Data) {
  let before = try? MovieMetadata(data: data)
  guard let stripped = try? StrippedImage(data: data), let copy = try? stripped.data() else { return }
  guard before != nil else { return }
  precondition(copy.count == data.count, "the size of the copy is wrong")
  guard let after = try? MovieMetadata(data: copy) else { preconditionFailure("the copy is damaged") }
  precondition(
    after.location == nil && after.author == nil && after.captureDate == nil, "metadata was copied")
  precondition(
    after.pixelWidth == before?.pixelWidth && after.seconds == before?.seconds, "the video has changed")
  precondition((try? StrippedImage(data: copy).removed.isEmpty) == true, "metadata is left")
}

/// Reads the data as each kind of record, without a file around it.
private func readRecords(_ data: Data) {
  if let tiff = TIFFReader(data) {
    let values = EXIFValues(tiff)
    _ = (values.location, values.captureDate, values.description, values.copyright, values.keywords)
    _ = (values.isoSpeed, values.appleHeadroom, values.resolution)
  }
  _ = EXIFOrientation.read(Array(data))
  let packet = XMPPacket(data)
  _ = (packet.orientation, packet.items, GainMap.Parameters(packet), GainMap.Parameters(iso: data))
  _ = (IPTCRecord(data), IPTCRecord(photoshop: data), ICCDescription.read(data))
  _ = (ImageMagickProfile.decode(data), MultiPictureIndex.images(Array(data), at: 0))
  var budget = RecordBudget()
  for name in ["tEXt", "zTXt", "iTXt"] { _ = PNGText(name: name, data: data)?.text(within: &budget) }
  _ = ImageMetadata.Timestamp(String(decoding: data, as: UTF8.self))?.description
}

private func strip(_ data: Data) {
  guard let stripped = try? StrippedImage(data: data), let result = try? stripped.data() else { return }
  precondition(result.count == stripped.byteCount, "the size of the copy is wrong")
  let metadata = try? ImageMetadata(data: result)
  precondition(metadata?.location == nil && metadata?.title == nil, "metadata was copied")
  precondition((try? StrippedImage(data: result)) != nil, "the copy is damaged")
  let before = decode(data, limits: limits)
  guard before.error == nil else { return }
  let after = decode(result, limits: limits)
  if let error = after.error {
    // Where few bytes follow, libjpeg notices codes that it takes for zeros where many do. They were damaged before.
    precondition(error.description.contains("Huffman code"), "the copy cannot be decoded: \(error)")
    return
  }
  // The same codes can also end too early, which libjpeg notices as bytes before the next marker.
  if after.header?.format == .jpeg, !after.damage.isEmpty { return }
  precondition(after.pixels == before.pixels, "the pixels have changed")
  precondition(after.header?.orientation == orientation(of: data, before), "the orientation has changed")
  precondition(profile(of: after) == profile(of: before), "the color profile has changed")
  let original = frames(of: data, pieceSize: max(data.count, 1))
  guard original.error == nil else { return }
  precondition(
    frames(of: result, pieceSize: max(result.count, 1)).hashes == original.hashes, "the frames have changed")
}

/// The profile of an image without bytes that belong to no profile.
private func profile(of decoding: Decoding) -> Data? {
  decoding.header?.profile.flatMap { profile in ICCHeader.statedSize(of: profile).map { profile.prefix($0) } }
}

/// The orientation of the complete file. That of a PNG may follow its pixels.
private func orientation(of data: Data, _ decoding: Decoding) -> ImageOrientation? {
  (try? ImageHeader.read(data, limits: limits).orientation) ?? decoding.header?.orientation
}

/// The initial inputs of the fuzzer: small files of every kind.
private enum Seeds {
  static func write(to folder: URL) throws {
    for (codec, files) in [
      ("jpeg", try jpeg()), ("png", png()), ("webp", try webp()), ("gif", gif()), ("icc", icc()),
      ("heif", heic() + avif()),
      ("heic", heic()), ("avif", avif()),
      ("metadata", try metadata()), ("movie", movies()), ("records", records()), ("strip", try metadata()),
    ] {
      let place = folder.appendingPathComponent(codec, isDirectory: true)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      for (index, file) in files.enumerated() {
        try file.write(to: place.appendingPathComponent("seed-\(index)"))
      }
    }
  }

  private static func movies() -> [Data] {
    var first = MovieFixture.phone
    (first.isDescriptionFirst, first.hasLongSizes, first.hasLongOffsets) = (true, true, true)
    return [MovieFixture(), MovieFixture.phone, first].map { $0.data() }
  }

  private static func jpeg() throws -> [Data] {
    let exif = Array("Exif\0\0".utf8) + EXIFFixture.tiff(orientation: 6, isLittleEndian: true)
    return [
      try JPEGFixture.baseline(width: 35, height: 21), try JPEGFixture.progressive(width: 35, height: 21),
      try JPEGFixture.form(.cmyk8, width: 17, height: 9), try JPEGFixture.form(.grey8, width: 17, height: 9),
      try JPEGFixture.form(.rgb8, width: 33, height: 33, restartInterval: 2),
      JPEGFixture.adding(exif, marker: 0xE1, to: try JPEGFixture.baseline(width: 9, height: 9)),
    ]
  }

  private static func png() -> [Data] {
    var files = PNGFixture.ColorType.allCases.flatMap { type in
      type.depths.flatMap { depth in
        [false, true].map {
          PNGFixture(width: 7, height: 6, colorType: type, depth: depth, isInterlaced: $0).data()
        }
      }
    }
    var form = PNGFixture(width: 5, height: 5, colorType: .palette, depth: 4)
    form.chunks = [
      ("tRNS", [0, 128]), ("gAMA", PNGFixture.big(100_000)),
      ("eXIf", EXIFFixture.tiff(orientation: 3, isLittleEndian: false)),
    ]
    files.append(form.data())
    return files
  }

  private static func webp() throws -> [Data] {
    var files = [try WebPFixture.animation()]
    for format in [RowFormat.rgb8, .rgba8] {
      for isLossless in [false, true] {
        let bitmap = drawnBitmap(width: 25, height: 19, format: format)
        files.append(try WebPEncoder.encode(bitmap, quality: 0.8, isLossless: isLossless))
      }
    }
    let pixels = try WebPFixture.pixels(drawnBitmap(width: 31, height: 20), isLossless: false)
    let exif = WebPFixture.chunk("EXIF", EXIFFixture.tiff(orientation: 6, isLittleEndian: true))
    files.append(WebPFixture.file(WebPFixture.features(flags: 0x28, width: 31, height: 20) + pixels + exif))
    return files
  }

  private static func gif() -> [Data] {
    [
      GIFFixture(), GIFFixture(isInterlaced: true), GIFFixture(transparent: 3), GIFFixture(frameCount: 3),
      GIFFixture(screenWidth: 30, screenHeight: 25, left: 4, top: 6),
    ].map { $0.data() }
  }

  private static func heic() -> [Data] { heif([.red, .gradient, .grey]) }
  private static func avif() -> [Data] { heif([.redAV1, .gradientAV1, .greyAV1]) }

  /// Files of all arrangements around three tiles, of which the last one is gray.
  private static func heif(_ tiles: [HEIFFixture.Tile]) -> [Data] {
    let colors = HEIFFixture.colors(primaries: 9, transfer: 16, matrix: 9, isFullRange: false)
    var transparent = HEIFFixture(tiles[1], properties: [colors])
    transparent.addAlpha(tiles[2], isPremultiplied: true)
    let grid = [tiles[0], tiles[1], tiles[1], tiles[0]]
    var late = HEIFFixture(
      grid: grid, columns: 2, width: 120, height: 100,
      properties: [
        HEIFFixture.crop(width: 50, height: 40, fromMiddle: 5, -10),
        HEIFFixture.rotation(quarterTurnsLeft: 1),
        HEIFFixture.mirroring(swapsSides: true),
      ], isInMeta: false)
    (late.isMetaLast, late.parts, late.hasOpenSizes, late.locationVersion) = (true, 2, true, 2)
    let plain = HEIFFixture(grid: grid, columns: 2, width: 120, height: 100)
    return [HEIFFixture(tiles[1]), HEIFFixture(tiles[2]), transparent, late, plain].map { $0.data() }
  }

  private static func icc() -> [Data] {
    let curves = [ColorProfile.data(exponent: 2.2, chromaticities: nil, of: .rgb)]
    let grey = [ColorProfile.data(exponent: 1.8, chromaticities: nil, of: .grey)]
    return (curves + grey).compactMap { $0 } + [ProfileFixture.inks()]
  }

  private static func metadata() throws -> [Data] {
    try FullFixture.all() + [
      GainMapFixture().data, GainMapFixture(hasIndex: false).data,
      GainMapFixture(GainMapFixture.apple, hasContainer: false).data, WebPFixture.animation(),
    ]
  }

  private static func records() -> [Data] {
    let tiff = [true, false].map { Data(TIFFFixture.camera(isLittleEndian: $0).data()) }
    let texts = [XMPFixture.packet, GainMapFixture.ultraHDR, GainMapFixture.apple].map { Data($0.utf8) }
    return tiff + texts + icc() + [
      Data("\nexif\n  2\n494a\n".utf8), Data("2026:11:26 16:00:01.5+01:00".utf8),
    ]
  }
}
