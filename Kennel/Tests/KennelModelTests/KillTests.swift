import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel

/// A program changes a store at full speed and is killed two hundred times. No acknowledged change may be missing, and
/// nothing that was acknowledged as deleted may exist.
@Suite(
  .enabled(if: TestWorld.hasFiles, "the program that is killed writes to SQLite and a directory"),
  .serialized, .timeLimit(.minutes(5)))
struct KillTests {
  @Test func `two hundred kills lose no acknowledged change`() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededRandom(0x7761_6767)
    // With ThreadSanitizer, each run takes many times as long, and this test is not about threads.
    let lives = ResourceSnapshot.isSanitized ? 10 : 200
    var known = Acknowledged()
    var lines = 0
    for life in 1...lives {
      let path = directory.path("data")
      // Some processes are killed before they have begun.
      let target = Int.random(in: 0..<100, using: &random)
      let spins = Int.random(in: 0..<100_000, using: &random)
      let output = try await runOnThread {
        try KilledWriter.live([path, "\(life)"], killedAfter: target, spins: spins)
      }
      output.expectKilled(life)
      for line in output.lines { known.hear(line) }
      lines += output.lines.count
      // From time to time, everything is verified. Each time, the acknowledgements of this run are verified.
      let isThorough = life % 20 == 0 || life == lives
      let first = isThorough ? nil : output.lines.lazy.compactMap(Acknowledged.post).min()
      try await withStore(in: directory) { store in
        if isThorough || first != nil { try await known.expectAll(from: first ?? 0, in: store) }
        let report = try await store.check(readsPhotos: isThorough)
        #expect(report.problems == [], "Life \(life)")
        #expect(try store.incomingFiles().isEmpty, "Life \(life)")
        #expect(try store.photoFiles().count == report.photoCount, "Life \(life)")
      }
    }
    #expect(lines > 25 * lives)
    #expect(known.posts.count > 2 * lives)
  }
}

/// The changes acknowledged by all runs.
private struct Acknowledged {
  struct Known {
    var caption: String
    /// A caption whose change was not acknowledged.
    var doubtfulCaption: String?
    /// Nil if the change was not acknowledged.
    var isBinned: Bool? = false
    /// Nil if the change was not acknowledged.
    var isFavourite: Bool? = false
    var comments: Set<Int64> = []
    /// Comments whose deletion was not acknowledged.
    var doubtful: Set<Int64> = []
    var mayBeDeleted = false
  }

  var posts: [Int64: Known] = [:]
  private var gone: Set<Int64> = []

  mutating func hear(_ line: String) {
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 1, let id = Int64(words[1]) else { return }
    switch words[0] {
    case "posted": posts[id] = Known(caption: words[2])
    case "favouring": posts[id]?.isFavourite = nil
    case "favoured": posts[id]?.isFavourite = words[2] == "1"
    case "commented": if let comment = Int64(words[2]) { posts[id]?.comments.insert(comment) }
    case "uncommenting":
      guard let comment = Int64(words[2]) else { return }
      posts[id]?.comments.remove(comment)
      posts[id]?.doubtful.insert(comment)
    case "uncommented": if let comment = Int64(words[2]) { posts[id]?.doubtful.remove(comment) }
    case "editing": posts[id]?.doubtfulCaption = words[2]
    case "edited":
      posts[id]?.caption = words[2]
      posts[id]?.doubtfulCaption = nil
    case "binning", "restoring": posts[id]?.isBinned = nil
    case "binned": posts[id]?.isBinned = true
    case "restored": posts[id]?.isBinned = false
    case "deleting": posts[id]?.mayBeDeleted = true
    case "deleted":
      posts[id] = nil
      gone.insert(id)
    default: Issue.record("Unexpected line: \(line)")
    }
  }

  /// Returns the post that a line is about.
  static func post(_ line: String) -> Int64? {
    line.split(separator: " ").dropFirst().first.flatMap { Int64($0) }
  }

  /// - Parameter first: the first post to verify.
  mutating func expectAll(from first: Int64, in store: KennelStore) async throws {
    let user = try await store.accounts.user(named: "Writer")
    var found: [Int64: Post] = [:]
    var last: Post?
    while (last?.id ?? .max) > first {
      let start = last.map { PageStart.after($0.position) } ?? .newest
      let page = try await store.posts.page(start, limit: 200, viewer: user?.id)
      guard let end = page.last else { break }
      last = end
      for post in page { found[post.id] = post }
    }
    #expect(gone.isDisjoint(with: found.keys))
    for (id, known) in posts where id >= first {
      let binned = found[id] == nil ? try? await store.posts.binnedPost(id, for: user?.id) : nil
      guard let post = found[id] ?? binned else {
        #expect(known.mayBeDeleted, "Post \(id) is lost")
        posts[id] = nil
        gone.insert(id)
        continue
      }
      #expect(post.caption == known.caption || post.caption == known.doubtfulCaption, "Caption of \(id)")
      posts[id]?.caption = post.caption
      posts[id]?.doubtfulCaption = nil
      #expect(known.isBinned == nil || known.isBinned == (binned != nil), "Post \(id) and the bin")
      posts[id]?.isBinned = binned != nil
      // Comments of a post in the bin are not shown.
      if binned != nil { continue }
      // An unacknowledged change may have happened or not. From now on, its state must not change.
      #expect(known.isFavourite == nil || known.isFavourite == post.isFavourite, "Favourite \(id)")
      #expect(post.favouriteCount == (post.isFavourite ? 1 : 0))
      posts[id]?.isFavourite = post.isFavourite
      posts[id]?.mayBeDeleted = false
      // One more comment may have been stored without acknowledgement.
      #expect(post.commentCount >= known.comments.count, "Comments of \(id)")
      #expect(post.commentCount <= known.comments.count + known.doubtful.count + 1, "Comments of \(id)")
      guard !known.comments.isEmpty else { continue }
      let comments = Set(try await store.posts.comments(on: id, limit: 200).map(\.id))
      #expect(known.comments.isSubset(of: comments), "Comments of \(id)")
    }
  }
}
