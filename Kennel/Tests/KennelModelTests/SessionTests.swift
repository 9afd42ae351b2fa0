import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct SessionTests {
  @Test func aSessionLastsUntilItExpires() async throws {
    let manualClock = ManualKennelClock()
    let directory = try TemporaryDirectory()
    let session = try await withStore(in: directory, clock: manualClock.clock) { store in
      try await store.accounts.beginSession(of: store.addUser().id)
    }
    try await withStore(in: directory, clock: manualClock.clock) { store in
      let token = try #require(SessionToken(session.token.text))
      #expect(try await store.accounts.user(of: token)?.name == "Ada")
      manualClock.advance(by: .seconds(30 * 24 * 3600))
      #expect(try await store.accounts.user(of: token) == nil)
    }
  }

  @Test(arguments: RecordsKind.available) func `an ended session has no user`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      var sessions: [Accounts.Session] = []
      for _ in 0..<4 { sessions.append(try await store.accounts.beginSession(of: ada.id)) }
      try await store.accounts.endSession(sessions[0].token)
      try await store.accounts.endSession(sessions[0].token)
      #expect(try await store.accounts.user(of: sessions[0].token) == nil)
      #expect(try await store.accounts.user(of: sessions[1].token) == ada)
      try await store.accounts.setPassword("another horse", of: ada.id)
      #expect(try await store.accounts.user(of: sessions[1].token) == nil)
      #expect(
        await code {
          _ = try await store.accounts.signIn("Ada", password: "correct horse", address: "a")
        } == .wrongCredentials)
      let last = try await store.accounts.beginSession(of: ada.id, password: "another horse")
      try await store.accounts.endSessions(of: ada.id)
      #expect(try await store.accounts.user(of: last.token) == nil)
    }
  }

  @Test func theOldestSessionEndsForANewOne() async throws {
    let manualClock = ManualKennelClock()
    try await withStore(clock: manualClock.clock, { $0.accounts.maximumSessionsPerUser = 3 }) { store in
      let ada = try await store.addUser()
      var sessions: [Accounts.Session] = []
      for _ in 0..<5 {
        sessions.append(try await store.accounts.beginSession(of: ada.id))
        manualClock.advance(by: .seconds(1))
      }
      for (number, session) in sessions.enumerated() {
        #expect(try await (store.accounts.user(of: session.token) != nil) == (number >= 2))
      }
    }
  }

  @Test(arguments: RecordsKind.available) func `no token is in the store or in a description`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let session = try await store.accounts.beginSession(of: store.addUser().id)
      #expect(session.token.text.utf8.count == 43)
      let stored = try await store.database.read { connection throws(KennelError) in
        try connection.first("SELECT token FROM sessions") { $0.blob(0) }
      }
      #expect(stored == session.token.digest)
      #expect(Sodium.bytes(32, ofBase64: session.token.text).map(Sodium.sha256) == stored)
      #expect(!"\(session)".contains(session.token.text))
      var text = ""
      dump(session.token, to: &text)
      #expect(!text.contains("bytes"))
    }
  }

  @Test(arguments: [
    "", "abc", String(repeating: "=", count: 43), String(repeating: "A", count: 44),
    String(repeating: "A", count: 5000),
  ])
  func `an invalid token has no user`(text: String) {
    #expect(SessionToken(text) == nil)
  }
}
