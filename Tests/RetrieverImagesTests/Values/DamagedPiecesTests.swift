import Foundation
import Testing

@testable import RetrieverImages

/// Damaged files give the same rows, damage and error, however they are cut into pieces.
@Suite(.timeLimit(.minutes(5))) struct DamagedPiecesTests {
  private func check(_ data: Data, _ name: String, wanted: PixelSize? = nil) {
    let complete = decode(data, wanted: wanted)
    for cut in [Cut.pieces(of: 1), .pieces(of: 1_000), .random(seed: 1), .random(seed: 2)] {
      let decoding = decode(data, cut: cut, wanted: wanted)
      #expect(
        decoding.isSame(as: complete),
        """
        \(name), \(cut): \(decoding.rowCount) and \(complete.rowCount) rows, \(decoding.damage) and \
        \(complete.damage), \(decoding.error?.description ?? "") and \(complete.error?.description ?? "")
        """)
    }
  }

  @Test func `the known kinds of damage`() throws {
    for file in try DamagedFile.all() { check(file.data, file.description) }
  }

  @Test func `damage between the scans of a JPEG`() throws {
    let progressive = try JPEGFixture.progressive(width: 150, height: 120)
    for scans in 1...6 {
      let data = DamagedFile.jpegWithInvalidTable(progressive, afterScans: scans)
      check(data, "an invalid table after \(scans) scans")
      check(data, "an invalid table after \(scans) scans", wanted: PixelSize(width: 9, height: 9))
      #expect(decode(data).rowCount == 120)
    }
  }

  @Test func `a second frame header between the scans of a JPEG gives no rows`() throws {
    let progressive = try JPEGFixture.progressive(width: 150, height: 120)
    let scans = progressive.indices.dropLast().filter {
      progressive[$0] == 0xFF && progressive[$0 + 1] == 0xC4 && $0 > 700
    }
    for place in scans {
      // libjpeg takes the size and the number of components from it before it fails.
      for frame: [UInt8] in [[0, 17, 8, 0, 9, 0, 9, 212], [0, 8, 8, 0, 1, 0, 1, 0], [0, 8, 255, 255]] {
        let data = progressive[..<place] + Data([0xFF, 0xC1] + frame) + progressive[place...]
        check(data, "a second frame header at \(place)")
        #expect(decode(data).error?.code == .corrupt && decode(data).rowCount == 0)
      }
    }
  }

  private func check(mutations: Range<UInt64>, of files: [Data], _ name: String, wanted: PixelSize? = nil) {
    for seed in mutations {
      let file = files[Int(seed) % files.count]
      check(mutated(file, seed: seed), "\(name) \(seed)", wanted: wanted)
      check(file.prefix(Int(seed) * 7_919 % file.count), "the beginning of \(name) \(seed)", wanted: wanted)
    }
  }

  @Test func `changed and truncated JPEGs`() throws {
    let files = [
      try JPEGFixture.baseline(width: 150, height: 120), try JPEGFixture.progressive(width: 150, height: 120),
      try JPEGFixture.form(.rgb8, width: 150, height: 120, restartInterval: 4),
      try JPEGFixture.form(.cmyk8, width: 150, height: 120),
      try JPEGFixture.form(.grey8, width: 300, height: 300),
    ]
    check(mutations: 0..<150, of: files, "JPEG")
    check(mutations: 150..<300, of: files, "JPEG", wanted: PixelSize(width: 9, height: 9))
  }

  @Test func `changed and truncated PNGs`() throws {
    let noisy = Bitmap(
      size: PixelSize(width: 90, height: 70), format: .rgb8,
      pixels: (0..<90 * 70 * 3).map { UInt8(truncatingIfNeeded: $0 &* 7_919 >> 3 ^ $0 / 270) })
    let files = [
      try PNGEncoder.encode(drawnBitmap(width: 150, height: 120)), try PNGEncoder.encode(noisy),
      PNGFixture(width: 60, height: 50, isInterlaced: true).data(),
      PNGFixture(width: 60, height: 50, colorType: .palette, depth: 4, isInterlaced: true).data(),
    ]
    check(mutations: 0..<300, of: files, "PNG")
  }

  @Test func `changed and truncated WebPs`() throws {
    let files = try [RowFormat.rgb8, .rgba8].flatMap { format in
      try [false, true].map { isLossless in
        try WebPEncoder.encode(
          drawnBitmap(width: 150, height: 120, format: format), quality: 0.9, isLossless: isLossless)
      }
    }
    check(mutations: 0..<200, of: files + [try WebPFixture.animation()], "WebP")
  }

  @Test func `changed and truncated GIFs`() {
    let files =
      [
        GIFFixture(), GIFFixture(isInterlaced: true), GIFFixture(transparent: 3), GIFFixture(frameCount: 3),
        GIFFixture(screenWidth: 30, screenHeight: 25, left: 4, top: 6),
      ].map { $0.data() } + [LZWFixture.file(LZWFixture.noise(70 * 60), width: 70, codeSize: 8)]
    check(mutations: 0..<300, of: files, "GIF")
  }

  @Test func `a damaged interlaced PNG shows the rows before the damage, also in one piece`() throws {
    var data = PNGFixture(width: 60, height: 50, isInterlaced: true).data()
    // The last row has no valid filter. After it come the checksums, and the chunk that ends the file.
    data[data.count - 12 - 4 - 4 - (1 + 60 * 3)] = 9
    let complete = decode(data)
    #expect(complete.error != nil && complete.rowCount == 50)
    #expect(decode(data, cut: .pieces(of: 1)).isSame(as: complete))
  }
}
