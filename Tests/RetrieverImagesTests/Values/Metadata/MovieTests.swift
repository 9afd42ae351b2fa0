import Foundation
import TestSupport
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct MovieTests {
  private func contains(_ data: Data, _ text: String) -> Bool { data.range(of: Data(text.utf8)) != nil }

  private func code(_ data: Data) -> ImageError.Code? {
    do {
      _ = try MovieMetadata(data: data)
      return nil
    } catch {
      return error.code
    }
  }

  // MARK: Reading

  @Test func `the description of a video says its size, its duration and its codings`() throws {
    var movie = MovieFixture()
    for (isFirst, isLong) in [(false, false), (true, false), (false, true), (true, true)] {
      (movie.isDescriptionFirst, movie.hasLongSizes, movie.hasLongOffsets) = (isFirst, isLong, isLong)
      let metadata = try MovieMetadata(data: movie.data())
      #expect(metadata.format == .mp4)
      #expect(metadata.pixelWidth == 1920 && metadata.pixelHeight == 1080 && metadata.rotation == 0)
      #expect(metadata.seconds == 42.5)
      #expect(metadata.pictureCodec == "avc1" && metadata.soundCodec == "mp4a")
      #expect(metadata.captureDate == nil && metadata.creationDate == nil && metadata.location == nil)
    }
  }

  @Test func `the video of a phone says when, where and how it was recorded`() throws {
    let metadata = try MovieMetadata(data: MovieFixture.phone.data())
    #expect(metadata.format == .quickTime)
    #expect(metadata.pixelWidth == 1080 && metadata.pixelHeight == 1920 && metadata.rotation == 90)
    #expect(metadata.captureDate?.description == "2024-07-14T15:30:00+02:00")
    #expect(metadata.creationDate?.description == "2024-07-14T13:30:00Z")
    #expect(metadata.location?.latitude == 52.52 && metadata.location?.longitude == 13.405)
    #expect(metadata.location?.altitude == 34)
    #expect(metadata.cameraMake == "SecretCam" && metadata.cameraModel == "Phone 7")
    #expect(metadata.author == "Ada Lovelace")
  }

  @Test func `a place in the form of 3GPP is read`() throws {
    var movie = MovieFixture()
    let degrees = [13.5, -52.25, 7].map { MovieFixture.big(Int($0 * 65_536), 4) }.flatMap { $0 }
    movie.extra = MovieFixture.box(
      "udta", MovieFixture.full("loci", [0x15, 0xC7] + Array("Lake".utf8) + [0, 0] + degrees))
    let location = try MovieMetadata(data: movie.data()).location
    #expect(location?.latitude == -52.25 && location?.longitude == 13.5)
    #expect(try StrippedImage(data: movie.data()).removed.contains(.location))
  }

  @Test(arguments: [
    ("+48.1374+011.5755+519/", 48.1374, 11.5755), ("-33.8+151.2/", -33.8, 151.2),
    ("+27.5916+086.5640+8850CRSWGS_84/", 27.5916, 86.564),
  ]) func `places in ISO 6709 are read`(text: String, latitude: Double, longitude: Double) {
    let location = MovieTags.location(text)
    #expect(location?.latitude == latitude && location?.longitude == longitude)
  }

  @Test(arguments: ["", "+", "48.1+11.5/", "+95+11/", "+48.1", "+48.1.2+11/", "north"])
  func `other texts are not a place`(text: String) {
    #expect(MovieTags.location(text) == nil)
  }

  // MARK: What is refused

  @Test func `videos in fragments, without pictures or with other codings are refused`() throws {
    var fragments = MovieFixture()
    fragments.extra = MovieFixture.box("mvex", [])
    var pieces = MovieFixture()
    pieces.trailer = MovieFixture.box("moof", [])
    var sound = MovieFixture()
    sound.tracks.removeFirst()
    var other = MovieFixture()
    other.tracks[0].codec = "jpeg"
    var pcm = MovieFixture()
    pcm.tracks[1].codec = "sowt"
    for movie in [fragments, pieces, sound, other, pcm] { #expect(code(movie.data()) == .unsupported) }
    #expect(code(Data("GIF89a------".utf8)) == .unknownFormat)
    #expect(code(Data()) == .unknownFormat)
  }

  @Test func `a video that refers to other files is refused`() throws {
    var data = MovieFixture().data()
    let place = try #require(data.range(of: Data("url ".utf8)))
    data[place.upperBound + 3] = 0
    #expect(throws: ImageError.self) { try StrippedImage(data: data) }
  }

  @Test func `a video whose samples are missing is incomplete`() throws {
    var movie = MovieFixture()
    movie.isDescriptionFirst = true
    let error = #expect(throws: ImageError.self) { try StrippedImage(data: movie.data().dropLast(2)) }
    #expect(error?.code == .truncated)
  }

  // MARK: Copies without metadata

  @Test func `a copy has the pictures and sounds at their places, and nothing private`() throws {
    for isFirst in [true, false] {
      var movie = MovieFixture.phone
      movie.isDescriptionFirst = isFirst
      movie.unusedData = Array("secret".utf8)
      let data = movie.data()
      let stripped = try StrippedImage(data: data)
      let copy = try stripped.data()
      #expect(copy.count == data.count)
      for secret in MovieFixture.secrets { #expect(!contains(copy, secret), "\(secret)") }
      #expect(stripped.removed.isSuperset(of: [.location, .time, .text, .otherData, .xmp]))
      let (before, after) = (try MovieFile(DataSource(data)), try MovieFile(DataSource(copy)))
      #expect(after.tracks.count == 2)
      for (track, same) in zip(before.tracks, after.tracks) {
        let chunks = try MovieSamples(track, before.source).chunks()
        #expect(try MovieSamples(same, after.source).chunks() == chunks)
        for chunk in chunks { #expect(data[chunk] == copy[chunk]) }
      }
      let metadata = try MovieMetadata(data: copy)
      #expect(metadata.captureDate == nil && metadata.creationDate == nil && metadata.location == nil)
      #expect(metadata.pixelWidth == 1080 && metadata.rotation == 90 && metadata.seconds == 42.5)
      let again = try StrippedImage(data: copy)
      #expect(again.removed.isEmpty)
      #expect(try again.data() == copy)
    }
  }

  @Test(arguments: [3, 8, 40]) func `what follows the last box becomes zeros`(count: Int) throws {
    let data = MovieFixture.phone.data() + Data(repeating: 0x41, count: count)
    let stripped = try StrippedImage(data: data)
    #expect(stripped.removed.contains(.otherData))
    let copy = try stripped.data()
    #expect(copy.suffix(count).allSatisfy { $0 == 0 })
    #expect(try StrippedImage(data: copy).removed.isEmpty)
  }

  @Test func `the pieces of a copy name its bytes in the original`() throws {
    let data = MovieFixture.phone.data()
    let stripped = try StrippedImage(data: data)
    let copy = try stripped.data()
    var position = 0
    for piece in stripped.pieces {
      switch piece {
      case .original(let range):
        #expect(range.lowerBound == position)
        #expect(copy[range] == data[range])
        position += range.count
      case .new(let count): position += count
      }
    }
    #expect(position == data.count)
  }

  @Test func `samples that are said to be in the description reveal nothing of it`() throws {
    let data = MovieFixture.phone.data()
    let secret = try #require(data.range(of: Data("SecretCam".utf8)))
    var changed = data
    let table = try #require(data.range(of: Data("stco".utf8)))
    changed.replaceSubrange(
      (table.upperBound + 8)..<(table.upperBound + 12), with: MovieFixture.big(secret.lowerBound, 4))
    #expect(throws: ImageError.self) { try StrippedImage(data: changed) }
  }

  // MARK: Damage

  @Test func `no damage ends the program, and no copy of a damaged video has metadata`() throws {
    let data = MovieFixture.phone.data()
    for end in 0..<data.count { check(data.prefix(end)) }
    let sizes: [[UInt8]] = [
      [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 7], [0xFF, 0xFF, 0xFF, 0xFF], [0x7F, 0xFF, 0xFF, 0xFF],
    ]
    for position in stride(from: 0, to: data.count - 4, by: 1) {
      for size in sizes {
        var changed = data
        changed.replaceSubrange(position..<position + 4, with: size)
        check(changed)
      }
    }
  }

  @Test func `random bytes in a video do not end the program`() throws {
    var random = SeededRandom(17)
    var movie = MovieFixture.phone
    (movie.hasLongSizes, movie.hasLongOffsets) = (true, true)
    let data = movie.data()
    for _ in 0..<2_000 {
      var changed = data
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        changed[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      check(changed)
    }
  }

  @Test func `sizes of 64 bits and boxes in boxes have limits`() {
    for size in [0, 1, 15, 16, Int.max, -1] {
      let head = MovieFixture.box("ftyp", Array("isom".utf8) + [0, 0, 0, 0])
      check(Data(head + MovieFixture.big(1, 4) + Array("moov".utf8) + MovieFixture.big(size, 8)))
    }
    var nested = MovieFixture.box("udta", [])
    for _ in 0..<2_000 { nested = MovieFixture.box("udta", nested) }
    var movie = MovieFixture()
    movie.extra = nested
    check(movie.data())
    var many = MovieFixture()
    many.extra = Array(
      repeatElement(MovieFixture.box("free", []), count: FileBoxes.maximumCount + 1).joined())
    #expect(code(many.data()) == .tooLarge)
    var tracks = MovieFixture()
    tracks.tracks = Array(repeating: tracks.tracks[0], count: MovieFile.maximumTrackCount + 1)
    #expect(code(tracks.data()) == .tooLarge)
  }

  private func check(_ data: Data) {
    _ = try? MovieMetadata(data: data)
    guard let stripped = try? StrippedImage(data: data), let copy = try? stripped.data() else { return }
    #expect(copy.count == data.count)
    let metadata = try? MovieMetadata(data: copy)
    #expect(metadata?.location == nil && metadata?.author == nil && metadata?.captureDate == nil)
  }
}
