import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// What people change in their own accounts.
@Suite(.timeLimit(.minutes(5))) struct OwnAccountTests {
  @Test(arguments: RecordsKind.available) func `a changed password ends the other sessions`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let here = try await store.accounts.beginSession(of: ada.id).token
      let elsewhere = try await store.accounts.beginSession(of: ada.id).token
      func change(from present: String, to password: String) async throws {
        try await store.accounts.changePassword(
          of: ada, from: present, to: password, keeping: here, address: "a")
      }
      #expect(await code { try await change(from: "wrong horse", to: "another horse") } == .wrongCredentials)
      #expect(await code { try await change(from: "correct horse", to: "short") } == .badPassword)
      #expect(try await store.accounts.user(of: elsewhere) == ada)
      try await change(from: "correct horse", to: "another horse")
      #expect(try await store.accounts.user(of: here) == ada)
      #expect(try await store.accounts.user(of: elsewhere) == nil)
      #expect(await code { try await change(from: "correct horse", to: "third horse") } == .wrongCredentials)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `guesses of the present password are limited like attempts to sign in`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind, clock: ManualKennelClock().clock) { store in
      let ada = try await store.addUser()
      var last: KennelError.Code?
      for number in 0..<11 {
        last = await code {
          try await store.accounts.changePassword(
            of: ada, from: "guess \(number)", to: "another horse", keeping: nil, address: "a")
        }
      }
      #expect(last == .tooManyAttempts)
    }
  }

  @Test(arguments: RecordsKind.available) func `a name can be changed, and everyone sees the new one`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser("Ada", role: .owner)
      let ben = try await store.addUser("Ben")
      try await store.addPost(1, by: ada)
      let token = try await store.accounts.beginSession(of: ada.id).token
      _ = try await store.accounts.signIn("Ada", password: "correct horse", address: "a")
      let version = try await store.versions.current()
      #expect(await code { try await store.accounts.rename(ada.id, to: "BEN") } == .nameTaken)
      #expect(await code { try await store.accounts.rename(ada.id, to: "A:da") } == .badName)
      try await store.accounts.rename(ada.id, to: "Ada")
      #expect(try await store.versions.current() == version)
      try await store.accounts.rename(ada.id, to: "Ada Lovelace")
      #expect(try await store.versions.current() != version)
      #expect(try await store.posts.page().first?.authorName == "Ada Lovelace")
      #expect(try await store.accounts.user(of: token)?.name == "Ada Lovelace")
      #expect(
        try await store.accounts.signIn("ada lovelace", password: "correct horse", address: "a").user.id
          == ada.id)
      #expect(
        await code { _ = try await store.accounts.signIn("Ada", password: "correct horse", address: "a") }
          == .wrongCredentials)
      // Only the spelling.
      try await store.accounts.rename(ben.id, to: "BEN")
      #expect(try await store.accounts.user(named: "ben")?.name == "BEN")
    }
  }

  @Test(arguments: RecordsKind.available) func `a name can be changed five times an hour`(_ kind: RecordsKind)
    async throws
  {
    let manualClock = ManualKennelClock()
    try await withStore(kind, clock: manualClock.clock) { store in
      let ada = try await store.addUser("Ada")
      let ben = try await store.addUser("Ben")
      for number in 1...5 {
        let name = number > 1 ? "Ada \(number - 1)" : "Ada"
        // Neither of these changes anything.
        try await store.accounts.rename(ada.id, to: name)
        let error = await #expect(throws: KennelError.self) {
          try await store.accounts.rename(ben.id, to: name)
        }
        #expect(error?.code == .nameTaken)
        try await store.accounts.rename(ada.id, to: "Ada \(number)")
      }
      let error = await #expect(throws: KennelError.self) {
        try await store.accounts.rename(ada.id, to: "Ada")
      }
      #expect(error?.code == .tooManyAttempts && error?.secondsToWait == 720)
      try await store.accounts.rename(ben.id, to: "Benedict")
      manualClock.advance(by: .seconds(720))
      try await store.accounts.rename(ada.id, to: "Ada")
      #expect(await code { try await store.accounts.rename(ada.id, to: "Ada 1") } == .tooManyAttempts)
    }
  }

  // MARK: Sessions

  @Test(arguments: RecordsKind.available)
  func `the list of sessions has the device, the address and the latest use`(_ kind: RecordsKind) async throws
  {
    let manualClock = ManualKennelClock()
    try await withStore(kind, clock: manualClock.clock) { store in
      let ada = try await store.addUser("Ada")
      let ben = try await store.addUser("Ben")
      let first = try await store.accounts.beginSession(
        of: ada.id, client: .init(device: "Firefox on Linux", address: "192.0.2.1"))
      let begin = manualClock.clock.now()
      manualClock.advance(by: .seconds(1))
      let second = try await store.accounts.beginSession(
        of: ada.id, client: .init(device: "Safari on iPhone", address: "192.0.2.2"))
      _ = try await store.accounts.beginSession(of: ben.id)
      @Sendable func list() async throws -> [Accounts.SessionDescription] {
        try await store.accounts.sessions(of: ada.id, current: first.token)
      }
      #expect(try await list().map(\.client.device) == ["Safari on iPhone", "Firefox on Linux"])
      #expect(try await list().map(\.isCurrent) == [false, true])
      #expect(try await list().map(\.created) == [begin.addingTimeInterval(1), begin])
      // Uses are recorded at most once in some minutes.
      manualClock.advance(by: .seconds(298))
      _ = try await store.accounts.user(of: first.token, address: "192.0.2.7")
      #expect(try await list().last?.used == begin)
      manualClock.advance(by: .seconds(1))
      _ = try await store.accounts.user(of: first.token)
      _ = try await store.accounts.user(of: first.token, address: "192.0.2.7")
      #expect(try await eventually { try await list().first?.used == begin.addingTimeInterval(300) })
      #expect(try await list().first?.client.address == "192.0.2.7")
      #expect(try await list().first?.isCurrent == true)
      try await store.accounts.endSessions(of: ada.id, except: first.token)
      #expect(try await list().count == 1)
      #expect(try await store.accounts.user(of: second.token) == nil)
      #expect(try await store.accounts.sessions(of: ben.id, current: nil).count == 1)
    }
  }

  @Test(arguments: RecordsKind.available) func `only the own sessions can be ended`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser("Ada")
      let ben = try await store.addUser("Ben")
      let token = try await store.accounts.beginSession(of: ada.id).token
      let id = try #require(try await store.accounts.sessions(of: ada.id, current: nil).first?.id)
      try await store.accounts.endSession(id, of: ben.id)
      #expect(try await store.accounts.user(of: token) == ada)
      try await store.accounts.endSession(id, of: ada.id)
      #expect(try await store.accounts.user(of: token) == nil)
    }
  }
}
