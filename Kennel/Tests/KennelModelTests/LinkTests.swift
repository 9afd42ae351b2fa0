import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct LinkTests {
  @Test(arguments: RecordsKind.available) func `a link leads to its post until it is revoked`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let owner = try await store.addUser("Olga", role: .owner)
      let (ada, ben) = (try await store.addUser("Ada"), try await store.addUser("Ben"))
      let post = try await store.addPost(1, by: ada)
      let (link, token) = try await store.posts.makeLink(to: .post(post.id), by: ada.id, lifetime: nil)
      #expect(link.maker == "Ada" && link.target == .post(post.id) && link.expires == nil)
      #expect(token.text.utf8.count == 43 && !"\(token)".contains(token.text))
      let found = try await store.posts.link(try #require(SecretToken(token.text)))
      #expect(found == link)
      #expect(try await store.posts.link(SecretToken()) == nil)
      let (other, _) = try await store.posts.makeLink(
        to: .post(post.id), by: owner.id, lifetime: .seconds(60))
      #expect(try await store.posts.links(to: .post(post.id), for: ada.id) == [other, link])
      #expect(try await store.posts.allLinks() == [other, link])
      // Others neither make nor see nor revoke links.
      for action in [
        { _ = try await store.posts.makeLink(to: .post(post.id), by: ben.id, lifetime: nil) },
        { _ = try await store.posts.links(to: .post(post.id), for: ben.id) },
        { try await store.posts.revokeLink(link.id, to: .post(post.id), by: ben.id) },
      ] as [() async throws -> Void] {
        #expect(await code(action) == .notAllowed)
      }
      // The number of a link belongs to its post.
      let second = try await store.addPost(2, by: ada)
      #expect(
        await code { try await store.posts.revokeLink(link.id, to: .post(second.id), by: ada.id) }
          == .noSuchLink)
      try await store.posts.revokeLink(link.id, to: .post(post.id), by: owner.id)
      #expect(try await store.posts.link(token) == nil)
      #expect(await code { try await store.posts.revokeLink(link.id) } == .noSuchLink)
      try await store.posts.delete(post.id, by: ada.id)
      #expect(try await store.posts.allLinks().isEmpty)
    }
  }

  @Test(arguments: RecordsKind.available) func `a link expires, and is listed for a while`(
    _ kind: RecordsKind
  ) async throws {
    let time = ManualKennelClock()
    try await withStore(kind, clock: time.clock) { store in
      let ada = try await store.addUser("Ada")
      let post = try await store.addPost(1, by: ada)
      let (link, token) = try await store.posts.makeLink(
        to: .post(post.id), by: ada.id, lifetime: Posts.defaultLinkLifetime)
      #expect(!link.isExpired(at: time.clock.now()))
      time.advance(by: Posts.defaultLinkLifetime)
      #expect(try await store.posts.link(token)?.isExpired(at: time.clock.now()) == true)
      time.advance(by: .seconds(31 * 24 * 3600))
      #expect(try await store.posts.links(to: .post(post.id), for: ada.id) == [link])
      let (next, _) = try await store.posts.makeLink(to: .post(post.id), by: ada.id, lifetime: nil)
      #expect(try await store.posts.links(to: .post(post.id), for: ada.id) == [next])
    }
  }

  @Test(arguments: RecordsKind.available) func `a post has a maximum number of links`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser("Ada")
      let post = try await store.addPost(1, by: ada)
      for _ in 0..<Posts.maximumLinkCount {
        _ = try await store.posts.makeLink(to: .post(post.id), by: ada.id, lifetime: nil)
      }
      #expect(
        await code { _ = try await store.posts.makeLink(to: .post(post.id), by: ada.id, lifetime: nil) }
          == .notAllowed)
    }
  }

  @Test(arguments: RecordsKind.available) func `a removed user leaves no links`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let owner = try await store.addUser("Olga", role: .owner)
      let ada = try await store.addUser("Ada")
      let post = try await store.addPost(1, by: ada)
      _ = try await store.posts.makeLink(to: .post(post.id), by: ada.id, lifetime: nil)
      _ = try await store.accounts.removeUser(ada.id, contentPolicy: .transferred(to: owner.id))
      #expect(try await store.posts.allLinks().isEmpty)
    }
  }

  @Test func `guesses are limited for each address`() async throws {
    let time = ManualKennelClock()
    try await withStore(clock: time.clock) { store in
      let limiter = GuessLimiter(
        "test", AttemptAllowance(burst: 2, refill: .seconds(10)), capacity: 100,
        shared: store.accounts.allowances, clock: time.clock)
      func isRefused(_ address: String) -> Bool {
        do throws(KennelError) {
          try limiter.check(address)
          return false
        } catch {
          #expect(error.code == .tooManyAttempts && error.secondsToWait == 10)
          return true
        }
      }
      for _ in 0..<2 {
        #expect(!isRefused("192.0.2.1"))
        try await limiter.countFailure("192.0.2.1")
      }
      #expect(isRefused("192.0.2.1"))
      #expect(!isRefused("192.0.2.2"))
      time.advance(by: .seconds(10))
      #expect(!isRefused("192.0.2.1"))
    }
  }
}
