import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct PrivatePartTests {
  private func makePhotos(_ directory: TemporaryDirectory) throws -> PhotoDirectory {
    try PhotoDirectory(path: directory.path("photos"), maximumPhotoSize: 1 << 20)
  }

  /// Takes all but some ranges out of a file, and puts it together again.
  private func roundTrip(
    _ original: Data, _ ranges: [Range<Int>], in photos: PhotoDirectory, _ directory: TemporaryDirectory
  ) throws -> PhotoHash? {
    let path = directory.path("original")
    try directory.write(original, to: "original")
    // One byte that is not copied comes before each range.
    var shown = Data()
    var copies: [(range: Range<Int>, position: Int)] = []
    for range in ranges {
      shown += [0xee]
      copies.append((range, shown.count))
      shown += original[range]
    }
    try directory.write(shown + [0], to: "shown")
    let part = PrivatePart(copies: copies, byteCount: original.count)
    let rest = try photos.stage(part, ofFileAt: path)
    return try photos.hashOfUpload(photo: directory.path("shown"), part: rest.path)
  }

  @Test func `a file is put together again from what was shown and what was taken out`() throws {
    let directory = try TemporaryDirectory()
    let photos = try makePhotos(directory)
    var random = SeededRandom(7)
    let original = Data((0..<600_000).map { _ in UInt8.random(in: 0...255, using: &random) })
    let hash = PhotoHash(bytes: Sodium.sha256(Array(original)))
    for ranges in [
      [], [0..<600_000], [5..<10, 10..<300_000, 400_000..<599_999],
      // In another order, and overlapping.
      [500_000..<600_000, 0..<9], [0..<100, 50..<200, 60..<70],
    ] {
      #expect(try roundTrip(original, ranges, in: photos, directory) == hash, "\(ranges)")
    }
  }

  @Test func `a file that was uploaded under a higher limit is put together again`() throws {
    let directory = try TemporaryDirectory()
    let photos = try PhotoDirectory(path: directory.path("photos"), maximumPhotoSize: 1000)
    let original = Data.pattern(count: 300_000)
    let hash = PhotoHash(bytes: Sodium.sha256(Array(original)))
    #expect(try roundTrip(original, [0..<100_000, 200_000..<300_000], in: photos, directory) == hash)
  }

  @Test func `a damaged part is an error, and never more than both files have is read`() throws {
    let directory = try TemporaryDirectory()
    let photos = try makePhotos(directory)
    try directory.write(Data("0123456789".utf8), to: "original")
    try directory.write(Data("0123".utf8), to: "shown")
    let part = try photos.stage(
      PrivatePart(copies: [(0..<4, 0)], byteCount: 10), ofFileAt: directory.path("original"))
    let bytes = try Data(contentsOf: URL(fileURLWithPath: part.path))
    #expect(try photos.hashOfUpload(photo: directory.path("shown"), part: part.path) != nil)
    func code(_ bytes: Data) throws -> KennelError.Code? {
      try directory.write(bytes, to: "part")
      do throws(KennelError) {
        _ = try photos.hashOfUpload(photo: directory.path("shown"), part: directory.path("part"))
        return nil
      } catch {
        return error.code
      }
    }
    for count in 0..<bytes.count { #expect(try code(bytes.prefix(count)) == .damaged, "\(count)") }
    // Each number, with values that are too large.
    for index in 8..<(bytes.count - 6) {
      var changed = bytes
      changed[index] = 0xff
      let code = try code(changed)
      #expect(code == .damaged || code == nil, "\(index)")
    }
    #expect(PrivatePart(copies: [], byteCount: 0).steps.isEmpty)
    // Both steps copy the same bytes of the photo.
    let step = Data(count: 15) + Data([100])
    try directory.write(Data(count: 100), to: "shown")
    #expect(try code(Data("Kennel1\n".utf8) + Data(count: 7) + Data([2]) + step + step) == .damaged)
  }
}
