import KennelTestSupport
import Synchronization
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// HTTP Basic authentication sends the name and the password with each request.
@Suite(.timeLimit(.minutes(5))) struct RepeatedSignInTests {
  private func signIn(_ store: KennelStore, _ password: String = "correct horse") async throws -> User {
    try await store.accounts.signIn("Ada", password: password, address: "192.0.2.1").user
  }

  @Test(arguments: RecordsKind.available) func `only the first of many requests computes a hash`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(
      kind,
      {
        $0.accounts.maximumConcurrentHashes = 1
        $0.accounts.maximumWaitingHashes = 1
      }
    ) { store in
      let ada = try await store.addUser()
      #expect(try await signIn(store) == ada)
      let workQueue = store.accounts.hasher.workQueue
      let (isHeld, release) = (Gate(), Gate())
      async let held: Void = workQueue.run {
        isHeld.open()
        release.waitBlocking(.seconds(120))
      }
      defer { release.open() }
      await isHeld.wait()
      // With this job, the queue is full, so every further hash is refused.
      workQueue.submit(CancellationTicket(), {}) { _ in }
      #expect(await code { _ = try await signIn(store, "another horse") } == .busy)
      for _ in 0..<100 { #expect(try await signIn(store) == ada) }
      release.open()
      try await held
    }
  }

  @Test func `equal concurrent requests are one attempt`() async throws {
    let directory = try TemporaryDirectory()
    let cost = PasswordCost(passes: 1, memory: 16 << 20)
    let ada = try await withStore(in: directory, { $0.accounts.passwordCost = cost }) {
      try await $0.addUser()
    }
    // With one concurrent hash and no waiting hashes, a second hash would be refused as busy. The thread that hashed
    // Ada's password may still be busy when the result is available, so she was added before.
    try await withStore(
      in: directory,
      {
        $0.accounts.maximumConcurrentHashes = 1
        $0.accounts.maximumWaitingHashes = 0
        $0.accounts.passwordCost = cost
      }
    ) { store in
      try await withThrowingTaskGroup(of: User.self) { group in
        for _ in 0..<200 { group.addTask { try await signIn(store) } }
        for try await user in group { #expect(user == ada) }
      }
      #expect(store.accounts.signIns.withLock { $0.work.isEmpty && $0.coordinator.attemptCount == 0 })
    }
  }

  @Test(arguments: RecordsKind.available) func `a changed password applies immediately`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      #expect(try await signIn(store) == ada)
      try await store.accounts.setPassword("battery staple", of: ada.id)
      #expect(await code { _ = try await signIn(store) } == .wrongCredentials)
      #expect(try await signIn(store, "battery staple") == ada)
    }
  }

  @Test func `changes of passwords and roles by another process apply`() async throws {
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

  @Test(arguments: RecordsKind.available)
  func `cancelling one caller does not cancel an attempt that others share`(_ kind: RecordsKind) async throws
  {
    try await withStore(
      kind,
      {
        $0.accounts.maximumConcurrentHashes = 1
        $0.accounts.passwordCost = PasswordCost(passes: 2, memory: 32 << 20)
      }
    ) { store in
      let ada = try await store.addUser()
      let tasks = (0..<10).map { _ in Task { try await signIn(store) } }
      for task in tasks.dropLast() { task.cancel() }
      #expect(try await tasks.last?.value == ada)
      for task in tasks.dropLast() {
        // Each task has a result: the user, or its cancellation.
        switch await task.result {
        case .success(let user): #expect(user == ada)
        case .failure(let error): #expect((error as? KennelError)?.code == .cancelled)
        }
      }
      #expect(store.accounts.signIns.withLock { $0.work.isEmpty && $0.coordinator.attemptCount == 0 })
    }
  }
}
