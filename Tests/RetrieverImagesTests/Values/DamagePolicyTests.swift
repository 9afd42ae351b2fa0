import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct DamagePolicyTests {
  private let target = ThumbnailTarget(width: 20, height: 20)

  @Test func `a thumbnail shows what could be decoded, and lists what was wrong`() async throws {
    for file in try DamagedFile.all() {
      let image = try UIImage(validating: file.data)
      #expect(image.damage.isEmpty, "the pixels are not decoded yet")
      let thumbnail = try await image.thumbnail(target)
      #expect(thumbnail.damage.map(\.kind) == file.kinds, "\(file)")
      #expect(thumbnail.damage.allSatisfy { !$0.description.isEmpty })
      let pixels = try await thumbnail.pixels()
      #expect(pixels[0, 0]?.alpha == 255, "\(file)")
      // What was wrong is also known of images made from the thumbnail.
      #expect(try await thumbnail.thumbnail(ThumbnailTarget(width: 3, height: 3)).damage == thumbnail.damage)
    }
  }

  @Test func `the strict policy rejects damaged pixels, with the same partial image and list`() async throws {
    for file in try DamagedFile.all() {
      let image = try UIImage(validating: file.data)
      let tolerated = try await image.thumbnail(target)
      let isStrictlyValid = file.kinds.allSatisfy { $0 == .other }
      do {
        let strict = try await image.thumbnail(target, damage: .strict)
        #expect(isStrictlyValid && strict.damage == tolerated.damage, "\(file)")
      } catch let error as ImageError {
        #expect(!isStrictlyValid, "\(file): \(error)")
        #expect(error.code == (file.kinds.contains(.incomplete) ? .truncated : .corrupt), "\(file)")
        #expect(error.damage == tolerated.damage, "\(file)")
        let partial = try #require(error.partialImages.first, "\(file)")
        #expect(try await partial.pixels() == tolerated.pixels(), "\(file)")
      }
    }
  }

  @Test func `a conversion is strict unless the caller asks for tolerance`() async throws {
    for file in try DamagedFile.all() where file.kinds.contains(where: { $0 != .other }) {
      let image = try UIImage(validating: file.data)
      await #expect(throws: ImageError.self, "\(file)") { try await image.pixels() }
      await #expect(throws: ImageError.self, "\(file)") { try await image.data(as: .png) }
      let pixels = try await image.pixels(damage: .tolerate)
      #expect(pixels.width == Int(image.size.width) && pixels.height == Int(image.size.height), "\(file)")
      let png = try await image.data(as: .png, damage: .tolerate)
      #expect(try await UIImage(validating: png).pixels() == pixels, "\(file)")
    }
  }

  @Test func `damage that ends the decoding early makes the image incomplete`() async throws {
    var png = try PNGEncoder.encode(drawnBitmap(width: 150, height: 120))
    // Damages the compressed pixels.
    for index in (png.count / 2)..<(png.count / 2 + 40) { png[index] ^= 0xFF }
    let image = try UIImage(validating: png)
    #expect(try await image.thumbnail(target).damage.map(\.kind) == [.incomplete])
    let error = await #expect(throws: ImageError.self) { try await image.thumbnail(target, damage: .strict) }
    #expect(error?.code == .corrupt && error?.damage.map(\.kind) == [.incomplete])
  }

  @Test(arguments: [1, 2, 4])
  func `the scans before damage are shown, with less detail`(scans: Int) async throws {
    let progressive = try JPEGFixture.progressive(width: 150, height: 120)
    let data = DamagedFile.jpegWithInvalidTable(progressive, afterScans: scans)
    try #require(data != progressive)
    let image = try UIImage(validating: data)
    let shown = try await image.pixels(damage: .tolerate)
    let expected = try await UIImage(validating: progressive).pixels()
    var difference = 0
    for y in 0..<120 {
      for x in 0..<150 {
        guard let found = shown[x, y], let right = expected[x, y] else { continue }
        #expect(found.alpha == 255)
        difference += abs(Int(found.green) - Int(right.green))
      }
    }
    #expect(difference / (150 * 120) < 20, "\(difference)")
    #expect(try await image.thumbnail(target).damage.map(\.kind) == [.incomplete])
    let error = await #expect(throws: ImageError.self) { try await image.pixels() }
    #expect(error?.code == .corrupt && error?.partialImages.count == 1)
  }

  @Test func `an image without any row is an error under both policies`() async throws {
    let jpeg = try JPEGFixture.baseline(width: 150, height: 120)
    let image = try UIImage(validating: jpeg.prefix(700))
    for policy in DamagePolicy.allCases {
      let error = await #expect(throws: ImageError.self) { try await image.thumbnail(target, damage: policy) }
      #expect(error?.code == .truncated && error?.damage.map(\.kind) == [.incomplete])
    }
  }

  @Test func `an invalid request is an error under both policies, and no damage`() async throws {
    let image = try UIImage(validating: try JPEGFixture.baseline())
    let error = await #expect(throws: ImageError.self) {
      try await image.thumbnail(ThumbnailTarget(width: 0, height: 9))
    }
    #expect(error?.code == .invalidRequest && error?.damage.isEmpty == true)
  }
}
