import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct AlbumTests {
  /// A store with an owner, two members, a viewer, and three posts by Ada.
  private struct Scene {
    let store: KennelStore
    let olga, ada, ben, vera: User

    init(_ store: KennelStore) async throws {
      self.store = store
      olga = try await store.addUser("Olga", role: .owner)
      ada = try await store.addUser("Ada")
      ben = try await store.addUser("Ben")
      vera = try await store.addUser("Vera", role: .viewer)
      for number in 1...3 {
        try await store.addPost(number, by: ada, taken: try .at("202\(number)-01-01T00:00Z"))
      }
    }

    func shown(_ album: Album.ID) async throws -> [Post.ID] {
      try await store.albums.versionedPage(of: album, limit: 50, viewer: nil).value.posts.map(\.id)
    }
  }

  private func withScene(
    in directory: TemporaryDirectory? = nil, clock: KennelClock = .system,
    _ body: (Scene) async throws -> Void
  ) async throws {
    try await withStore(in: directory, clock: clock) { try await body(try await Scene($0)) }
  }

  @Test func `an album shows its posts by their time, and its cover`() async throws {
    try await withScene { scene in
      let (albums, ada) = (scene.store.albums, scene.ada)
      let album = try await albums.make(title: "  Summer \n at the lake ", posts: [1, 3, 3, 99], by: ada.id)
      #expect(album.title == "Summer at the lake" && album.owner == ada.id && album.ownerName == "Ada")
      #expect(album.postCount == 2 && album.cover == 3 && !album.isOpen)
      #expect(try await scene.shown(album.id) == [3, 1])
      // A post can be in several albums.
      let other = try await albums.make(title: "Winter", posts: [1], by: ada.id)
      #expect(try await albums.all().map(\.id) == [other.id, album.id])
      #expect(try await albums.titles(with: 1).map(\.title) == ["Winter", "Summer at the lake"])
      #expect(try await albums.titles(with: 2).isEmpty)

      let added = try await albums.add([2, 3], to: album.id, by: ada.id)
      #expect(added.count == 1 && added.album.postCount == 3)
      #expect(try await scene.shown(album.id) == [3, 2, 1])
      let page = try await albums.versionedPage(
        of: album.id, .after(try await scene.store.posts.post(3).position), limit: 1, viewer: nil)
      #expect(page.value.posts.map(\.id) == [2])
      #expect(try await albums.edit(album.id, AlbumChange(cover: 2), by: ada.id).cover == 2)
      #expect(
        await code { _ = try await albums.edit(other.id, AlbumChange(cover: 2), by: ada.id) } == .noSuchPost)
      #expect(
        try await albums.edit(album.id, AlbumChange(title: "Lake", isOpen: true), by: ada.id).title == "Lake")

      let removed = try await albums.remove([2, 99], from: album.id, by: ada.id)
      #expect(removed.count == 1 && removed.album.cover == 3)
      try await albums.delete(album.id, by: ada.id)
      #expect(await code { _ = try await albums.album(album.id) } == .noSuchAlbum)
      #expect(try await scene.store.posts.page().count == 3)
    }
  }

  @Test func `a post in the bin is not shown, and comes back when it is restored`() async throws {
    try await withScene { scene in
      let (albums, posts, ada) = (scene.store.albums, scene.store.posts, scene.ada)
      let album = try await albums.make(title: "Lake", posts: [1, 2, 3], by: ada.id).id
      _ = try await albums.edit(album, AlbumChange(cover: 2), by: ada.id)
      try await posts.moveToBin(2, by: ada.id)
      #expect(try await scene.shown(album) == [3, 1])
      #expect(try await albums.posts(in: album) == [3, 1])
      #expect(try await !albums.shows(2, in: album))
      #expect(try await albums.titles(with: 2).isEmpty)
      let without = try await albums.album(album)
      #expect(without.postCount == 2 && without.cover == 3)
      #expect(try await albums.add([2], to: album, by: ada.id).count == 0)
      #expect(
        await code { _ = try await albums.edit(album, AlbumChange(cover: 2), by: ada.id) } == .noSuchPost)

      try await posts.restore(2, by: ada.id)
      #expect(try await scene.shown(album) == [3, 2, 1])
      #expect(try await albums.album(album).cover == 2)
      try await posts.delete(2, by: ada.id)
      #expect(try await scene.shown(album) == [3, 1])
      #expect(try await albums.album(album).cover == 3)
      #expect(try await scene.store.checkedProblems() == [])
    }
  }

  @Test func `the list has the same albums as they are read one by one`() async throws {
    try await withScene { scene in
      let (albums, ada) = (scene.store.albums, scene.ada)
      let time = try TakenTime.at("2025-01-01T00:00Z")
      for number in 4...7 { try await scene.store.addPost(number, by: ada, taken: time) }
      let empty = try await albums.make(title: "Empty", by: ada.id).id
      let same = try await albums.make(title: "Same time", posts: [6, 1, 7, 5], by: scene.ben.id).id
      let chosen = try await albums.make(title: "Chosen", isOpen: true, posts: [1, 2, 4], by: ada.id).id
      _ = try await albums.edit(chosen, AlbumChange(cover: 2), by: ada.id)
      try await scene.store.posts.moveToBin(7, by: ada.id)
      let all = try await albums.all()
      #expect(all.map(\.id) == [chosen, same, empty])
      #expect(all.map(\.cover) == [2, 6, nil] && all.map(\.postCount) == [3, 3, 0])
      #expect(all.map(\.ownerName) == ["Ada", "Ben", "Ada"])
      for album in all { #expect(try await albums.album(album.id) == album) }
      #expect(
        try await albums.titles(with: 1) == [
          AlbumTitle(id: chosen, title: "Chosen"), AlbumTitle(id: same, title: "Same time"),
        ])
    }
  }

  @Test func `a post in the bin that is removed does not come back into the album`() async throws {
    try await withScene { scene in
      let (albums, posts, ada) = (scene.store.albums, scene.store.posts, scene.ada)
      let album = try await albums.make(title: "Lake", posts: [1, 2, 3], by: scene.ben.id)
      try await posts.moveToBin(2, by: ada.id)
      // Who may not remove it does not learn that it is there.
      let other = try await albums.remove([2], from: album.id, by: scene.vera.id)
      #expect(other.count == 0 && other.album.postCount == 2)
      try await posts.restore(2, by: ada.id)
      #expect(try await scene.shown(album.id) == [3, 2, 1])

      try await posts.moveToBin(2, by: ada.id)
      let answer = try await albums.remove([2, 3], from: album.id, by: scene.ben.id)
      #expect(answer.count == 1 && answer.album.postCount == 1)
      try await posts.restore(2, by: ada.id)
      #expect(try await scene.shown(album.id) == [1])
    }
  }

  @Test func `the album's owner and owners edit, and an open album takes photos of all members`() async throws
  {
    try await withScene { scene in
      let (albums, ada, ben) = (scene.store.albums, scene.ada, scene.ben)
      #expect(await code { _ = try await albums.make(title: "Mine", by: scene.vera.id) } == .notAllowed)
      let album = try await albums.make(title: "Ada's", posts: [1], by: ada.id).id
      for person in [ben, scene.vera] {
        #expect(await code { _ = try await albums.add([2], to: album, by: person.id) } == .notAllowed)
        #expect(await code { _ = try await albums.remove([1], from: album, by: person.id) } == .notAllowed)
        #expect(
          await code { _ = try await albums.edit(album, AlbumChange(title: "X"), by: person.id) }
            == .notAllowed)
        #expect(await code { try await albums.delete(album, by: person.id) } == .notAllowed)
      }
      _ = try await albums.edit(album, AlbumChange(isOpen: true), by: scene.olga.id)
      #expect(try await albums.add([2], to: album, by: ben.id).count == 1)
      #expect(await code { _ = try await albums.add([3], to: album, by: scene.vera.id) } == .notAllowed)
      // Nothing is removed if one of the posts may not be.
      #expect(await code { _ = try await albums.remove([2, 1], from: album, by: ben.id) } == .notAllowed)
      #expect(try await scene.shown(album) == [2, 1])
      #expect(try await albums.remove([2], from: album, by: ben.id).count == 1)
      // The author of a photo takes it out of the album of another person.
      let bens = try await albums.make(title: "Ben's", posts: [1, 2], by: ben.id).id
      #expect(try await albums.remove([1], from: bens, by: ada.id).count == 1)
      #expect(await code { _ = try await albums.add([1], to: bens, by: ada.id) } == .notAllowed)
      // The owner of the machine may do all.
      #expect(try await albums.add([3], to: bens, by: nil).count == 1)
      try await albums.delete(bens, by: nil)
    }
  }

  @Test(arguments: ["", " \n\t ", String(repeating: "x", count: 101)])
  func `a title is neither empty nor too long`(title: String) async throws {
    try await withScene { scene in
      let (albums, ada) = (scene.store.albums, scene.ada)
      #expect(await code { _ = try await albums.make(title: title, by: ada.id) } == .badText)
      let album = try await albums.make(title: "Good", by: ada.id)
      #expect(
        await code { _ = try await albums.edit(album.id, AlbumChange(title: title), by: ada.id) } == .badText)
    }
  }

  @Test func `albums, their posts and their changes are limited`() async throws {
    try await withScene { scene in
      let (albums, ada) = (scene.store.albums, scene.ada)
      let full = try await albums.make(title: "Full", by: ada.id)
      try await scene.store.database.write { transaction throws(KennelError) in
        try transaction.connection.script(
          """
          WITH RECURSIVE n (i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 10009)
          INSERT INTO posts (id, author, photo, caption, created, taken, taken_offset, taken_source, taken_local)
          SELECT i, (SELECT author FROM posts WHERE id = 1), (SELECT photo FROM posts WHERE id = 1), '', 0, 0, 0,
            'shared', 0 FROM n;
          INSERT INTO album_posts (album, post, added) SELECT \(full.id), id, 0 FROM posts WHERE id >= 10;
          WITH RECURSIVE n (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
          INSERT INTO albums (title, owner, created, changed)
          SELECT 'Another', (SELECT author FROM posts WHERE id = 1), 0, 0 FROM n;
          """)
      }
      #expect(try await albums.album(full.id).postCount == Albums.maximumPostCount)
      #expect(await code { _ = try await albums.add([1], to: full.id, by: ada.id) } == .notAllowed)
      #expect(try await albums.album(full.id).postCount == Albums.maximumPostCount)
      #expect(await code { _ = try await albums.make(title: "One too many", by: ada.id) } == .notAllowed)
      let many = Array(1...Int64(Albums.maximumChangeCount + 1))
      #expect(await code { _ = try await albums.add(many, to: full.id, by: ada.id) } == .badText)
      #expect(await code { _ = try await albums.remove(many, from: full.id, by: ada.id) } == .badText)
    }
  }

  @Test func `each change has one event and another version`() async throws {
    let manualClock = ManualKennelClock()
    try await withScene(clock: manualClock.clock) { scene in
      let (albums, ada, versions) = (scene.store.albums, scene.ada, scene.store.versions)
      var iterator = try scene.store.events.listen().makeAsyncIterator()
      var known = try await versions.current()
      let album = try await albums.make(title: "Lake", posts: [1], by: ada.id).id
      let changes: [() async throws -> Void] = [
        { _ = try await albums.add([2, 3], to: album, by: ada.id) },
        { _ = try await albums.remove([2], from: album, by: ada.id) },
        { _ = try await albums.edit(album, AlbumChange(title: "Sea", cover: 3), by: ada.id) },
        { try await albums.delete(album, by: ada.id) },
      ]
      for change in changes {
        manualClock.advance(by: .seconds(1))
        try await change()
        let version = try await versions.current()
        #expect(version.lastEvent == known.lastEvent + (known.lastEvent == 3 ? 2 : 1))
        known = version
      }
      // What changes nothing has none.
      let second = try await albums.make(title: "Sea", posts: [1], by: ada.id)
      manualClock.advance(by: .seconds(1))
      #expect(try await albums.add([1, 99], to: second.id, by: ada.id).count == 0)
      #expect(try await albums.edit(second.id, AlbumChange(title: "Sea"), by: ada.id) == second)
      var kinds: [KennelEvent.Kind] = []
      while kinds.count < 6, case .events(let events)? = try await iterator.next() {
        #expect(events.allSatisfy { $0.post == 0 })
        kinds += events.map(\.kind)
      }
      #expect(
        kinds == Array(repeating: .albumChanged(album: album), count: 5) + [.albumChanged(album: second.id)])
      #expect(try await versions.current().lastEvent == known.lastEvent + 1)
    }
  }

  @Test func `a removed user's albums are handed on`() async throws {
    try await withScene { scene in
      let (albums, accounts) = (scene.store.albums, scene.store.accounts)
      let first = try await albums.make(title: "Ada's", posts: [1], by: scene.ada.id).id
      let second = try await albums.make(title: "Ben's", isOpen: true, posts: [1], by: scene.ben.id).id
      _ = try await albums.add([2], to: second, by: scene.ada.id)
      _ = try await accounts.removeUser(scene.ada.id, contentPolicy: .transferred(to: scene.ben.id))
      #expect(try await albums.album(first).owner == scene.ben.id)
      #expect(try await scene.shown(second) == [2, 1])
      _ = try await accounts.removeUser(scene.ben.id)
      #expect(try await albums.all().map(\.ownerName) == ["Olga", "Olga"])
      #expect(try await scene.shown(first).isEmpty)
      #expect(try await scene.store.checkedProblems() == [])
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `a check finds a cover that is not in its album`() async throws {
    try await withScene { scene in
      let album = try await scene.store.albums.make(title: "Lake", posts: [1], by: scene.ada.id).id
      try await scene.store.database.write { transaction throws(KennelError) -> Void in
        try transaction.connection.run("UPDATE albums SET cover = 2")
      }
      #expect(try await scene.store.check().problems == [.foreignCover(album: album)])
      // A backup with it can be restored.
      let directory = try TemporaryDirectory()
      _ = try await scene.store.backUp(to: .path(directory.path("backup")))
      let report = try await KennelStore.restore(
        from: directory.path("backup"), to: directory.path("restored"), configuration: .forTest)
      #expect(report.photos == 3 && report.missing.isEmpty)
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `a backup contains the albums`() async throws {
    let directory = try TemporaryDirectory()
    try await withScene { scene in
      let album = try await scene.store.albums.make(title: "Lake", posts: [1, 3], by: scene.ada.id)
      let path = directory.path("backup")
      _ = try await scene.store.backUp(to: .path(path))
      _ = try await KennelStore.restore(from: path, to: directory.path("restored"), configuration: .forTest)
      let store = try await KennelStore.open(directory.path("restored"), configuration: .forTest)
      #expect(try await store.albums.all() == [album])
      #expect(try await store.albums.posts(in: album.id) == [3, 1])
      // The address of an album that was made after the backup never shows another one.
      #expect(try await store.albums.make(title: "Sea", by: scene.ada.id).id > 100_000)
      await store.close()
    }
  }
}
