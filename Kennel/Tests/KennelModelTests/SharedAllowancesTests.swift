import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// Attempts that two processes with the same records count together.
@Suite(.timeLimit(.minutes(5))) struct SharedAllowancesTests {
  /// Opens two stores with the same records, as two processes would.
  private func withTwoStores(
    _ kind: RecordsKind, clock: KennelClock, _ body: (KennelStore, KennelStore) async throws -> Void
  ) async throws {
    let address = try await kind.makeDatabase()
    let directory = try TemporaryDirectory()
    try await withStore(in: directory, clock: clock, { $0.databaseAddress = address }) { one in
      try await withStore(in: directory, clock: clock, { $0.databaseAddress = address }) { two in
        try await body(one, two)
      }
    }
  }

  private func signIn(
    _ store: KennelStore, _ password: String = "wrong", from address: String = "192.0.2.1"
  ) async -> KennelError.Code? {
    await code { _ = try await store.accounts.signIn("Ada", password: password, address: address) }
  }

  @Test(arguments: RecordsKind.available)
  func `attempts to sign in through two processes count together`(_ kind: RecordsKind) async throws {
    let time = ManualKennelClock()
    try await withTwoStores(kind, clock: time.clock) { one, two in
      _ = try await one.addUser()
      for _ in 0..<5 {
        #expect(await signIn(one) == .wrongCredentials)
        #expect(await signIn(two) == .wrongCredentials)
      }
      for store in [one, two] {
        #expect(await signIn(store) == .tooManyAttempts)
        // The right password is refused, too.
        #expect(await signIn(store, "correct horse") == .tooManyAttempts)
        #expect(await signIn(store, from: "192.0.2.2") == .wrongCredentials)
      }
      // One attempt for both after 30 seconds.
      time.advance(by: .seconds(30))
      #expect(await signIn(two) == .wrongCredentials)
      #expect(await signIn(one) == .tooManyAttempts)
      time.advance(by: .seconds(30))
      #expect(await signIn(one, "correct horse") == nil)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `attempts that were right are given back for all processes`(_ kind: RecordsKind) async throws {
    let time = ManualKennelClock()
    try await withTwoStores(kind, clock: time.clock) { one, two in
      _ = try await one.addUser()
      for _ in 0..<30 {
        #expect(await signIn(one, "correct horse") == nil)
        #expect(await signIn(two, "correct horse") == nil)
        // Longer than verified credentials are known, so each attempt verifies the password.
        time.advance(by: .seconds(301))
      }
    }
  }

  @Test(arguments: RecordsKind.available)
  func `a process knows who has signed in through another one`(_ kind: RecordsKind) async throws {
    let time = ManualKennelClock()
    try await withTwoStores(kind, clock: time.clock) { one, two in
      _ = try await one.addUser()
      #expect(await signIn(one, "correct horse", from: "192.0.2.1") == nil)
      // A change after it, as a sign-in makes it. What is written later is written before this.
      let proof = try await one.accounts.signIn("Ada", password: "correct horse", address: "192.0.2.1")
      _ = try await one.accounts.beginSession(with: proof)
      time.advance(by: .seconds(301))
      // Strangers use up the attempts for the name.
      for number in 0..<50 {
        #expect(await signIn(two, from: "198.51.100.\(number)") == .wrongCredentials)
      }
      #expect(await signIn(two, "correct horse", from: "203.0.113.1") == .tooManyAttempts)
      #expect(await signIn(one, "correct horse", from: "203.0.113.1") == .tooManyAttempts)
      #expect(await signIn(two, "correct horse", from: "192.0.2.1") == nil)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `guesses of links through two processes count together`(_ kind: RecordsKind) async throws {
    let time = ManualKennelClock()
    try await withTwoStores(kind, clock: time.clock) { one, two in
      let limiters = [one.guessLimiter("link"), two.guessLimiter("link")]
      for _ in 0..<10 { for limiter in limiters { try await limiter.countFailure("192.0.2.1") } }
      for limiter in limiters {
        #expect(await code { try await limiter.countFailure("192.0.2.1") } == .tooManyAttempts)
        #expect(await code { try limiter.check("192.0.2.1") } == .tooManyAttempts)
        try limiter.check("192.0.2.2")
      }
      // Guesses of something else are counted separately.
      try await one.guessLimiter("feed").countFailure("192.0.2.1")
      let token = SecretToken<AccountLink>()
      for store in [one, two] {
        for _ in 0..<10 {
          #expect(
            await code { _ = try await store.accounts.link(of: token, address: "192.0.2.1") } == .noSuchLink)
        }
      }
      for store in [one, two] {
        #expect(
          await code { _ = try await store.accounts.link(of: token, address: "192.0.2.1") }
            == .tooManyAttempts)
      }
    }
  }

  @Test(arguments: RecordsKind.available)
  func `rows have no names and addresses, and are removed when they have no effect`(_ kind: RecordsKind)
    async throws
  {
    let time = ManualKennelClock()
    try await withStore(kind, clock: time.clock) { store in
      _ = try await store.addUser()
      func keys() async throws -> [[UInt8]] {
        try await store.database.read { connection throws(KennelError) in
          try connection.rows("SELECT key FROM allowances") { $0.blob(0) }
        }
      }
      #expect(await signIn(store) == .wrongCredentials)
      let first = try await keys()
      #expect(first.count == 3 && first.allSatisfy { $0.count == 32 })
      time.advance(by: .seconds(3600))
      #expect(await signIn(store, from: "192.0.2.2") == .wrongCredentials)
      let second = try await keys()
      // The name is the same.
      #expect(second.count == 3 && Set(first).intersection(second).count == 1)
    }
  }

  @Test func `a clock that was wrong does not lock anyone out`() async throws {
    let time = ManualKennelClock()
    try await withStore(clock: time.clock) { store in
      _ = try await store.addUser()
      #expect(await signIn(store) == .wrongCredentials)
      try await store.database.write { transaction throws(KennelError) -> Void in
        try transaction.connection.run("UPDATE allowances SET until = until + 86400000")
      }
      #expect(await signIn(store) == .wrongCredentials)
      #expect(await signIn(store, "correct horse") == nil)
    }
  }

  @Test func `a session and known credentials are used without counting`() async throws {
    let time = ManualKennelClock()
    try await withStore(clock: time.clock) { store in
      let ada = try await store.addUser()
      #expect(await signIn(store, "correct horse") == nil)
      let session = try await store.accounts.beginSession(of: ada.id)
      _ = try await store.accounts.user(of: session.token)
      let mark = store.database.commitMark
      #expect(mark != nil)
      for _ in 0..<20 {
        _ = try await store.accounts.user(of: session.token)
        #expect(await signIn(store, "correct horse") == nil)
      }
      #expect(store.database.commitMark == mark)
    }
  }
}
