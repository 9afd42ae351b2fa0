import Foundation
import Glibc
import KennelTestSupport
import TestSupport
import Testing

/// `kennel serve` is killed repeatedly while clients upload, heart and comment.
@Suite(
  .enabled(if: TestWorld.hasFiles, "it is about files after a crash"), .serialized, .timeLimit(.minutes(5)))
struct LoadKillTests {
  private static let lives = KillCount.value(normally: 20)
  private static let clients = 4

  @Test func `acknowledged changes survive when the server is killed`() async throws {
    let loaded = try await LoadedKennel(users: Self.clients, posts: 0)
    let picture = try SmallPicture()
    var random = SeededRandom(0x6b69_6c6c)
    var known = (0..<Self.clients).map { LoadMemory(client: $0, cookie: loaded.cookies[$0]) }
    for life in 1...Self.lives {
      let server = try await loaded.kennel.start("serve", "--port", "0")
      let port = server.port
      let pid = server.child.identifier
      let before = known
      // Each round first checks what the server acknowledged in the last round. The end of the test checks everything.
      let target = Int.random(in: 0..<60, using: &random)
      let spins = Int.random(in: 0..<100_000, using: &random)
      _ = try await onThreads(Self.clients) { try before[$0].expectLatest(LoadConnection(port: port)) }
      known = try await onThreads(Self.clients) { number in
        var memory = before[number]
        memory.work(port: port, life: life, picture: picture) {
          // The first client decides when to kill the server, while the others have open requests.
          guard number == 0, $0 == target else { return }
          for _ in 0..<spins { _ = getppid() }
          kill(pid, SIGKILL)
        }
        return memory
      }
      let ending = await runOnThread { server.child.waitForEnd(within: .seconds(90)) }
      #expect(ending == .signalled(SIGKILL))
      if life % 5 == 0 {
        let check = try await loaded.kennel.run("check")
        #expect(check.status == 0, "Life \(life): \(check.output) \(check.errors)")
      }
    }
    let server = try await loaded.kennel.start("serve", "--port", "0")
    let port = server.port
    let all = known
    _ = try await onThreads(Self.clients) { try all[$0].expectAll(LoadConnection(port: port)) }
    #expect(known.reduce(0) { $0 + $1.posts.count } > 3 * Self.lives)
    #expect(try await server.end() == 0)
    #expect(try await loaded.kennel.run("check").status == 0)
  }
}
