// The entry points for libFuzzer. scripts/fuzz builds this file with the codecs and the tests' fixtures.
import Foundation

// Safe: set once before the first input, and only read after that.
nonisolated(unsafe) private var readsProfiles = false

/// The limits. They are small, so that large sizes that the fuzzer generates cost no time.
private let limits = ImageLimits(
  bytes: 1 << 20, pixels: 300_000, dimension: 4_096, frames: 50, memory: 8 << 20)

@_cdecl("LLVMFuzzerInitialize")
func initialize(
  _ count: UnsafeMutablePointer<Int32>?, _ arguments: UnsafeMutableRawPointer?
) -> Int32 {
  readsProfiles = getenv("FUZZ_CODEC").map { String(cString: $0) } == "icc"
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
  let data = Data(UnsafeRawBufferPointer(start: bytes, count: count))
  if readsProfiles {
    readProfile(data)
  } else {
    readImage(data)
    readFrames(data)
  }
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
    // If a file is truncated or its compressed pixels are damaged, the sizes of the pieces determine whether a last row
    // is delivered. And if libjpeg gets much input in one piece, it uses a faster decoder, which detects different
    // damage.
    let mayDiffer = isCutOrDamaged(complete.error) || complete.header?.format == .jpeg
    precondition(complete.error == nil || mayDiffer, "the image fails, but succeeds in pieces")
    let isSame = complete.pixels == consumer.pixels || complete.header?.format == .jpeg
    precondition(complete.error != nil || isSame, "in pieces, the pixels differ")
  } catch {
    let canDiffer = complete.error != nil || isCutOrDamaged(error) || complete.header?.format == .jpeg
    precondition(canDiffer, "the image succeeds, but fails in pieces: \(error)")
  }
}

/// Decodes all frames, in one piece and in small pieces, which must give the same.
private func readFrames(_ data: Data) {
  func frames(pieceSize: Int) -> (hashes: [Int], error: ImageError?) {
    let decoder = FrameDecoder(limits: limits, flag: CancellationFlag())
    var hashes: [Int] = []
    do throws(ImageError) {
      for start in stride(from: 0, to: data.count, by: pieceSize) {
        let piece = Data(data[start..<min(start + pieceSize, data.count)])
        try piece.withBytes { (bytes) throws(ImageError) in
          var rest = bytes
          while let frame = try decoder.next(&rest) {
            hashes.append(try frame.image.bitmap().pixels.hashValue)
          }
        }
      }
      if let frame = try decoder.finish() { hashes.append(try frame.image.bitmap().pixels.hashValue) }
    } catch {
      return (hashes, error)
    }
    return (hashes, nil)
  }
  let complete = frames(pieceSize: max(data.count, 1))
  let pieces = frames(pieceSize: 17)
  precondition(complete.hashes == pieces.hashes, "in pieces, the frames differ")
  precondition((complete.error == nil) == (pieces.error == nil), "in pieces, the result differs")
}

private func isCutOrDamaged(_ error: ImageError?) -> Bool {
  error?.code == .truncated || error?.description.contains("The compressed pixels are damaged") == true
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

/// The initial inputs of the fuzzer: small files of every kind.
private enum Seeds {
  static func write(to folder: URL) throws {
    for (codec, files) in [
      ("jpeg", try jpeg()), ("png", png()), ("webp", try webp()), ("gif", gif()), ("icc", icc()),
    ] {
      let place = folder.appendingPathComponent(codec, isDirectory: true)
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      for (index, file) in files.enumerated() {
        try file.write(to: place.appendingPathComponent("seed-\(index)"))
      }
    }
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

  private static func icc() -> [Data] {
    let curves = [ColorProfile.data(exponent: 2.2, chromaticities: nil, of: .rgb)]
    let grey = [ColorProfile.data(exponent: 1.8, chromaticities: nil, of: .grey)]
    return (curves + grey).compactMap { $0 } + [ProfileFixture.inks()]
  }
}
