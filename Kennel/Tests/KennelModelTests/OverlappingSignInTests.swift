import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// A new password ends what began with the old one, also what was verified before the change and is written after it.
@Suite(.timeLimit(.minutes(5))) struct OverlappingSignInTests {
  private func signIn(
    _ store: KennelStore, _ password: String = "correct horse"
  ) async throws -> SignInProof {
    try await store.accounts.signIn("Ada", password: password, address: "192.0.2.1")
  }

  private func beginCode(_ store: KennelStore, _ proof: SignInProof) async -> KennelError.Code? {
    await code { _ = try await store.accounts.beginSession(with: proof) }
  }

  @Test(arguments: RecordsKind.available)
  func `a sign-in with the old password starts no session after a change of the password`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let hashed = try await signIn(store)
      let cached = try await signIn(store)
      try await store.accounts.setPassword("another horse", of: ada.id)
      #expect(await beginCode(store, hashed) == .wrongCredentials)
      #expect(await beginCode(store, cached) == .wrongCredentials)
      #expect(try await store.accounts.sessions(of: ada.id, current: nil).isEmpty)
      let new = try await signIn(store, "another horse")
      #expect(await beginCode(store, new) == nil)
      #expect(try await store.accounts.sessions(of: ada.id, current: nil).count == 1)
      // Setting the same password again is a change, too.
      try await store.accounts.setPassword("another horse", of: ada.id)
      #expect(await beginCode(store, new) == .wrongCredentials)
      #expect(try await store.accounts.sessions(of: ada.id, current: nil).isEmpty)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `of two changes of the password that overlap, one is made`(_ kind: RecordsKind) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      func change(_ password: String) async -> KennelError.Code? {
        await code {
          try await store.accounts.changePassword(
            of: ada, from: "correct horse", to: password, keeping: nil, address: "192.0.2.1")
        }
      }
      async let first = change("second horse")
      async let second = change("third horse")
      let codes = await [first, second]
      #expect(codes == [nil, .wrongCredentials] || codes == [.wrongCredentials, nil])
      _ = try await signIn(store, codes[0] == nil ? "second horse" : "third horse")
    }
  }

  @Test(arguments: RecordsKind.available)
  func `a sign-in starts a session after a change of the name or the role`(_ kind: RecordsKind) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let proof = try await signIn(store)
      try await store.accounts.rename(ada.id, to: "Ada Lovelace")
      try await store.accounts.setRole(.owner, of: ada.id)
      #expect(await beginCode(store, proof) == nil)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `a link for a new password ends earlier sign-ins, and is one itself`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      func use(_ password: String) async throws -> SignInProof {
        let link = try await store.accounts.makePasswordLink(for: ada.id)
        return try await store.accounts.use(link.token, name: "", password: password, address: "a").proof
      }
      let old = try await signIn(store)
      let first = try await use("another horse")
      #expect(first.user == ada)
      #expect(await beginCode(store, old) == .wrongCredentials)
      #expect(await beginCode(store, first) == nil)
      let second = try await use("third horse")
      #expect(await beginCode(store, first) == .wrongCredentials)
      try await store.accounts.setPassword("fourth horse", of: ada.id)
      #expect(await beginCode(store, second) == .wrongCredentials)
      #expect(try await store.accounts.sessions(of: ada.id, current: nil).isEmpty)
    }
  }

  @Test(arguments: RecordsKind.available) func `an invitation signs in until the password changes`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let link = try await store.accounts.invite(.member)
      let proof = try await store.accounts.use(
        link.token, name: "Ada", password: "correct horse", address: "a"
      ).proof
      let session = try await store.accounts.beginSession(with: proof)
      #expect(try await store.accounts.user(of: session.token) == proof.user)
      try await store.accounts.setPassword("another horse", of: proof.user.id)
      #expect(await beginCode(store, proof) == .wrongCredentials)
    }
  }

  @Test(arguments: RecordsKind.available) func `a removed user starts no session`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let proof = try await signIn(store)
      _ = try await store.accounts.removeUser(ada.id)
      #expect(await beginCode(store, proof) == .wrongCredentials)
    }
  }

  @Test(arguments: RecordsKind.available) func `a session makes no feed after a new password has ended it`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let ben = try await store.addUser("Ben")
      func makeCode(_ session: SessionToken?) async -> KennelError.Code? {
        await code { _ = try await store.accounts.makeFeed(for: ada.id, session: session) }
      }
      let session = try await store.accounts.beginSession(of: ada.id).token
      #expect(await makeCode(session) == nil)
      #expect(try await store.accounts.feed(of: ada.id) != nil)
      try await store.accounts.setPassword("another horse", of: ada.id)
      #expect(await makeCode(session) == .wrongCredentials)
      // A session of another user.
      let other = try await store.accounts.beginSession(of: ben.id).token
      #expect(await makeCode(other) == .wrongCredentials)
      #expect(try await store.accounts.feed(of: ada.id) == nil)
      // A user whom a proxy has signed in has no session.
      #expect(await makeCode(nil) == nil)
      #expect(try await store.accounts.feed(of: ada.id) != nil)
    }
  }
}
