import Foundation
import Testing

@testable import RetrieverImages

/// Compares orientation, color, transparency and light with thumbnails that a simple program computes in floating
/// point.
@Suite(
  .enabled(
    if: !ReferencePicture.all.isEmpty, "No reference pictures. Run: scripts/setup test"),
  .timeLimit(.minutes(5)))
struct ReferencePicturesTests {
  @Test(arguments: ReferencePicture.all)
  func `a thumbnail matches the reference`(_ picture: ReferencePicture) async throws {
    let image = try UIImage(validating: picture.data())
    let thumbnail = try await image.thumbnail(ThumbnailTarget(width: picture.box, height: picture.box))
    try await expect(thumbnail, toBe: picture)
  }

  @Test(arguments: ReferencePicture.all)
  func `a thumbnail matches the reference when the bytes arrive in small pieces`(_ picture: ReferencePicture)
    async throws
  {
    let data = try picture.data()
    let target = ThumbnailTarget(width: picture.box, height: picture.box)
    let decoder = ThumbnailDecoder(targets: [target], limits: ImageLimits())
    for start in stride(from: 0, to: data.count, by: 61) {
      let piece = data[start..<min(start + 61, data.count)]
      try piece.withUnsafeBytes { try decoder.feed($0) }
    }
    let thumbnail = try #require(try decoder.finish().first)
    try await expect(thumbnail, toBe: picture)
    let complete = try await UIImage(validating: data).thumbnail(target).pixels().samples
    let isTheSame = try await thumbnail.pixels().samples == complete
    #expect(isTheSame, "\(picture.file)")
  }

  private func expect(_ thumbnail: UIImage, toBe picture: ReferencePicture) async throws {
    let pixels = try await thumbnail.pixels()
    try #require(pixels.width == picture.width, "\(picture.file)")
    try #require(pixels.height == picture.height, "\(picture.file)")
    let difference = try picture.difference(from: pixels.samples, hasAlpha: pixels.hasAlpha)
    #expect(difference.mean <= picture.mean, "\(picture.file)")
    #expect(difference.largest <= picture.largest, "\(picture.file)")
  }
}
