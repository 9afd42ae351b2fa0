import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.enabled(if: TestWorld.hasFiles, "it makes a kennel of an earlier version"), .timeLimit(.minutes(5)))
struct TimeReadingTests {
  private static let created: Int64 = 1_600_000_000_000

  /// Makes a kennel of the version before times were kept, with photos that have times.
  ///
  /// - Parameter count: the number of posts. Each photo with an odd number has a time; photo 4 has no file.
  private func makeOldKennel(_ directory: TemporaryDirectory, _ count: Int) async throws {
    try FileCalls.makeDirectory(directory.path("data"))
    try FileCalls.makeDirectory(directory.path("data/photos"))
    let path = directory.path("data") + "/kennel.sqlite"
    try FileCalls.makeFile(path)
    let before = try #require(Migration.all.firstIndex { $0.script == Migration.takenTimes.script })
    let old = try Database(path: path, migrations: Array(Migration.all.prefix(before)))
    for number in 1...count {
      let plain = try SiteFixture.jpeg(number)
      let photo =
        number % 2 == 0 ? plain : EXIFFixture.jpeg(plain, original: "2015:03:04 05:06:07", zone: "+01:00")
      let hash = try #require(PhotoHash(bytes: Sodium.sha256(Array(photo))))
      if number != 4 { try photo.write(to: directory.file("data/photos/\(hash)")) }
      try await old.write { transaction throws(KennelError) -> Void in
        let connection = transaction.connection
        try connection.run("INSERT OR IGNORE INTO users VALUES (1, 'Ada', 'ada', 'owner', '', 5)")
        try connection.run(
          "INSERT INTO photos VALUES (?, ?, 40, 30, 'jpeg', x'01')", .blob(hash.bytes),
          .integer(Int64(photo.count)))
        try connection.run(
          "INSERT INTO posts (id, author, photo, caption, created) VALUES (?, 1, ?, '', ?)",
          .integer(Int64(number)), .blob(hash.bytes), .integer(Self.created + Int64(number)))
      }
    }
    await old.close()
  }

  @Test func `the times of older posts are read from their photos`() async throws {
    let directory = try TemporaryDirectory()
    try await makeOldKennel(directory, 6)
    try await withStore(in: directory) {
      $0.timeZone = TimeZone(secondsFromGMT: 7200) ?? .gmt
    } _: { store in
      // Until then, a photo counts as taken when it was shared.
      #expect(try await store.posts.page().map(\.id) == [6, 5, 4, 3, 2, 1])
      let version = try await store.versions.current()
      #expect(try await TimeReading(store).run() == 6)
      let posts = try await store.posts.page()
      #expect(posts.map(\.id) == [6, 4, 2, 5, 3, 1])
      #expect(posts[3].taken == (try .at("2015-03-04T05:06:07+01:00")))
      #expect(posts[0].taken.source == .shared && posts[0].taken.iso8601 == "2020-09-13T14:26:40+02:00")
      #expect(posts.allSatisfy { $0.created == Date(milliseconds: Self.created + $0.id) })
      // Pages that show the old order are out of date.
      #expect(try await store.versions.current().lastEvent == version.lastEvent + 1)
      #expect(try await TimeReading(store).run() == 0)
    }
  }

  @Test func `reading continues after it was interrupted, and keeps what people have set`() async throws {
    let directory = try TemporaryDirectory()
    try await makeOldKennel(directory, 120)
    let set = try TakenTime.at("1999-09-09T09:09:00Z", source: .edited)
    try await withStore(in: directory) { store in
      let task = Task {
        // A task that is cancelled from the start does nothing.
        while !Task.isCancelled { await Task.yield() }
        return try await TimeReading(store).run()
      }
      task.cancel()
      #expect(try await task.value == 0)
      _ = try await store.posts.edit(1, PostChange(taken: set), by: 1)
    }
    try await withStore(in: directory) { store in
      #expect(try await TimeReading(store).run() == 119)
      #expect(try await store.posts.post(1).taken == set)
      let months = try await store.posts.months().map { "\($0.month) \($0.posts)" }
      #expect(months == ["2020-09 60", "2015-03 59", "1999-09 1"])
    }
  }
}
