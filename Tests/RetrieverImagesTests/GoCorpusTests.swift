import Foundation
import RetrieverImages
import Testing

/// The pictures that Go's own decoders are tested with, where Debian's golang source package is installed.
@Suite(
  .enabled(
    if: !GoCorpus.files.isEmpty, "Go's source package is not installed: apt-get install golang-1.19-src"),
  .timeLimit(.minutes(1)))
struct GoCorpusTests {
  @Test func everyPictureOfGosCorpusIsDecodedUnlessItIsDamaged() async throws {
    let refused = try await GoCorpus.refused(GoCorpus.files.filter { !GoCorpus.isDamaged($0) })
    #expect(refused == [:])
  }

  @Test func damagedPicturesOfGosCorpusAreRefusedWhenTheirPixelsCannotBeTrusted() async throws {
    let refused = try await GoCorpus.refused(GoCorpus.files.filter(GoCorpus.isDamaged))
    // The other ones lack no pixel: only the mark of their end, or colours of a palette that are not used.
    #expect(Set(refused.keys).isSuperset(of: ["invalid-crc32.png", "invalid-zlib.png"]))
  }
}

enum GoCorpus {
  static let files: [URL] = ["image/testdata", "image/png/testdata", "image/png/testdata/pngsuite"].flatMap {
    folder in
    let url = URL(filePath: "/usr/share/go-1.19/src/\(folder)", directoryHint: .isDirectory)
    let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
    return names.sorted().map { url.appending(path: $0) }
      .filter { ["jpeg", "jpg", "png", "gif"].contains($0.pathExtension) }
  }

  static func isDamaged(_ file: URL) -> Bool {
    file.lastPathComponent.hasPrefix("invalid-")
  }

  /// Which files could not be decoded whole, and why.
  static func refused(_ files: [URL]) async throws -> [String: String] {
    var refused: [String: String] = [:]
    for file in files {
      let data = try Data(contentsOf: file)
      do {
        let image = try UIImage(validating: data)
        _ = try await image.thumbnail(ThumbnailTarget(width: 64, height: 64))
      } catch let error as ImageError {
        refused[file.lastPathComponent] = error.message
      }
    }
    return refused
  }
}
