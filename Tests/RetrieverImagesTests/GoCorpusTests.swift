import Foundation
import RetrieverImages
import Testing

/// The pictures that Go's own decoders are tested with, where Debian's golang source package is installed.
@Suite(
  .enabled(
    if: !GoCorpus.files.isEmpty, "Go's source package is not installed: apt-get install golang-1.19-src"),
  .timeLimit(.minutes(1)))
struct GoCorpusTests {
  @Test func everyWholePictureOfGosCorpusIsDecoded() async throws {
    let refused = try await GoCorpus.refused(GoCorpus.files.filter { !GoCorpus.isDamaged($0) })
    #expect(refused == [:])
  }

  @Test func damagedPicturesOfGosCorpusAreRefusedOrDecodedWithoutACrash() async throws {
    let damaged = GoCorpus.files.filter(GoCorpus.isDamaged)
    let refused = try await GoCorpus.refused(damaged)
    // The truncated JPEG has its end marker: what is missing of its last scans only blurs it.
    for name in [
      "invalid-noend.png", "invalid-trunc.png", "invalid-zlib.png", "video-001.progressive.truncated.png",
    ] {
      #expect(refused.keys.contains(name), "\(name)")
    }
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
    let name = file.lastPathComponent
    return name.contains("truncated") || name.hasPrefix("invalid-")
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
