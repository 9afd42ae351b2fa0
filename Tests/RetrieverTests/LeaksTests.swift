#if !canImport(Darwin)
  import Foundation
  import Glibc
  import TestSupport
  import Testing

  @testable import Retriever

  /// What ten thousand loads leave behind: nothing. Each test counts a whole process, and so runs in one of its own.
  @Suite(.serialized, .timeLimit(.minutes(5))) struct LeaksTests {
    @Test func tenThousandLoadsLeaveNothing() async {
      await #expect(processExitsWith: .success) {
        let census = try LeakCensus()
        try await census.run(loads: 10_000) { session, _ in
          let (data, _) = try await session.data(from: census.nginx.url("/1k"))
          #expect(data.count == 1024)
        }
      }
    }

    @Test func tenThousandLoadsOfEveryKindLeaveNothing() async {
      await #expect(processExitsWith: .success) {
        let census = try LeakCensus()
        try await census.run(loads: 10_000) { session, number in
          try await census.load(session, kind: number)
        }
      }
    }

    @Test func tenThousandCancellationsAtAnyMomentLeaveNothing() async {
      await #expect(processExitsWith: .success) {
        let census = try LeakCensus()
        try await census.run(loads: 10_000) { session, number in
          var random = SeededRandom(UInt64(number))
          let task = Task { try await census.load(session, kind: number, isLong: true) }
          // Anything from before the start to after the end of a short load.
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

    @Test func thousandsOfFailuresLeaveNothing() async {
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
        let census = try LeakCensus()
        try await census.run(loads: 3000) { session, number in
          do {
            _ = try await session.data(from: server.url(paths[number % paths.count]))
            Issue.record("A broken reply was taken")
          } catch is URLError {}
        }
      }
    }

    @Test func manySessionsLeaveNothing() async {
      await #expect(processExitsWith: .success) {
        let census = try LeakCensus()
        try await census.run(loads: 1500) { _, number in
          let session = URLSession.forTest(delegate: number % 2 == 0 ? HandlerDelegate() : nil)
          _ = try await session.data(from: census.nginx.url("/1k"))
          // A session with a delegate is held by it until then; one without needs nothing.
          if number % 2 == 0 { session.finishTasksAndInvalidate() }
        }
      }
    }
  }

  /// Counts what this process holds before and after a great many loads.
  private final class LeakCensus: Sendable {
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
        // Reads a little of a long stream, and a short one to its end.
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
      // What a process takes once and keeps: threads of loops and pools, the allocator's arenas.
      let idle = ResourceCensus.take()
      try await repeated(loads / 10, .forTest(), load)
      // Two descriptors for each event loop stay.
      #expect(await eventually { ResourceCensus.take().since(idle).sockets <= 0 })
      let before = ResourceCensus.take()

      do {
        let session = URLSession.forTest()
        try await repeated(loads, session, load)
        #expect(await eventually { await session.allTasks.isEmpty })
        try await session.expectUsable()
        // The connections that are kept alive, and no more.
        #expect(
          await eventually { ResourceCensus.take().since(before).sockets <= 6 + 3 },
          "\(ResourceCensus.take().since(before))")
      }
      let kinds = before.kinds
      #expect(
        await eventually { ResourceCensus.take().kinds.isWithin(kinds) },
        "\(ResourceCensus.take().kinds) after \(kinds)")
      let after = ResourceCensus.take().since(before)
      #expect(after.threads <= 8, "\(after)")
      #expect(await eventually { ResourceCensus.take().temporaryFiles.isEmpty })
      // What the allocator keeps for a high tide is not a leak: that would grow with the number of loads.
      #expect(after.residentBytes < 48 << 20, "\(after)")
    }
  }

  /// Descriptors by what they stand for.
  private struct DescriptorKinds: CustomStringConvertible {
    var sockets = 0
    var files: [String] = []
    /// Event descriptors, timers, epoll instances: the runtime's pools make a few of their own when they first need them.
    var anonymous: [String] = []

    func isWithin(_ earlier: DescriptorKinds) -> Bool {
      sockets <= earlier.sockets && files.count <= earlier.files.count
        && anonymous.count <= earlier.anonymous.count + 2
    }

    var description: String { "\(sockets) sockets, files \(files), others \(anonymous)" }
  }

  extension ResourceCensus {
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
