import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct SessionCacheTests {
  @Test func `a session is known until the next commit, and until it expires`() {
    /// What the database would answer at a mark.
    struct Truth: Hashable { var user: Int64, expires: Int64 }
    var cache = SessionCache(limit: 4)
    var truth: [UInt8: Truth] = [:]
    var mark: UInt64 = 0
    var now: Int64 = 0
    /// The marks of readers that have not read a session yet. There may be commits in between.
    var begun: [CommitMark?] = []
    /// What readers have read, with their marks. They store it later.
    var read: [(digest: UInt8, truth: Truth, mark: CommitMark?)] = []
    var hits = 0
    /// Most readers are fast, some are slow.
    func some(_ indices: Range<Int>, _ random: inout SeededRandom) -> Int? {
      Bool.random(using: &random) ? indices.last : indices.randomElement(using: &random)
    }
    SeededRandom.draw(20_000, eventsOf: 7, seed: 5) { kind, random in
      let digest = UInt8.random(in: 0..<8, using: &random)
      switch kind {
      case 0:
        guard Int.random(in: 0..<16, using: &random) == 0 else { return }
        mark += 1
        truth[digest] =
          Bool.random(using: &random)
          ? Truth(user: Int64(mark), expires: now + Int64.random(in: 1...50, using: &random)) : nil
      case 1: now += 1
      case 2:
        begun.append(Int.random(in: 0..<8, using: &random) == 0 ? nil : CommitMark(SIMD8(repeating: mark)))
      case 3:
        guard let index = some(begun.indices, &random) else { return }
        let earlier = begun.remove(at: index)
        if let found = truth[digest], found.expires > now { read.append((digest, found, earlier)) }
      case 4:
        guard let index = some(read.indices, &random) else { return }
        let late = read.remove(at: index)
        let user = User(id: late.truth.user, name: "Ada", role: .member, created: .distantPast)
        cache.insert(
          SessionCache.Entry(user: user, expires: late.truth.expires), [late.digest], readAfter: late.mark)
      default:
        #expect(cache.entry([digest], at: nil, now: now) == nil)
        guard let user = cache.entry([digest], at: CommitMark(SIMD8(repeating: mark)), now: now)?.user else {
          return
        }
        hits += 1
        #expect(truth[digest]?.user == user.id)
        #expect(truth[digest].map { $0.expires > now } == true)
      }
      #expect(cache.count <= 4)
    }
    #expect(hits > 50)
  }

  @Test(
    .enabled(
      if: TestWorld.hasFiles, "with PostgreSQL, changes of other processes are known some milliseconds later")
  )
  func `a session that another process ends is unknown immediately`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      try await withStore(in: directory) { other in
        let ada = try await store.addUser("Ada", role: .owner)
        let ben = try await store.addUser("Ben")
        func session(_ user: User) async throws -> SessionToken {
          let token = try await store.accounts.beginSession(of: user.id).token
          for _ in 0..<3 { #expect(try await store.accounts.user(of: token) == user) }
          return token
        }
        let first = try await session(ada)
        let second = try await session(ada)
        try await other.accounts.endSession(first)
        #expect(try await store.accounts.user(of: first) == nil)
        #expect(try await store.accounts.user(of: second) == ada)
        try await other.accounts.setPassword("another horse", of: ada.id)
        #expect(try await store.accounts.user(of: second) == nil)
        let third = try await session(ben)
        try await other.accounts.setRole(.owner, of: ben.id)
        #expect(try await store.accounts.user(of: third)?.role == .owner)
        _ = try await other.accounts.removeUser(ben.id)
        #expect(try await store.accounts.user(of: third) == nil)
      }
    }
  }

  @Test(arguments: RecordsKind.available) func `a session that is known expires as well`(_ kind: RecordsKind)
    async throws
  {
    let manualClock = ManualKennelClock()
    try await withStore(kind, clock: manualClock.clock) { store in
      let session = try await store.accounts.beginSession(of: store.addUser().id)
      for _ in 0..<2 { #expect(try await store.accounts.user(of: session.token)?.name == "Ada") }
      manualClock.advance(by: .seconds(30 * 24 * 3600))
      #expect(try await store.accounts.user(of: session.token) == nil)
    }
  }
}
