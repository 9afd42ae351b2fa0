import Foundation
import KennelModel
import KennelStorage

/// Fills a kennel with drawn dogs, and with users who comment on them.
enum DemoKennel {
  struct Account: Sendable {
    var name: String
    var password: String

    /// Returns the owner's account with a new password.
    static func makeOwner() -> Account {
      Account(name: Litter.members[0], password: DemoKennel.makePassword())
    }
  }

  /// Adds the accounts, the posts, the comments and the favourites.
  ///
  /// - Parameters:
  ///   - account: the owner's account, which is created.
  ///   - progress: called with the number of dogs drawn so far.
  static func fill(
    _ store: KennelStore, _ account: Account, posts: [LitterPost], scale: Double = Litter.defaultScale,
    progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws {
    // Passwords are hashed while the pictures are drawn, because both take time.
    async let people = addMembers(account, store)
    var drawn: [NewPhoto] = []
    try await Litter.draw(posts, scale: scale) { index, data in
      let photo = try await store.photos.stage(data)
      drawn.append(try await NewPhoto.examining(photo, in: store.photos))
      progress(index + 1)
    }
    let members = try await people
    for (member, portrait) in zip(members, Litter.portraits) {
      if let jpeg = await portrait.portrait() { try await store.accounts.setPicture(jpeg, of: member.id) }
    }
    var random = SeededGenerator(seed: 2021)
    let now = Date()
    for (index, post) in posts.enumerated() {
      // About two posts a day, the last one a moment ago.
      let age = Double(posts.count - 1 - index) * 13 * 3600 + random.within(60...3600)
      let added = try await store.posts.add(
        drawn[index], caption: post.caption,
        author: members[index % members.count].id, created: now - age)
      for comment in post.comments {
        _ = try await store.posts.addComment(
          comment.text, to: added.id, author: members[comment.member % members.count].id)
      }
      for member in members where random.chance(0.62) {
        _ = try await store.posts.setFavourite(true, post: added.id, user: member.id)
      }
    }
  }

  private static func addMembers(_ account: Account, _ store: KennelStore) async throws -> [User] {
    var members = [try await store.accounts.addUser(account.name, password: account.password, role: .owner)]
    for name in Litter.members.dropFirst() {
      members.append(try await store.accounts.addUser(name, password: makePassword()))
    }
    return members
  }

  /// Returns a password with 60 random bits, without letters that look alike.
  static func makePassword() -> String {
    let letters = Array("abcdefghijkmnpqrstuvwxyz23456789")
    var system = SystemRandomNumberGenerator()
    let groups = (0..<3).map { _ in
      String((0..<4).compactMap { _ in letters.randomElement(using: &system) })
    }
    return groups.joined(separator: "-")
  }
}
