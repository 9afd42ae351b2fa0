import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct AccountTests {
  @Test(arguments: RecordsKind.available)
  func `a password is stored as an Argon2id hash with the configured parameters`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      _ = try await store.addUser()
      let hash = try await store.database.read { connection throws(KennelError) in
        try connection.first("SELECT password FROM users") { $0.text(0) }
      }
      #expect(hash?.hasPrefix("$argon2id$v=19$m=8,t=1,p=1$") == true)
    }
  }

  @Test(arguments: RecordsKind.available) func `only the correct password signs in`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      #expect(
        try await store.accounts.signIn("ada", password: "correct horse", address: "a").user == ada)
      for (name, password) in [
        ("Ada", "wrong horse"), ("Ada", ""), ("Bob", "correct horse"), ("", ""), ("a:b", "c"),
      ] {
        let error = await code {
          _ = try await store.accounts.signIn(name, password: password, address: "a")
        }
        #expect(error == .wrongCredentials, "\(name)")
      }
    }
  }

  @Test func `signing in with an unknown name also computes a hash`() async throws {
    let hasher = try PasswordHasher(cost: .minimum, concurrency: 1, maximumWaitingCount: 1)
    // The decoy is a valid hash with the parameters of a real one. Otherwise, libsodium would return immediately.
    #expect(try await !hasher.verifies("correct horse", hash: nil))
    #expect(!hasher.isOutdated(hasher.decoy))
  }

  @Test(arguments: RecordsKind.available) func `passwords with differently composed accents are equal`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      _ = try await store.accounts.addUser("Ada", password: "caf\u{e9} au lait")
      _ = try await store.accounts.signIn("Ada", password: "cafe\u{301} au lait", address: "a")
    }
  }

  @Test(arguments: RecordsKind.available) func `passwords that are too short or too long are refused`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store async throws in
      for password in ["", "1234567", String(repeating: "x", count: 1025)] {
        #expect(
          await code { _ = try await store.accounts.addUser("Ada", password: password) }
            == .badPassword)
      }
      #expect(try await store.accounts.users().isEmpty)
    }
  }

  @Test(arguments: RecordsKind.available) func `the error for too many attempts has the seconds to wait`(
    _ kind: RecordsKind
  ) async throws {
    let manualClock = ManualKennelClock()
    try await withStore(kind, clock: manualClock.clock) { store in
      let ada = try await store.addUser()
      for number in 0..<10 {
        #expect(
          await code {
            _ = try await store.accounts.signIn("Ada", password: "no \(number)", address: "192.0.2.9")
          } == .wrongCredentials)
      }
      let error = await #expect(throws: KennelError.self) {
        try await store.accounts.signIn("ada", password: "correct horse", address: "192.0.2.9")
      }
      #expect(error?.code == .tooManyAttempts)
      #expect(error?.secondsToWait == 30)
      // Attempts by a stranger do not use up the user's allowance.
      #expect(
        try await store.accounts.signIn("ada", password: "correct horse", address: "192.0.2.99").user == ada)
      manualClock.advance(by: .seconds(30))
      for _ in 0..<20 {
        #expect(
          try await store.accounts.signIn("ada", password: "correct horse", address: "192.0.2.9").user == ada)
      }
    }
  }

  @Test(arguments: RecordsKind.available) func `attempts from many addresses do not lock out a known address`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind, clock: ManualKennelClock().clock) { store in
      let ada = try await store.addUser()
      #expect(try await store.accounts.signIn("ada", password: "correct horse", address: "home").user == ada)
      var refused = 0
      for number in 0..<100 {
        let error = await code {
          _ = try await store.accounts.signIn("Ada", password: "no", address: "192.0.2.\(number)")
        }
        if error == .tooManyAttempts { refused += 1 }
      }
      #expect(refused == 50)
      #expect(try await store.accounts.signIn("ada", password: "correct horse", address: "home").user == ada)
    }
  }

  @Test(arguments: RecordsKind.available) func `concurrent attempts do not bypass the limit`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind, clock: ManualKennelClock().clock) { store in
      _ = try await store.addUser()
      let codes = await withTaskGroup(of: KennelError.Code?.self) { group in
        for number in 0..<40 {
          group.addTask {
            await code {
              _ = try await store.accounts.signIn("Ada", password: "no \(number)", address: "192.0.2.9")
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(codes.count { $0 == .wrongCredentials } == 10)
      #expect(codes.count { $0 == .tooManyAttempts } == 30)
    }
  }

  @Test func `a higher password cost applies at the next sign-in`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in _ = try await store.addUser() }
    let more = PasswordCost(passes: 2, memory: 16 << 10)
    try await withStore(in: directory, { $0.accounts.passwordCost = more }) { store in
      for _ in 0..<2 {
        let proof = try await store.accounts.signIn("Ada", password: "correct horse", address: "a")
        _ = try await store.accounts.beginSession(with: proof)
        let hash = try await store.database.read { connection throws(KennelError) in
          try connection.first("SELECT password FROM users") { $0.text(0) }
        }
        #expect(hash?.hasPrefix("$argon2id$v=19$m=16,t=2,p=1$") == true)
      }
    }
  }
}
