import Foundation
import Glibc
import KennelTestSupport
import PostgresClient
import Synchronization
import TestSupport
import Testing

@testable import KennelStorage

/// Two servers with one database and one store are killed at random moments, one at a time, while clients of both upload, give
/// hearts, comment and delete. `KENNEL_KILLS=200` makes a long run.
@Suite(.serialized, .enabled(if: SharedKennel.isAvailable), .timeLimit(.minutes(30))) struct SharedKillTests {
  private static let lives = KillCount.value(normally: 6)
  private static let clients = 4

  @Test func `acknowledged changes survive when one of two servers is killed, and the other one continues`()
    async throws
  {
    let kennel = try await SharedKennel(users: Self.clients + 1)
    let loaded = kennel.loaded
    var servers = [try await kennel.start(), try await kennel.start()]
    let shared = Shared(ports: servers.map(\.port))
    let picture = try SmallPicture()
    let own = try await kennel.post(-1, by: Self.clients, to: servers[0])
    defer { shared.isDone.store(true, ordering: .relaxed) }
    async let work = onThreads(Self.clients) { number in
      var memory = LoadMemory(client: number, cookie: loaded.cookies[number])
      memory.work(
        ports: { shared.ports.withLock { $0 } }, seed: UInt64(number), picture: picture,
        until: { shared.isDone.load(ordering: .relaxed) },
        { shared.answered.add(1, ordering: .relaxed) })
      return memory
    }

    var random = SeededRandom(0x7368_6172)
    var longest = Duration.zero
    for life in 1...Self.lives {
      let victim = Int.random(in: 0..<2, using: &random)
      let target = shared.answered.load(ordering: .relaxed) + Int.random(in: 0..<40, using: &random)
      let spins = Int.random(in: 0..<100_000, using: &random)
      #expect(await eventually { shared.answered.load(ordering: .relaxed) >= target }, "Life \(life)")
      for _ in 0..<spins { _ = getppid() }
      let child = servers[victim].child
      child.send(signal: SIGKILL)
      let start = ContinuousClock.now
      let survivor = servers[1 - victim].port
      let status = try await runOnThread {
        try LoadConnection(port: survivor).ask(
          life % 2 == 0 ? "DELETE" : "PUT", "/posts/\(own)/favourite", fields: loaded.cookies[Self.clients]
        ).status
      }
      // The lock of the writer that was killed is free immediately. Another one would wait for 10 seconds, and be refused.
      #expect(status == 200, "Life \(life)")
      longest = max(longest, ContinuousClock.now - start)
      #expect(await runOnThread { child.waitForEnd(within: .seconds(90)) } == .signalled(SIGKILL))
      servers[victim] = try await kennel.start()
      let ports = servers.map(\.port)
      shared.ports.withLock { $0 = ports }
    }
    shared.isDone.store(true, ordering: .relaxed)
    let known = try await work
    // For docs/many-processes.md, after a long run.
    print("\(Self.lives) kills, \(shared.answered.load(ordering: .relaxed)) answers, longest wait \(longest)")

    for server in servers {
      let port = server.port
      _ = try await onThreads(Self.clients) { try known[$0].expectAll(LoadConnection(port: port)) }
    }
    let posts = known.reduce(0) { $0 + $1.posts.count }
    #expect(posts > 2 * Self.lives)
    // No row without its object. The photos differ in what was taken out of them.
    var stored: [String: Int64] = [:]
    for try await object in kennel.objects.objects() { stored[object.key] = object.size }
    let pool = PostgresPool(try PostgresAddress(kennel.database))
    let rows = try await pool.rows(
      "SELECT hash, bytes FROM photos UNION ALL SELECT hash, bytes FROM parts"
    ) { ($0.blob(0), $0.integer(1)) }
    #expect(rows.count >= posts)
    for (hash, bytes) in rows {
      #expect(stored[PhotoHash(bytes: hash)?.description ?? ""] == bytes)
    }
    pool.close()
    for server in servers { #expect(try await server.end() == 0) }
  }

  /// What the clients and the one who kills servers share.
  private final class Shared: Sendable {
    let ports: Mutex<[Int]>
    let answered = Atomic(0)
    let isDone = Atomic(false)

    init(ports: [Int]) { self.ports = Mutex(ports) }
  }
}
