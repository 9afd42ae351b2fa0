import Foundation
import RetrieverImages
import Testing

/// The test images of Go's own decoders, if Debian's golang source package is installed.
@Suite(
  .enabled(
    if: !GoCorpus.files.isEmpty, "Go's source package is not installed: apt-get install golang-1.19-src"),
  .timeLimit(.minutes(5)))
struct GoCorpusTests {
  @Test func `every undamaged image of the Go corpus is decoded`() async throws {
    let refused = try await GoCorpus.refused(GoCorpus.files.filter { !GoCorpus.isDamaged($0) })
    #expect(refused == [:])
  }

  @Test func `damaged images of the Go corpus are rejected if their pixels are unreliable`() async throws {
    let refused = try await GoCorpus.refused(GoCorpus.files.filter(GoCorpus.isDamaged))
    // The other files contain all pixels. They only lack their end marker, or palette colors that are not used.
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

  /// Returns the files that could not be decoded completely, with the reason.
  static func refused(_ files: [URL]) async throws -> [String: String] {
    var refused: [String: String] = [:]
    for file in files {
      let data = try Data(contentsOf: file)
      do {
        let image = try UIImage(validating: data)
        _ = try await image.thumbnail(ThumbnailTarget(width: 64, height: 64), damage: .strict)
      } catch let error as ImageError {
        refused[file.lastPathComponent] = error.description
      }
    }
    return refused
  }
}
