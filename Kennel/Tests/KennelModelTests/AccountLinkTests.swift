import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct AccountLinkTests {
  private func use(
    _ token: SecretToken<AccountLink>?, _ name: String = "Ben", password: String = "correct horse",
    in store: KennelStore
  ) async throws -> User {
    try await store.accounts.use(token, name: name, password: password, address: "192.0.2.1").proof.user
  }

  @Test(arguments: User.Role.allCases)
  func `an invitation creates an account with its role, once`(role: User.Role) async throws {
    try await withStore { store in
      let ada = try await store.addUser("Ada", role: .owner)
      let new = try await store.accounts.invite(role, creator: ada.id)
      let link = try await store.accounts.link(of: new.token, address: "a")
      #expect(link.purpose == .account(role) && link.creator == "Ada" && link.id == new.link.id)
      #expect(try await store.accounts.invitations() == [link])
      let ben = try await use(new.token, in: store)
      #expect(ben.role == role && ben.name == "Ben")
      #expect(try await store.accounts.signIn("ben", password: "correct horse", address: "a").user == ben)
      #expect(await code { _ = try await use(new.token, "Cleo", in: store) } == .noSuchLink)
      #expect(try await store.accounts.invitations().isEmpty)
      #expect(try await store.accounts.users().count == 2)
    }
  }

  @Test(arguments: RecordsKind.available) func `of many uses of an invitation at the same time, one succeeds`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind, { $0.accounts.maximumConcurrentHashes = 4 }) { store in
      let new = try await store.accounts.invite(.member)
      let codes = await withTaskGroup(of: KennelError.Code?.self) { group in
        for number in 0..<12 {
          group.addTask { await code { _ = try await use(new.token, "User \(number)", in: store) } }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes.count { $0 == nil } == 1)
      #expect(codes.count { $0 == .noSuchLink } == 11)
      #expect(try await store.accounts.users().count == 1)
    }
  }

  @Test(arguments: RecordsKind.available) func `an invitation expires`(_ kind: RecordsKind) async throws {
    let manualClock = ManualKennelClock()
    try await withStore(kind, clock: manualClock.clock) { store in
      let new = try await store.accounts.invite(.member, days: 2)
      #expect(new.link.expires.timeIntervalSince(new.link.created) == 2 * 24 * 3600)
      manualClock.advance(by: .seconds(2 * 24 * 3600 - 1))
      #expect(try await store.accounts.link(of: new.token, address: "a").id == new.link.id)
      manualClock.advance(by: .seconds(1))
      #expect(await code { _ = try await use(new.token, in: store) } == .noSuchLink)
      #expect(try await store.accounts.invitations().isEmpty)
    }
  }

  @Test(arguments: RecordsKind.available) func `a use that fails because of what was entered can be repeated`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      _ = try await store.addUser("Ada", role: .owner)
      let new = try await store.accounts.invite(.member)
      #expect(await code { _ = try await use(new.token, "ADA", in: store) } == .nameTaken)
      #expect(await code { _ = try await use(new.token, "a:b", in: store) } == .badName)
      #expect(await code { _ = try await use(new.token, password: "short", in: store) } == .badPassword)
      #expect(try await use(new.token, in: store).name == "Ben")
    }
  }

  @Test(arguments: RecordsKind.available) func `two people with two invitations cannot get the same name`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind, { $0.accounts.maximumConcurrentHashes = 4 }) { store in
      let first = try await store.accounts.invite(.member).token
      let second = try await store.accounts.invite(.member).token
      async let one = code { _ = try await use(first, in: store) }
      async let another = code { _ = try await use(second, in: store) }
      let codes = await [one, another]
      #expect(Set(codes) == [nil, .nameTaken])
      // The link of the one who failed still works.
      let rest = codes[0] == nil ? second : first
      #expect(try await use(rest, "Cleo", in: store).name == "Cleo")
    }
  }

  @Test func `only a kennel without accounts has a link for the first owner`() async throws {
    try await withStore { store in
      let first = try #require(try await store.accounts.makeFirstOwnerLink())
      let second = try #require(try await store.accounts.makeFirstOwnerLink())
      #expect(try await store.accounts.invitations().isEmpty)
      #expect(try await !store.accounts.hasUsers())
      #expect(try await use(second.token, in: store).role == .owner)
      #expect(await code { _ = try await use(first.token, "Cleo", in: store) } == .noSuchLink)
      #expect(try await store.accounts.hasUsers())
      #expect(try await store.accounts.makeFirstOwnerLink() == nil)
    }
    try await withStore { store in
      let link = try #require(try await store.accounts.makeFirstOwnerLink())
      // Made at the terminal meanwhile.
      _ = try await store.addUser("Ada", role: .owner)
      #expect(await code { _ = try await store.accounts.link(of: link.token, address: "a") } == .noSuchLink)
      #expect(await code { _ = try await use(link.token, in: store) } == .noSuchLink)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `the links of several processes for the first owner work until one was used`(_ kind: RecordsKind)
    async throws
  {
    let address = try await kind.makeDatabase()
    let directory = try TemporaryDirectory()
    try await withStore(in: directory, { $0.databaseAddress = address }) { one in
      try await withStore(in: directory, { $0.databaseAddress = address }) { two in
        let first = try #require(try await one.accounts.makeFirstOwnerLink()).token
        let second = try #require(try await two.accounts.makeFirstOwnerLink()).token
        for token in [first, second] {
          #expect(try await one.accounts.link(of: token, address: "a").purpose == .firstOwner)
        }
        #expect(try await use(first, in: two).role == .owner)
        for token in [first, second] {
          #expect(await code { _ = try await use(token, "Cleo", in: one) } == .noSuchLink)
        }
      }
    }
  }

  @Test(arguments: RecordsKind.available) func `the number of links for the first owner is limited`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let first = try #require(try await store.accounts.makeFirstOwnerLink()).token
      for _ in 1..<Accounts.maximumFirstLinkCount { _ = try await store.accounts.makeFirstOwnerLink() }
      #expect(try await store.accounts.link(of: first, address: "a").purpose == .firstOwner)
      _ = try await store.accounts.makeFirstOwnerLink()
      #expect(await code { _ = try await store.accounts.link(of: first, address: "a") } == .noSuchLink)
    }
  }

  @Test(arguments: RecordsKind.available) func `the link for the first owner expires after a day`(
    _ kind: RecordsKind
  ) async throws {
    let manualClock = ManualKennelClock()
    try await withStore(kind, clock: manualClock.clock) { store in
      let link = try #require(try await store.accounts.makeFirstOwnerLink())
      manualClock.advance(by: .seconds(24 * 3600))
      #expect(await code { _ = try await use(link.token, in: store) } == .noSuchLink)
    }
  }

  @Test(arguments: RecordsKind.available) func `a link sets a new password, once, and ends the sessions`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser("Ada", role: .owner)
      let session = try await store.accounts.beginSession(of: ada.id)
      _ = try await store.accounts.signIn("Ada", password: "correct horse", address: "a")
      let old = try await store.accounts.makePasswordLink(for: ada.id)
      let new = try await store.accounts.makePasswordLink(for: ada.id)
      #expect(await code { _ = try await use(old.token, in: store) } == .noSuchLink)
      #expect(
        try await store.accounts.link(of: new.token, address: "a").purpose == .password(ada.id, name: "Ada"))
      #expect(try await use(new.token, password: "another horse", in: store) == ada)
      #expect(try await store.accounts.user(of: session.token) == nil)
      #expect(
        await code { _ = try await store.accounts.signIn("Ada", password: "correct horse", address: "a") }
          == .wrongCredentials)
      #expect(try await store.accounts.signIn("Ada", password: "another horse", address: "a").user == ada)
      #expect(await code { _ = try await use(new.token, in: store) } == .noSuchLink)
      let last = try await store.accounts.makePasswordLink(for: ada.id)
      try await store.accounts.setPassword("third horse", of: ada.id)
      #expect(await code { _ = try await use(last.token, in: store) } == .noSuchLink)
      #expect(await code { _ = try await store.accounts.makePasswordLink(for: 99) } == .noSuchUser)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `invitations are revoked one by one, and with the owner who made them`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser("Ada", role: .owner)
      let ben = try await store.addUser("Ben", role: .owner)
      let first = try await store.accounts.invite(.member, creator: ada.id)
      let second = try await store.accounts.invite(.member, creator: ben.id)
      let third = try await store.accounts.invite(.member)
      try await store.accounts.revokeInvitation(first.link.id)
      #expect(try await store.accounts.invitations().map(\.id) == [third.link.id, second.link.id])
      #expect(await code { _ = try await use(first.token, "Cleo", in: store) } == .noSuchLink)
      try await store.accounts.setRole(.member, of: ben.id)
      #expect(await code { _ = try await use(second.token, "Cleo", in: store) } == .noSuchLink)
      try await store.accounts.setRole(.owner, of: ben.id)
      let fourth = try await store.accounts.invite(.member, creator: ben.id)
      _ = try await store.accounts.removeUser(ben.id)
      #expect(await code { _ = try await use(fourth.token, "Cleo", in: store) } == .noSuchLink)
      #expect(try await use(third.token, "Cleo", in: store).name == "Cleo")
    }
  }

  @Test(arguments: RecordsKind.available) func `links that do not exist are limited for each address`(
    _ kind: RecordsKind
  ) async throws {
    let manualClock = ManualKennelClock()
    try await withStore(kind, clock: manualClock.clock) { store in
      let new = try await store.accounts.invite(.member)
      for _ in 0..<20 {
        #expect(
          await code {
            _ = try await store.accounts.link(of: SecretToken<AccountLink>(), address: "192.0.2.9")
          }
            == .noSuchLink)
      }
      let code = await code { _ = try await store.accounts.link(of: nil, address: "192.0.2.9") }
      #expect(code == .tooManyAttempts)
      #expect(try await use(new.token, in: store).name == "Ben")
      manualClock.advance(by: .seconds(60))
      let later = await KennelTestSupport.code {
        _ = try await store.accounts.link(of: nil, address: "192.0.2.9")
      }
      #expect(later == .noSuchLink)
    }
  }

  @Test func `guesses from many addresses keep nobody from using a link`() async throws {
    try await withStore { store in
      let new = try await store.accounts.invite(.member)
      for number in 0..<150 {
        for _ in 0..<8 { _ = try? await store.accounts.link(of: nil, address: "192.0.2.\(number)") }
      }
      #expect(try await store.accounts.link(of: new.token, address: "198.51.100.1").purpose != .firstOwner)
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `no token is in the store or in a backup`() async throws {
    let directory = try TemporaryDirectory()
    let tokens = try await withStore { store in
      let ada = try await store.addUser("Ada", role: .owner)
      let tokens = [
        try await store.accounts.invite(.member).token,
        try await store.accounts.makePasswordLink(for: ada.id).token,
      ]
      let stored = try await store.database.read { connection throws(KennelError) in
        try connection.rows("SELECT token FROM account_links ORDER BY id") { $0.blob(0) }
      }
      #expect(stored == tokens.map(\.digest))
      #expect(!"\(try await store.accounts.invite(.viewer))".contains(tokens[0].text))
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
      return tokens
    }
    _ = try await KennelStore.restore(
      from: directory.path("kennel.tar"), to: directory.path("restored"), configuration: .forTest)
    let store = try await KennelStore.open(directory.path("restored"), configuration: .forTest)
    for token in tokens {
      #expect(await code { _ = try await store.accounts.link(of: token, address: "a") } == .noSuchLink)
    }
    await store.close()
  }

  @Test(arguments: RecordsKind.available) func `the number of open invitations is limited`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      for _ in 0..<Accounts.maximumInvitationCount { _ = try await store.accounts.invite(.viewer) }
      #expect(await code { _ = try await store.accounts.invite(.viewer) } == .notAllowed)
    }
  }
}
