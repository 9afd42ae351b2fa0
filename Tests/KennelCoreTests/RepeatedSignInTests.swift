import Synchronization
import TestSupport
import Testing

@testable import KennelCore

/// HTTP's Basic scheme brings name and password with each request.
@Suite(.timeLimit(.minutes(3))) struct RepeatedSignInTests {
  private func signIn(_ store: KennelStore, _ password: String = "correct horse") async throws -> User {
    try await store.accounts.signIn("Ada", password: password, address: "192.0.2.1")
  }

  @Test func onlyTheFirstOfManyRequestsCostsAHash() async throws {
    try await withStore({
      $0.accounts.concurrentHashes = 1
      $0.accounts.waitingHashes = 1
    }) { store in
      let ada = try await store.addUser()
      #expect(try await signIn(store) == ada)
      let lane = store.accounts.hasher.lane
      let (isHeld, release) = (Gate(), Gate())
      async let held: Void = lane.run {
        isHeld.open()
        release.waitBlocking(.seconds(120))
      }
      defer { release.open() }
      await isHeld.wait()
      // With this the line is full: from here on a hash is refused.
      lane.submit(LaneTicket(), {}) { _ in }
      #expect(await code { _ = try await signIn(store, "another horse") } == .busy)
      for _ in 0..<100 { #expect(try await signIn(store) == ada) }
      release.open()
      try await held
    }
  }

  @Test func aBurstAtTheBeginningIsOneAttempt() async throws {
    let directory = try TemporaryDirectory()
    let cost = PasswordCost(passes: 1, memory: 16 << 20)
    let ada = try await withStore(in: directory, { $0.accounts.passwordCost = cost }) {
      try await $0.addUser()
    }
    // With one hash at a time and nobody let wait, a second one would be refused as busy. The thread that has hashed Ada's
    // password may not be free yet when the answer is here; so she was added before.
    try await withStore(
      in: directory,
      {
        $0.accounts.concurrentHashes = 1
        $0.accounts.waitingHashes = 0
        $0.accounts.passwordCost = cost
      }
    ) { store in
      try await withThrowingTaskGroup(of: User.self) { group in
        for _ in 0..<200 { group.addTask { try await signIn(store) } }
        for try await user in group { #expect(user == ada) }
      }
      #expect(store.accounts.signIns.withLock { $0.work.isEmpty && $0.desk.attemptCount == 0 })
    }
  }

  @Test func aChangedPasswordIsAskedForAtOnce() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      #expect(try await signIn(store) == ada)
      try await store.accounts.setPassword("battery staple", of: ada.id)
      #expect(await code { _ = try await signIn(store) } == .wrongCredentials)
      #expect(try await signIn(store, "battery staple") == ada)
    }
  }

  @Test func anotherProcessChangesPasswordsAndRolesToo() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      let ada = try await store.addUser()
      _ = try await store.addUser("Olga", role: .owner)
      #expect(try await signIn(store).role == .member)
      try await withStore(in: directory) { try await $0.accounts.setRole(.owner, of: ada.id) }
      #expect(try await signIn(store).role == .owner)
      try await withStore(in: directory) { other in
        try await other.accounts.setPassword("battery staple", of: ada.id)
      }
      #expect(await code { _ = try await signIn(store) } == .wrongCredentials)
      #expect(try await signIn(store, "battery staple").id == ada.id)
      _ = try await withStore(in: directory) { try await $0.accounts.removeUser(ada.id) }
      #expect(await code { _ = try await signIn(store, "battery staple") } == .wrongCredentials)
    }
  }

  @Test func whoGoesAwayLeavesTheAttemptToTheOthers() async throws {
    try await withStore({
      $0.accounts.concurrentHashes = 1
      $0.accounts.passwordCost = PasswordCost(passes: 2, memory: 32 << 20)
    }) { store in
      let ada = try await store.addUser()
      let tasks = (0..<10).map { _ in Task { try await signIn(store) } }
      for task in tasks.dropLast() { task.cancel() }
      #expect(try await tasks.last?.value == ada)
      for task in tasks.dropLast() {
        // Each had its answer: the user, or that it was taken back.
        switch await task.result {
        case .success(let user): #expect(user == ada)
        case .failure(let error): #expect((error as? KennelError)?.code == .cancelled)
        }
      }
      #expect(store.accounts.signIns.withLock { $0.work.isEmpty && $0.desk.attemptCount == 0 })
    }
  }
}
