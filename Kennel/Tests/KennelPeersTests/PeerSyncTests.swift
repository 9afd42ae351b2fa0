import Foundation
import KennelTestSupport
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelPeers
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct PeerSyncTests {
  /// Opens two stores. `body` receives both of them and the server of the first.
  private func withTwo(
    _ body: (_ there: KennelStore, _ here: KennelStore, _ other: OtherKennel, _ ada: User) async throws ->
      Void
  ) async throws {
    try await withStore { there in
      let other = try OtherKennel(there)
      do {
        try await withStore { here in try await body(there, here, other, here.addUser()) }
        await other.stop()
      } catch {
        await other.stop()
        throw error
      }
    }
  }

  private func expectEqual(_ there: KennelStore, _ here: KennelStore) async throws {
    let theirs = try await there.posts.persistentPosts()
    let ours = try await here.posts.persistentPosts()
    #expect(ours.compactMap(\.origin?.id) == theirs.map(\.id))
    #expect(ours.compactMap(\.origin?.author) == theirs.map(\.authorName))
    #expect(ours.map(\.caption) == theirs.map(\.caption))
    #expect(ours.map(\.photo) == theirs.map(\.photo))
    #expect(zip(ours, theirs).allSatisfy { abs($0.created.timeIntervalSince($1.created)) < 1 })
    #expect(zip(ours, theirs).allSatisfy { $0.taken.iso8601 == $1.taken.iso8601 })
    #expect(ours.map(\.taken.source) == theirs.map(\.taken.source))
    #expect(try await here.checkedProblems() == [])
    #expect(try await eventually { try here.incomingFiles().isEmpty })
  }

  @Test func `a sync takes all posts of the other kennel`() async throws {
    try await withTwo { there, here, other, ada in
      let bob = try await there.addUser("Bob")
      // More than one page, and each photo twice.
      for number in 0..<250 {
        // Every second photo has a time of its own.
        let taken =
          try number % 2 == 0 ? nil : TakenTime.at("2020-07-14T16:03:00+02:00", source: .cameraClock)
        try await there.addPost(number / 2, by: bob, caption: "No. \(number)", taken: taken)
      }
      let last = Mutex(SyncProgress())
      let report = try await sync(other.address(), here, ada).run { progress in
        last.withLock { $0 = progress }
      }
      #expect(report.taken == 250 && report.known == 0 && report.refusedCount == 0)
      #expect(last.withLock { $0.seen == 250 && $0.taken == 250 && $0.bytes == report.bytes })
      try await expectEqual(there, here)
      #expect(try await here.posts.page(limit: 1).first?.authorName == "Ada")
      // Nothing is left to do, and the next sync only checks new posts.
      #expect(try await sync(other.address(), here, ada).run() == SyncReport())
      try await there.addPost(1000, by: bob)
      #expect(try await sync(other.address(), here, ada).run().taken == 1)
      // Posts from the other kennel are not offered to further kennels.
      #expect(try await here.posts.sharedPage().isEmpty)
    }
  }

  @Test func `a sync over a connection cut at any byte completes`() async throws {
    try await withTwo { there, here, other, ada in
      let bob = try await there.addUser("Bob")
      var random = SeededRandom(7)
      for number in 0..<40 {
        let size = Int.random(in: 1..<60_000, using: &random)
        let photo = try await there.photos.stage(Data.pattern(count: size) + Data("\(number)".utf8))
        _ = try await there.posts.add(photo, facts: .small, caption: "\(number)", author: bob.id)
      }
      let relay = try CuttingRelay(to: other.port, seed: 11) { Int.random(in: 0..<40_000, using: &$0) }
      defer { relay.stop() }
      var runs = 0
      while true {
        runs += 1
        do {
          try await sync(other.address(port: relay.port), here, ada).run()
          break
        } catch let error as KennelError where error.code == .unreachable && runs < 200 {
          // This run lost the connection too often. The next one resumes.
        }
      }
      try await expectEqual(there, here)
      #expect(relay.cutCount > 20)
      #expect(relay.ranges.count > 5)
      #expect(relay.failures.isEmpty)
    }
  }

  @Test func `a later run resumes after the last byte`() async throws {
    try await withTwo { there, here, other, ada in
      let bob = try await there.addUser("Bob")
      let photo = try await there.photos.stage(Data.pattern(count: 100_000))
      _ = try await there.posts.add(photo, facts: .small, caption: "", author: bob.id)
      let isCut = Mutex(true)
      let relay = try CuttingRelay(to: other.port, seed: 1) { _ in isCut.withLock { $0 } ? 60_000 : nil }
      defer { relay.stop() }
      let address = try other.address(port: relay.port)
      let error = await #expect(throws: KennelError.self) {
        // The run ends with the first failure.
        try await sync(address, here, ada, failures: 1).run()
      }
      #expect(error?.code == .unreachable)
      #expect(try await here.posts.page().isEmpty)
      #expect(try await here.checkedProblems() == [])
      isCut.withLock { $0 = false }
      let report = try await sync(address, here, ada).run()
      #expect(report.taken == 1)
      #expect(relay.ranges.count == 1)
      // The bytes of the first run were not fetched again.
      #expect(report.bytes < 45_000)
      let ours = try await here.posts.persistentPosts()
      #expect(ours.map(\.photo) == [photo.hash])
      #expect(try partialFiles(here).isEmpty)
    }
  }

  @Test func `a cancelled sync leaves no partial post`() async throws {
    try await withTwo { there, here, other, ada in
      let bob = try await there.addUser("Bob")
      for number in 0..<30 { try await there.addPost(number, by: bob) }
      let begun = Gate()
      let task = Task {
        try await sync(other.address(), here, ada).run { if $0.taken == 5 { begun.open() } }
      }
      await begun.wait()
      task.cancel()
      let code = await code { _ = try await task.value }
      #expect(code == .cancelled || code == nil)
      let count = try await here.posts.page(limit: 200).count
      #expect(count >= 5)
      #expect(try await here.checkedProblems() == [])
      let report = try await sync(other.address(), here, ada).run()
      #expect(report.taken == 30 - count && report.known == 0)
      try await expectEqual(there, here)
    }
  }

  @Test func `only one run at a time reads a peer`() async throws {
    try await withTwo { there, here, other, ada in
      let partials = try await PartialPhotos.open(for: other.address(), in: here)
      #expect(await code { try await sync(other.address(), here, ada).run() } == .busy)
      // Another peer can be read at the same time.
      _ = try await PartialPhotos.open(for: PeerAddress("https://dogs.example"), in: here)
      withExtendedLifetime(partials) {}
    }
  }

  @Test func `a run that has ended releases the lock`() async throws {
    try await withStore { here in
      let peer = try PeerAddress("https://dogs.example")
      let first = try await PartialPhotos.open(for: peer, in: here)
      #expect(await code { _ = try await PartialPhotos.open(for: peer, in: here) } == .busy)
      first.end()
      _ = try await PartialPhotos.open(for: peer, in: here)
      withExtendedLifetime(first) {}
    }
  }

  @Test func `a run stops at its limits and the next one resumes`() async throws {
    try await withTwo { there, here, other, ada in
      let bob = try await there.addUser("Bob")
      for number in 0..<10 { try await there.addPost(number, by: bob) }
      var limits = PeerSync.Limits()
      limits.maximumPosts = 4
      for expected in [4, 4, 2] {
        let report = try await PeerSync(
          from: other.address(), as: ada.id, into: here,
          session: PeerSync.makeSession(allowsPrivateAddresses: true),
          limits: limits, examine: { photo, _ in NewPhoto(unchanged: photo, facts: .small) }
        ).run()
        #expect(report.taken == expected && report.isLimited == (expected == 4))
      }
      try await expectEqual(there, here)
    }
  }

  @Test func privateAddressesAreRefusedUnlessAllowed() async throws {
    try await withTwo { there, here, other, ada in
      let error = await #expect(throws: KennelError.self) {
        try await PeerSync(from: other.address(), as: ada.id, into: here, session: PeerSync.makeSession())
          .run()
      }
      #expect(error?.code == .notAllowed)
      #expect(error?.description.contains("public addresses only") == true)
      #expect(error?.description.contains("--allow-private") == true)
    }
  }

  @Test func `posts deleted here are not taken again`() async throws {
    try await withTwo { there, here, other, ada in
      let bob = try await there.addUser("Bob")
      try await there.addPost(1, by: bob)
      try await sync(other.address(), here, ada).run()
      try await here.posts.delete(here.posts.page()[0].id, by: ada.id)
      try await there.addPost(2, by: bob)
      #expect(try await sync(other.address(), here, ada).run().taken == 1)
      #expect(try await here.posts.page().count == 1)
    }
  }
}

/// Creates a sync that accepts any bytes as a photo and does not wait long.
func sync(
  _ peer: PeerAddress, _ store: KennelStore, _ owner: User, failures: Int = 6
) -> PeerSync {
  var limits = PeerSync.Limits()
  limits.firstPause = .microseconds(100)
  limits.maximumFailures = failures
  return PeerSync(
    from: peer, as: owner.id, into: store, session: PeerSync.makeSession(allowsPrivateAddresses: true),
    limits: limits, examine: { photo, _ in NewPhoto(unchanged: photo, facts: .small) })
}

/// Returns the files below `peers`, without the directories.
func partialFiles(_ store: KennelStore) throws -> [String] {
  let peers = store.directory + "/peers"
  return try FileManager.default.subpathsOfDirectory(atPath: peers).filter { $0.contains("/") }
}
