import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel

/// A program makes, changes and deletes albums at full speed and is killed. No acknowledged change may be missing, and what was
/// acknowledged as deleted may not exist. `KENNEL_KILLS=200` makes a long run.
@Suite(
  .enabled(if: TestWorld.hasFiles, "the program that is killed writes to SQLite and a directory"),
  .serialized, .timeLimit(.minutes(20)))
struct AlbumKillTests {
  @Test func `kills lose no acknowledged change of an album`() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("data")
    var random = SeededRandom(0x616c_6275)
    let lives = KillCount.value(normally: 20)
    var known = AcknowledgedAlbums()
    var lines = 0
    for life in 1...lives {
      let target = Int.random(in: 0..<120, using: &random)
      let spins = Int.random(in: 0..<100_000, using: &random)
      let output = try await runOnThread {
        try KilledWriter.live([path, "\(life)", "albums"], killedAfter: target, spins: spins)
      }
      output.expectKilled(life)
      for line in output.lines { known.hear(line) }
      lines += output.lines.count
      // The first lives may be killed before there is a kennel.
      guard FileManager.default.fileExists(atPath: path + "/kennel.sqlite"), known.hasBegun else { continue }
      let before = try FileContents.all(in: path)
      #expect(try await KennelStore.check(path).problems == [], "Life \(life)")
      #expect(try FileContents.all(in: path) == before, "Life \(life): the check changed a file")
      try await withStore(in: directory) { store in
        try await known.expectAll(in: store)
        // The following lives must not reach the maximum number of albums.
        for album in try await store.albums.all().dropLast(100) {
          try await store.albums.delete(album.id, by: nil)
          known.forget(album.id)
        }
      }
    }
    #expect(lines > 20 * lives)
    #expect(known.count > lives)
  }
}

/// The contents of files, by their paths.
private enum FileContents {
  static func all(in directory: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: directory) {
      files[name] = (try? Data(contentsOf: URL(filePath: directory + "/" + name))) ?? Data()
    }
    return files
  }
}

/// The changes of albums acknowledged by all runs.
private struct AcknowledgedAlbums {
  struct Known {
    var title: String
    /// A title whose change was not acknowledged.
    var doubtfulTitle: String?
    /// The posts in the album, and those of which it is not known whether they are.
    var posts: Set<Int64> = []
    var doubtfulPosts: Set<Int64> = []
    var links: Set<Int64> = []
    var doubtfulLinks: Set<Int64> = []
    var mayBeDeleted = false
  }

  private var albums: [Int64: Known] = [:]
  private var gone: Set<Int64> = []
  /// The number of albums that were acknowledged.
  private(set) var count = 0
  /// Whether a process has opened the kennel.
  private(set) var hasBegun = false

  mutating func forget(_ album: Int64) {
    albums[album] = nil
    gone.insert(album)
  }

  mutating func hear(_ line: String) {
    hasBegun = true
    let words = line.split(separator: " ").map(String.init)
    guard words.count > 1, let id = Int64(words[1]) else { return }
    let item = words.count > 2 ? Int64(words[2]) : nil
    switch (words[0], item) {
    case ("made", _):
      albums[id] = Known(title: words[2], posts: Set(words.dropFirst(3).compactMap { Int64($0) }))
      count += 1
    case ("renaming", _): albums[id]?.doubtfulTitle = words[2]
    case ("renamed", _):
      albums[id]?.title = words[2]
      albums[id]?.doubtfulTitle = nil
    case ("adding", let post?): albums[id]?.doubtfulPosts.insert(post)
    case ("added", let post?):
      albums[id]?.doubtfulPosts.remove(post)
      albums[id]?.posts.insert(post)
    case ("removing", let post?):
      albums[id]?.posts.remove(post)
      albums[id]?.doubtfulPosts.insert(post)
    case ("removed", let post?): albums[id]?.doubtfulPosts.remove(post)
    case ("linked", let link?): albums[id]?.links.insert(link)
    case ("unlinking", let link?):
      albums[id]?.links.remove(link)
      albums[id]?.doubtfulLinks.insert(link)
    case ("unlinked", let link?): albums[id]?.doubtfulLinks.remove(link)
    case ("deleting", _): albums[id]?.mayBeDeleted = true
    case ("deleted", _): forget(id)
    default: Issue.record("Unexpected line: \(line)")
    }
  }

  mutating func expectAll(in store: KennelStore) async throws {
    let found = try await store.albums.all()
    let links = Dictionary(grouping: try await store.posts.allLinks()) { $0.album }
    #expect(gone.isDisjoint(with: found.map(\.id)))
    for (id, known) in albums {
      guard let album = found.first(where: { $0.id == id }) else {
        #expect(known.mayBeDeleted, "Album \(id) is lost")
        forget(id)
        continue
      }
      #expect(album.title == known.title || album.title == known.doubtfulTitle, "Title of \(id)")
      let posts = Set(try await store.albums.posts(in: id))
      #expect(known.posts.isSubset(of: posts), "Posts of \(id)")
      #expect(posts.subtracting(known.posts).isSubset(of: known.doubtfulPosts), "Posts of \(id)")
      let albumLinks = Set((links[id] ?? []).map(\.id))
      #expect(known.links.isSubset(of: albumLinks), "Links of \(id)")
      // One more link may have been stored without acknowledgement.
      let unknown = albumLinks.subtracting(known.links).subtracting(known.doubtfulLinks)
      #expect(unknown.count <= 1, "Links of \(id)")
      // An unacknowledged change may have happened or not. From now on, its state must not change.
      albums[id] = Known(title: album.title, posts: posts, links: albumLinks)
    }
  }
}
