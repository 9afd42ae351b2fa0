#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

/// Ten thousand loads must not leak anything. Each test counts the resources of a process, so it runs in its own
/// process.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LeaksTests {
  @Test func `ten thousand loads leak nothing`() async {
    await #expect(processExitsWith: .success) {
      let check = try LeakCheck()
      try await check.run(loads: 10_000) { session, _ in
        let (data, _) = try await session.data(from: check.nginx.url("/1k"))
        #expect(data.count == 1024)
      }
    }
  }

  @Test func `ten thousand loads of every kind leak nothing`() async {
    await #expect(processExitsWith: .success) {
      let check = try LeakCheck()
      try await check.run(loads: 10_000) { session, number in
        try await check.load(session, kind: number)
      }
    }
  }

  @Test func `ten thousand cancellations at random times leak nothing`() async {
    await #expect(processExitsWith: .success) {
      let check = try LeakCheck()
      try await check.run(loads: 10_000) { session, number in
        var random = SeededRandom(UInt64(number))
        let task = Task { try await check.load(session, kind: number, isLong: true) }
        // A time from before the start to after the end of a short load.
        switch Int.random(in: 0..<4, using: &random) {
        case 0: break
        case 1: await Task.yield()
        default: try await Task.sleep(for: .microseconds(Int.random(in: 0..<3000, using: &random)))
        }
        task.cancel()
        switch await task.result {
        case .success: break
        case .failure(let error): #expect((error as? URLError)?.code == .cancelled)
        }
      }
    }
  }

  @Test func `thousands of failed loads leak nothing`() async {
    await #expect(processExitsWith: .success) {
      let server = try ScriptedServer { connection in
        let request = try connection.readRequest()
        switch request.path {
        case "/reset": connection.reset()
        case "/cut": try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
        default: try connection.send("nonsense\r\n\r\n")
        }
      }
      let paths = ["/reset", "/cut", "/nonsense"]
      let check = try LeakCheck()
      try await check.run(loads: 3000) { session, number in
        do {
          _ = try await session.data(from: server.url(paths[number % paths.count]))
          Issue.record("A malformed response was accepted")
        } catch is URLError {}
      }
    }
  }

  @Test func `many sessions leak nothing`() async {
    await #expect(processExitsWith: .success) {
      let check = try LeakCheck()
      try await check.run(loads: 1500) { _, number in
        let session = URLSession.forTest(delegate: number % 2 == 0 ? HandlerDelegate() : nil)
        _ = try await session.data(from: check.nginx.url("/1k"))
        // Until then, a session retains its delegate. A session without a delegate needs no invalidation.
        if number % 2 == 0 { session.finishTasksAndInvalidate() }
      }
    }
  }
}

/// Counts the resources of this process before and after many loads.
private final class LeakCheck: Sendable {
  private static let concurrency = 24
  let nginx: NginxServer
  private let directory: TemporaryDirectory
  private let uploadFile: URL

  init() throws {
    directory = try TemporaryDirectory()
    let downloads = directory.file("downloads")
    try FileManager.default.createDirectory(at: downloads, withIntermediateDirectories: false)
    uploadFile = try directory.write(Data(count: 100_000), to: "body")
    nginx = try NginxServer()
    setenv("TMPDIR", downloads.path, 1)
  }

  func load(_ session: URLSession, kind: Int, isLong: Bool = false) async throws {
    let url = nginx.url(isLong && kind % 2 == 0 ? "/big" : "/1k")
    switch kind % 6 {
    case 0, 1:
      // Reads a few bytes of a long stream, and a short stream to its end.
      var count = 0
      for try await chunk in try await session.bytes(from: url).0.chunks {
        count += chunk.count
        if count > 50_000, !isLong { break }
      }
    case 2, 3:
      let (file, _) = try await session.download(from: url)
      try? FileManager.default.removeItem(at: file)
    case 4:
      _ = try await session.upload(for: URLRequest(url: nginx.url("/sink")), fromFile: uploadFile)
    default: _ = try await session.data(from: nginx.url("/1k"), delegate: HandlerDelegate())
    }
  }

  private func repeated(
    _ loads: Int, _ session: URLSession,
    _ load: @escaping @Sendable (URLSession, Int) async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<loads {
        if number >= Self.concurrency { try await group.next() }
        group.addTask { try await load(session, number) }
      }
      try await group.waitForAll()
    }
  }

  func run(
    loads: Int, _ load: @escaping @Sendable (URLSession, Int) async throws -> Void
  ) async throws {
    // Resources that a process allocates once and keeps: threads of loops and pools, the allocator's arenas.
    let idle = ResourceSnapshot.take()
    try await repeated(loads / 10, .forTest(), load)
    // Each event loop keeps two descriptors.
    #expect(await eventually { ResourceSnapshot.take().since(idle).sockets <= 0 })
    let before = ResourceSnapshot.take()

    do {
      let session = URLSession.forTest()
      try await repeated(loads, session, load)
      #expect(await eventually { await session.allTasks.isEmpty })
      try await session.expectUsable()
      // Only the connections that are kept alive.
      #expect(
        await eventually { ResourceSnapshot.take().since(before).sockets <= 6 + 3 },
        "\(ResourceSnapshot.take().since(before))")
    }
    let kinds = before.kinds
    #expect(
      await eventually { ResourceSnapshot.take().kinds.isWithin(kinds) },
      "\(ResourceSnapshot.take().kinds) after \(kinds)")
    let after = ResourceSnapshot.take().since(before)
    #expect(after.threads <= 8, "\(after)")
    #expect(await eventually { ResourceSnapshot.take().temporaryFiles.isEmpty })
    // Memory that the allocator keeps after peak use is not a leak: a leak would grow with the number of loads.
    #expect(after.residentBytes < 48 << 20, "\(after)")
  }
}

/// The descriptors by kind.
private struct DescriptorKinds: CustomStringConvertible {
  var sockets = 0
  var files: [String] = []
  /// Event descriptors, timers and epoll instances. The runtime's pools create a few when they first need them.
  var anonymous: [String] = []

  func isWithin(_ earlier: DescriptorKinds) -> Bool {
    sockets <= earlier.sockets && files.count <= earlier.files.count
      && anonymous.count <= earlier.anonymous.count + 2
  }

  var description: String { "\(sockets) sockets, files \(files), others \(anonymous)" }
}

extension ResourceSnapshot {
  fileprivate var kinds: DescriptorKinds {
    descriptors.values.sorted().reduce(into: DescriptorKinds()) { kinds, target in
      if target.hasPrefix("socket:") {
        kinds.sockets += 1
      } else if target.hasPrefix("anon_inode:") {
        kinds.anonymous.append(target)
      } else {
        kinds.files.append(target)
      }
    }
  }
}
#endif
