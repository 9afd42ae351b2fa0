import Foundation
import Glibc
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// Each test posts in a separate process, which is killed. Then, it verifies that everything that was acknowledged is
/// in the store.
@Suite(
  .enabled(if: TestWorld.hasFiles, "it is about files in a directory after a crash"), .serialized,
  .timeLimit(.minutes(5)))
struct CrashSafetyTests {
  #if DEBUG
  @Test func `a process killed between any two steps keeps all acknowledged posts`() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededRandom(0x6b65_6e6e_656c)
    var acknowledged = 0
    for round in 0..<20 {
      let path = directory.path("data")
      let calls = Int.random(in: 0..<900, using: &random)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, calls = calls as Int, round = round as Int] in
        try await PostingProcess(directory: path, round: round).postForever(killedAfter: calls)
      }
      acknowledged = try await expectAllAcknowledged(in: directory)
    }
    #expect(acknowledged > 50)
  }
  #endif

  @Test func `a process killed from outside keeps all acknowledged posts`() async throws {
    let directory = try TemporaryDirectory()
    var random = SeededRandom(0x646f_6773)
    var acknowledged = 0
    for round in 0..<15 {
      let path = directory.path("data")
      // The killer reads the acknowledgements and strikes while more posts are in progress.
      let target = acknowledged + Int.random(in: 1..<60, using: &random)
      let spins = Int.random(in: 0..<200_000, using: &random)
      let killer = JobThread {
        PostingProcess.kill(directory: path, afterAcknowledged: target, spins: spins)
      }
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = path as String, round = round as Int] in
        try await PostingProcess(directory: path, round: 100 + round).postForever(killedAfter: nil)
      }
      killer.join()
      acknowledged = try await expectAllAcknowledged(in: directory)
    }
    #expect(acknowledged > 100)
  }

  /// Verifies the store. Returns the number of posts acknowledged so far.
  private func expectAllAcknowledged(in directory: TemporaryDirectory) async throws -> Int {
    let lines =
      (try? String(contentsOfFile: directory.path("data") + ".acknowledged", encoding: .utf8)) ?? ""
    return try await withStore(in: directory) { store in
      var captions: [Int64: String] = [:]
      for post in try await store.posts.persistentPosts() { captions[post.id] = post.caption }
      let deleting = Set(
        lines.split(separator: "\n").filter { $0.hasPrefix("deleting ") }.compactMap {
          Int64($0.dropFirst("deleting ".count).dropLast(2))
        })
      var count = 0
      for line in lines.split(separator: "\n") where !line.hasPrefix("pid") {
        let parts = line.split(separator: " ", maxSplits: 2)
        let id = try #require(Int64(parts[1]))
        if parts[0] == "deleted" {
          #expect(captions[id] == nil, "Post \(id) was deleted")
        } else if parts[0] == "posted", !deleting.contains(id) {
          #expect(captions[id] == String(parts[2]), "Post \(id) is lost")
          count += 1
        }
      }
      #expect(try await store.check(readsPhotos: true).problems == [])
      #expect(try store.incomingFiles() == [])
      let photoCount = try await store.check().photoCount
      #expect(try store.photoFiles().count == photoCount)
      return count
    }
  }
}

/// The work of the process that is killed: several tasks post and delete, and each result is recorded outside the
/// store.
struct PostingProcess {
  let directory: String
  let round: Int

  func postForever(killedAfter calls: Int?) async throws {
    let notes = open(directory + ".acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    func note(_ line: String) {
      let bytes = Array((line + "\n").utf8)
      _ = write(notes, bytes, bytes.count)
    }
    note("pid \(getpid())")
    #if DEBUG
    if let calls, round % 2 == 0 { StorageFault.armKill(after: calls) }
    #endif
    let store = try await KennelStore.open(directory, configuration: .forTest)
    let name = "round \(round)"
    let found = try await store.accounts.user(named: name)
    let user: User
    if let found { user = found } else { user = try await store.addUser(name) }
    #if DEBUG
    if let calls, round % 2 == 1 { StorageFault.armKill(after: calls) }
    #endif
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<100_000 {
            let caption = "\(round)/\(task)/\(number)"
            let post = try await store.addPost(number * 7 + task % 2, by: user, caption: caption)
            note("posted \(post.id) \(caption)")
            if number % 3 == 0 {
              note("deleting \(post.id) .")
              try await store.posts.delete(post.id, by: user.id)
              note("deleted \(post.id)")
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Waits until `target` posts are acknowledged and a moment longer, then kills the process.
  static func kill(directory: String, afterAcknowledged target: Int, spins: Int) {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
      let text = (try? String(contentsOfFile: directory + ".acknowledged", encoding: .utf8)) ?? ""
      let lines = text.split(separator: "\n", omittingEmptySubsequences: true)
      let kept = lines.count { $0.hasPrefix("posted") } - lines.count { $0.hasPrefix("deleting") }
      guard kept >= target, let last = lines.last(where: { $0.hasPrefix("pid ") }),
        let process = pid_t(last.dropFirst(4))
      else {
        sched_yield()
        continue
      }
      for _ in 0..<spins { _ = getppid() }
      Glibc.kill(process, SIGKILL)
      return
    }
  }
}
