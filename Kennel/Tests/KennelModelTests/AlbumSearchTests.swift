import Foundation
import KennelTestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct AlbumSearchTests {
  @Test func `titles of albums find their posts, and follow every change`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let rex = try await store.addPost(1, by: ada, caption: "Rex")
      let luna = try await store.addPost(2, by: ada, caption: "Luna")
      let album = try await store.albums.make(title: "Holiday in Zürich", posts: [rex.id], by: ada.id)
      #expect(try await store.found("zurich") == ["Rex"])
      #expect(try await store.found("rex holi") == ["Rex"])
      #expect(try await store.found("luna holiday") == [])
      _ = try await store.albums.add([luna.id], to: album.id, by: ada.id)
      #expect(try await store.found("luna holiday") == ["Luna"])
      _ = try await store.albums.edit(album.id, AlbumChange(title: "Beach"), by: ada.id)
      #expect(try await store.found("holiday") == [])
      #expect(try await Set(store.found("beach")) == ["Rex", "Luna"])
      _ = try await store.albums.remove([rex.id], from: album.id, by: ada.id)
      #expect(try await store.found("beach") == ["Luna"])
      try await store.posts.delete(luna.id, by: ada.id)
      #expect(try await store.found("beach") == [])
      _ = try await store.albums.add([rex.id], to: album.id, by: ada.id)
      try await store.albums.delete(album.id, by: ada.id)
      #expect(try await store.found("beach") == [])
      #expect(try await store.checkedProblems() == [])
    }
  }

  @Test(arguments: RecordsKind.available)
  func `titles of albums can be changed 20 times, and then once a minute`(_ kind: RecordsKind) async throws {
    let time = ManualKennelClock()
    try await withStore(kind, clock: time.clock) { store in
      let ada = try await store.addUser()
      let album = try await store.albums.make(title: "0", by: ada.id)
      for number in 1...20 {
        _ = try await store.albums.edit(album.id, AlbumChange(title: "\(number)"), by: ada.id)
      }
      let more = AlbumChange(title: "More")
      #expect(await code { _ = try await store.albums.edit(album.id, more, by: ada.id) } == .tooManyAttempts)
      // Other changes, and those at the terminal, are not limited.
      _ = try await store.albums.edit(album.id, AlbumChange(isOpen: true), by: ada.id)
      _ = try await store.albums.edit(album.id, AlbumChange(title: "Terminal"), by: nil)
      time.advance(by: .seconds(60))
      _ = try await store.albums.edit(album.id, more, by: ada.id)
    }
  }
}
