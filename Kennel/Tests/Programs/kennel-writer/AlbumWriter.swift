import Foundation
import KennelModel
import KennelStorage

/// A task that makes, changes and deletes albums.
struct AlbumWriter {
  let store: KennelStore
  let user: User
  let task: Int
  let seed: UInt64
  private var posts: [Post.ID] = []
  private var albums: [(id: Album.ID, posts: [Post.ID], links: [SecretLink.ID])] = []

  init(store: KennelStore, user: User, task: Int, seed: UInt64) {
    (self.store, self.user, self.task, self.seed) = (store, user, task, seed)
  }

  mutating func run() async throws {
    for number in 0..<4 {
      let photo = try await store.photos.stage(Data("\(seed)/\(task)/\(number)".utf8))
      let facts = PhotoFacts(width: 4, height: 3, format: .jpeg, thumbHash: [])
      let post = try await store.posts.add(
        NewPhoto(unchanged: photo, facts: facts), caption: "", author: user.id)
      posts.append(post.id)
    }
    for number in 0... {
      switch (number + task) % 8 {
      case 0, 3: try await make(number)
      case 1: try await rename(number)
      case 2, 6: try await add(posts[number % posts.count])
      case 4: try await remove()
      case 5: try await changeLinks()
      default: if number % 3 == 0 { try await delete() }
      }
    }
  }

  private mutating func make(_ number: Int) async throws {
    let title = "\(seed)/\(task)/\(number)"
    // The maximum number of albums must not be reached.
    if albums.count >= 40 { try await delete() }
    let first = number % 2 == 0 ? [posts[0]] : []
    let album = try await store.albums.make(title: title, posts: first, by: user.id)
    say(["made", "\(album.id)", title, first.first.map { "\($0)" } ?? ""].joined(separator: " "))
    albums.append((album.id, first, []))
  }

  private func rename(_ number: Int) async throws {
    guard let album = albums.last else { return }
    let title = "\(seed)/\(task)/\(number)/renamed"
    say("renaming \(album.id) \(title)")
    _ = try await store.albums.edit(
      album.id, AlbumChange(title: title, cover: album.posts.last), by: user.id)
    say("renamed \(album.id) \(title)")
  }

  private mutating func add(_ post: Post.ID) async throws {
    guard let album = albums.last, !album.posts.contains(post) else { return }
    say("adding \(album.id) \(post)")
    _ = try await store.albums.add([post], to: album.id, by: user.id)
    say("added \(album.id) \(post)")
    albums[albums.count - 1].posts.append(post)
  }

  private mutating func remove() async throws {
    guard let album = albums.last, let post = album.posts.last else { return }
    albums[albums.count - 1].posts.removeLast()
    say("removing \(album.id) \(post)")
    _ = try await store.albums.remove([post], from: album.id, by: user.id)
    say("removed \(album.id) \(post)")
  }

  private mutating func changeLinks() async throws {
    guard let album = albums.last else { return }
    let target = SecretLink.Target.album(album.id)
    if let link = album.links.last, album.links.count > 1 {
      albums[albums.count - 1].links.removeLast()
      say("unlinking \(album.id) \(link)")
      try await store.posts.revokeLink(link, to: target, by: user.id)
      say("unlinked \(album.id) \(link)")
    } else {
      let link = try await store.posts.makeLink(to: target, by: user.id, lifetime: nil).link
      say("linked \(album.id) \(link.id)")
      albums[albums.count - 1].links.append(link.id)
    }
  }

  private mutating func delete() async throws {
    guard !albums.isEmpty else { return }
    let album = albums.removeFirst()
    say("deleting \(album.id)")
    try await store.albums.delete(album.id, by: user.id)
    say("deleted \(album.id)")
  }
}
