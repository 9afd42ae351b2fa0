import Foundation
import Glibc
import KennelModel
import KennelStorage

// Changes a store as fast as possible until it is killed. Prints each action on standard output before and after it.
// Each task changes only objects that it has created itself, so its output determines the possible states of the
// store.

guard 3...4 ~= CommandLine.arguments.count, let seed = UInt64(CommandLine.arguments[2]) else {
  FileHandle.standardError.write(Data("usage: kennel-writer DIRECTORY SEED [albums]\n".utf8))
  exit(64)
}

/// Writes the line in one call, so that lines of different tasks do not mix.
@Sendable func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = write(1, bytes, bytes.count)
}

var configuration = KennelStore.Configuration()
configuration.accounts.passwordCost = .minimum
let store = try await KennelStore.open(CommandLine.arguments[1], configuration: configuration)
let writesAlbums = CommandLine.arguments.last == "albums"
let user: User
if let found = try await store.accounts.user(named: "Writer") {
  user = found
} else {
  user = try await store.accounts.addUser("Writer", password: "correct horse", role: .owner)
}
say("ready")

/// The work of one task.
struct Writer {
  let store: KennelStore
  let user: User
  let task: Int
  let seed: UInt64
  var posts: [Post.ID] = []
  var comments: [(post: Post.ID, id: Comment.ID)] = []

  init(store: KennelStore, user: User, task: Int, seed: UInt64) {
    (self.store, self.user, self.task, self.seed) = (store, user, task, seed)
  }

  mutating func run() async throws {
    for number in 0... {
      switch (number + task) % 8 {
      case 0, 3: try await post(number)
      case 1: try await setFavourite(number % 4 != 1)
      case 2: try await comment(number)
      case 4: try await deleteComment()
      case 5: try await edit(number)
      case 6: try await binAndRestore()
      default: if number % 2 == 1 { try await deletePost() }
      }
    }
  }

  private mutating func post(_ number: Int) async throws {
    // Several posts share some of the photos, also with other runs.
    let content = number % 3 == 0 ? "shared \(number % 30)" : "\(seed)/\(task)/\(number)"
    let bytes = Data(repeating: 7, count: 100 * (number % 40)) + Data(content.utf8)
    let caption = "\(seed)/\(task)/\(number)"
    let facts = PhotoFacts(width: 4, height: 3, format: .jpeg, thumbHash: [])
    let post = try await store.posts.add(
      NewPhoto(unchanged: try await store.photos.stage(bytes), facts: facts), caption: caption,
      author: user.id)
    say("posted \(post.id) \(caption)")
    posts.append(post.id)
  }

  private func setFavourite(_ isFavourite: Bool) async throws {
    guard let post = posts.last else { return }
    say("favouring \(post)")
    try await store.posts.setFavourite(isFavourite, post: post, user: user.id)
    say("favoured \(post) \(isFavourite ? 1 : 0)")
  }

  private mutating func comment(_ number: Int) async throws {
    guard let post = posts.last else { return }
    let comment = try await store.posts.addComment("\(number)", to: post, author: user.id)
    say("commented \(post) \(comment.id)")
    comments.append((post, comment.id))
  }

  private mutating func deleteComment() async throws {
    guard let comment = comments.popLast() else { return }
    say("uncommenting \(comment.post) \(comment.id)")
    try await store.posts.deleteComment(comment.id, by: user.id)
    say("uncommented \(comment.post) \(comment.id)")
  }

  private func edit(_ number: Int) async throws {
    guard let post = posts.last else { return }
    let caption = "\(seed)/\(task)/\(number)/edited"
    say("editing \(post) \(caption)")
    _ = try await store.posts.edit(post, PostChange(caption: caption), by: user.id)
    say("edited \(post) \(caption)")
  }

  private func binAndRestore() async throws {
    guard let post = posts.last else { return }
    say("binning \(post)")
    try await store.posts.moveToBin(post, by: user.id)
    say("binned \(post)")
    say("restoring \(post)")
    try await store.posts.restore(post, by: user.id)
    say("restored \(post)")
  }

  private mutating func deletePost() async throws {
    guard let post = posts.popLast() else { return }
    comments.removeAll { $0.post == post }
    say("deleting \(post)")
    try await store.posts.delete(post, by: user.id)
    say("deleted \(post)")
  }
}

try await withThrowingTaskGroup(of: Void.self) { group in
  for task in 0..<4 {
    group.addTask { [store, user] in
      if writesAlbums {
        var writer = AlbumWriter(store: store, user: user, task: task, seed: seed)
        return try await writer.run()
      }
      var writer = Writer(store: store, user: user, task: task, seed: seed)
      try await writer.run()
    }
  }
  try await group.waitForAll()
}
