import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// A program that sends uploads is killed again and again. No acknowledged byte may be missing, and each upload becomes one post
/// at most. `KENNEL_KILLS=200` makes a long run.
@Suite(
  .enabled(if: TestWorld.hasFiles, "the program that is killed writes to SQLite and a directory"),
  .serialized, .timeLimit(.minutes(10)))
struct UploadKillTests {
  @Test func `killed uploads go on where they ended and become one post each`() async throws {
    let directory = try TemporaryDirectory()
    let photo = directory.path("photo.jpg")
    let jpeg = try SiteFixture.jpeg(1, width: 60, height: 40)
    try jpeg.write(to: URL(fileURLWithPath: photo))
    var random = SeededRandom(0x7570_6c6f)
    var known = Uploaded()
    for life in 1...KillCount.value(normally: 15) {
      let arguments = [directory.path("data"), "\(life)", photo]
      let (target, names) = (Int.random(in: 0..<40, using: &random), known.unfinished)
      let spins = Int.random(in: 0..<100_000, using: &random)
      let output = try await runOnThread {
        try KilledWriter.live(arguments, input: names + [""], killedAfter: target, spins: spins)
      }
      output.expectKilled(life)
      for line in output.lines { known.hear(line) }
      try await withStore(in: directory) { store in
        #expect(try await store.check(readsPhotos: true).problems == [], "Life \(life)")
        try await known.expectAll(in: store, life)
      }
    }
    #expect(known.posts.count > 3)
  }
}

/// What was acknowledged by all runs.
private struct Uploaded {
  private var captions: [String: String] = [:]
  private var offsets: [String: Int] = [:]
  var posts: [String: Int64] = [:]

  /// The uploads that are not known to be posts, with their captions.
  var unfinished: [String] {
    captions.filter { posts[$0.key] == nil }.map { "\($0.key) \($0.value)" }.sorted()
  }

  mutating func hear(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count == 3 else { return }
    switch words[0] {
    case "begun": (captions[words[1]], offsets[words[1]]) = (words[2], 0)
    case "found", "has":
      let offset = Int(words[2]) ?? -1
      #expect(offset >= offsets[words[1]] ?? .max, "\(line)")
      offsets[words[1]] = offset
    case "posted":
      let post = Int64(words[2])
      #expect(posts[words[1]] == nil || posts[words[1]] == post, "\(line)")
      posts[words[1]] = post
    default: Issue.record("Unexpected line: \(line)")
    }
  }

  func expectAll(in store: KennelStore, _ life: Int) async throws {
    let user = try #require(try await store.accounts.user(named: "Writer"))
    var byCaption: [String: [Int64]] = [:]
    for post in try await store.posts.persistentPosts() {
      byCaption[post.caption, default: []].append(post.id)
    }
    #expect(byCaption.values.allSatisfy { $0.count == 1 }, "Life \(life)")
    for (name, caption) in captions {
      let upload = try await store.uploads.upload(name, of: user.id)
      #expect(byCaption[caption]?.first == upload.post, "Life \(life)")
      if let post = posts[name] { #expect(upload.post == post, "Life \(life)") }
      guard upload.post == nil else { continue }
      let offset = try await store.uploads.open(upload).offset
      #expect(offset >= offsets[name] ?? 0, "Life \(life)")
    }
    // Also of uploads that were begun without an acknowledgement.
    let unfinishedCount = try await store.uploads.unfinishedCount()
    let files = try store.incomingFiles()
    #expect(files.allSatisfy { $0.hasSuffix(".upload") }, "Life \(life)")
    #expect(files.count == unfinishedCount, "Life \(life)")
  }
}
