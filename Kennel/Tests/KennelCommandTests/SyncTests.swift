import Foundation
import Glibc
import KennelStorage
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelCommand
@testable import KennelPeers

@Suite(.timeLimit(.minutes(5))) struct SyncTests {
  @Test(.enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"))
  func `sync copies each post of another kennel only once`() async throws {
    let there = try await Kennel.withOwner()
    try there.writePhotos(2)
    _ = try await there.run("import", there.directory.path("photos"))
    let server = try await there.start("serve", "--port", "0")
    let here = try await Kennel.withOwner()
    let first = try await here.run("sync", server.address, "--allow-private")
    #expect(first.status == 0 && first.output.contains(": 2 new posts, "), "\(first.errors)")
    let second = try await here.run("sync", server.address, "--allow-private")
    #expect(second.output.hasSuffix(": 0 new posts\n"))
    #expect(try await here.run("check").output == "2 photos: no problems found.\n")
    #expect(try await server.end() == 0)
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"))
  func `a kennel does not sync with itself`() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(1)
    _ = try await kennel.run("import", kennel.directory.path("photos"))
    let server = try await kennel.start("serve", "--port", "0")
    let result = try await kennel.run("sync", server.address, "--allow-private")
    #expect(result.status == 2)
    #expect(result.errors.contains("The address belongs to this kennel itself."), "\(result.errors)")
    #expect(try await kennel.run("check").output == "1 photo: no problems found.\n")
    #expect(try await server.end() == 0)
  }

  @Test func `a different kennel at a known address is reported`() async throws {
    let here = try await Kennel.withOwner()
    var port = "0"
    for count in 1...2 {
      let there = try await Kennel.withOwner()
      // A post with the same photo and the same second is the same post.
      try there.writePhotos(count, firstSeed: 10 * count)
      _ = try await there.run("import", there.directory.path("photos"))
      // Between the two servers, another test could get a port of the range for connections.
      if count == 1 { port = "\(Int.random(in: 20_000..<32_768))" }
      let server = try await there.start("serve", "--port", port)
      let result = try await here.run("sync", server.address, "--allow-private")
      #expect(result.output.contains(": \(count) new post"), "\(result.output) \(result.errors)")
      let isReported = result.errors.contains("A different kennel is now at this address")
      #expect(isReported == (count == 2), "\(result.errors)")
      #expect(try await server.end() == 0)
    }
  }

  @Test func `sync with an unreachable kennel ends soon with an error`() async throws {
    let here = try await Kennel.withOwner()
    let start = ContinuousClock.now
    let result = try await here.run("sync", "http://127.0.0.1:1", "--allow-private")
    #expect(result.status == 4)
    #expect(.now - start < .seconds(20))
    let lines = result.errors.split(separator: "\n")
    #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("kennel: 127.0.0.1:1: ") })
    #expect(lines.first?.hasSuffix(". Trying again in 1 s.") == true, "\(result.errors)")
    #expect(lines.last?.contains("Trying again") == false)
  }

  @Test(
    .enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"),
    arguments: [SIGINT, SIGTERM])
  func `following copies new posts across broken connections until a signal`(signal: Int32) async throws {
    let there = try await Kennel.withOwner()
    try there.writePhotos(1)
    _ = try await there.run("import", there.directory.path("photos"))
    var server = try await there.start("serve", "--port", "0")
    let here = try await Kennel.withOwner()
    let follower = try here.begin("sync", "--follow", server.address, "--allow-private")
    defer { follower.stop() }
    func line() async -> String { await runOnThread { follower.readLine(within: .seconds(30)) } ?? "" }
    #expect(await line().contains(": 1 new post, "))
    // Posts from a different process than the server.
    try there.writePhotos(2)
    _ = try await there.run("import", there.directory.path("photos"))
    #expect(await line().contains(": 1 new post, "))
    // The connection breaks. The posts made meanwhile arrive when the server is running again.
    let port = try #require(try server.url("/").port)
    #expect(try await server.end() == 0)
    try there.writePhotos(4)
    _ = try await there.run("import", there.directory.path("photos"))
    #expect(await eventually(within: .seconds(20)) { here.followErrors.contains(" Trying again in ") })
    server = try await there.start("serve", "--port", "\(port)")
    #expect(await line().contains(": 2 new posts, "))
    follower.send(signal: signal)
    #expect(try await Kennel.end(of: follower) == 0)
    let errors = here.followErrors
    #expect(errors.contains("127.0.0.1:\(port): The other kennel answers again.\n"), "\(errors)")
    #expect(errors.contains("127.0.0.1:\(port): Followed for ") && errors.contains(": 4 new posts, "))
    #expect(try await here.run("check").output == "4 photos: no problems found.\n")
    #expect(try await server.end() == 0)
  }

  @Test func `following a kennel that was never reachable ends soon`() async throws {
    let here = try await Kennel.withOwner()
    let result = try await here.run("sync", "--follow", "http://127.0.0.1:1", "--allow-private")
    #expect(result.status == 4)
    #expect(result.errors.split(separator: "\n").count == 2)
  }

  @Test func `progress is reported at intervals, and repeated failures only once`() {
    var messages = SyncMessages()
    var now = SyncProgress()
    now.taken = 1
    #expect(messages.progress(now, at: .seconds(9)) == nil)
    #expect(messages.progress(now, at: .seconds(10)) == "Copied 1 new post so far, 0 B.")
    #expect(messages.progress(now, at: .seconds(19)) == nil)
    #expect(messages.recordSuccess() == nil)
    func retry(_ seconds: Int) -> String? {
      messages.retry(SyncRetry(error: .closed, pause: .seconds(seconds)))
    }
    #expect(retry(1)?.hasSuffix(". Trying again in 1 s.") == true)
    #expect(retry(2)?.hasSuffix(". Trying again in 2 s.") == true)
    #expect(retry(2)?.hasSuffix(". Trying again every 2 s.") == true)
    #expect(retry(2) == nil)
    #expect(messages.recordSuccess() == "The other kennel answers again.")
    #expect(retry(2)?.hasSuffix(". Trying again in 2 s.") == true)
  }

  @Test func `totals include the progress of interrupted runs`() {
    func progress(_ posts: Int, _ bytes: Int) -> SyncProgress {
      var progress = SyncProgress()
      (progress.seen, progress.taken, progress.bytes) = (posts, posts, bytes)
      return progress
    }
    var report = SyncReport()
    (report.taken, report.bytes, report.refusedCount) = (2, 200, 1)
    var totals = SyncTotals()
    for now in [progress(0, 0), progress(1, 100), progress(2, 200)] { totals.advance(now) }
    totals.finish(report)
    #expect(totals.progress.taken == 2 && totals.progress.bytes == 200)
    // The next run is interrupted after more progress than it has made when it starts again.
    for now in [progress(0, 0), progress(1, 70), progress(0, 0), progress(0, 80)] { totals.advance(now) }
    #expect(totals.progress.taken == 3 && totals.progress.bytes == 350)
    #expect(totals.report.taken == 3 && totals.report.bytes == 350 && totals.report.refusedCount == 1)
  }

  @Test func `sync connects to private addresses only with an option`() async throws {
    let here = try await Kennel.withOwner()
    let refused = try await here.run("sync", "http://127.0.0.1:9/")
    #expect(refused.status != 0 && refused.errors.hasPrefix("kennel: 127.0.0.1:9: "))
    let nonsense = try await here.run("sync", "ftp://dogs.example")
    #expect(nonsense.status == 2)
  }
}
