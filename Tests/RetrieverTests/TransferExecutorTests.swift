#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct TransferExecutorTests {
  private static let threadName = "retriever-loop"

  /// The name of the current thread.
  private static func name() -> String {
    let text = try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)
    return (text ?? "").trimmingCharacters(in: .newlines)
  }

  private func makeServer() throws -> ScriptedServer { try ScriptedServer.http { _ in Reply(text: "woof") } }

  @Test func `a task continues on the thread where its response arrived`() async throws {
    let server = try makeServer()
    let session = URLSession.forTest()
    let names = try await withTaskExecutorPreference(TransferExecutor.shared) {
      var names = [Self.name()]
      for _ in 0..<20 {
        _ = try await session.data(from: server.url())
        names.append(Self.name())
      }
      return names
    }
    #expect(Set(names) == [Self.threadName])
    #expect(Self.name() != Self.threadName)
  }

  @Test func `child tasks and actors use the same threads`() async throws {
    actor Collector {
      var names: Set<String> = []
      func note() { names.insert(TransferExecutorTests.name()) }
    }
    let server = try makeServer()
    let session = URLSession.forTest()
    let collector = Collector()
    try await withTaskExecutorPreference(TransferExecutor.shared) {
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<200 {
          group.addTask {
            let (data, _) = try await session.data(from: server.url())
            #expect(data == Data("woof".utf8))
            await collector.note()
          }
        }
        try await group.waitForAll()
      }
      async let first = session.data(from: server.url())
      async let second = session.data(from: server.url())
      _ = try await (first, second)
    }
    #expect(await collector.names == [Self.threadName])
  }

  @Test func `a task that prefers the executor runs although every loop sleeps`() async {
    for _ in 0..<100 {
      let name = await Task(executorPreference: TransferExecutor.shared) { Self.name() }.value
      #expect(name == Self.threadName)
    }
  }

  /// Runs tasks that compute on the executor until ten loads of the same session have ended.
  private func loadBeside(tasks count: Int, _ session: URLSession, _ url: URL) async throws {
    final class Flag: Sendable { let isSet = Atomic<Bool>(false) }
    let flag = Flag()
    let computing = Gate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<count {
        group.addTask(executorPreference: TransferExecutor.shared) {
          // After a load, the task is on the thread of the session's loads.
          _ = try await session.data(from: url)
          computing.open()
          while !flag.isSet.load(ordering: .relaxed) { sched_yield() }
        }
      }
      await computing.wait()
      for _ in 0..<10 { _ = try await session.data(from: url) }
      flag.isSet.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
  }

  @Test func `a task that computes for long does not stop loads`() async throws {
    let server = try makeServer()
    try await loadBeside(tasks: 1, .forTest(), server.url())
  }

  @Test func `tasks that compute on all threads do not stop loads`() async throws {
    let server = try makeServer()
    let session = URLSession.forTest()
    let count = ProcessInfo.processInfo.activeProcessorCount * 4
    try await loadBeside(tasks: count, session, server.url())
    // All threads have returned.
    let name = try await withTaskExecutorPreference(TransferExecutor.shared) {
      _ = try await session.data(from: server.url())
      return Self.name()
    }
    #expect(name == Self.threadName)
  }

  @Test func `no job is lost while threads take turns`() async throws {
    let server = try makeServer()
    let session = URLSession.forTest()
    let count = Atomic<Int>(0)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for seed in 0..<64 {
        group.addTask(executorPreference: TransferExecutor.shared) {
          var random = SeededRandom(UInt64(seed))
          for _ in 0..<20 {
            switch random.next() % 4 {
            case 0: _ = try await session.data(from: server.url())
            case 1: await Task.yield()
            case 2: try await Task.sleep(for: .microseconds(random.next() % 500))
            default:
              // Up to two slices.
              let end = ContinuousClock.now + .microseconds(random.next() % 4000)
              while ContinuousClock.now < end {}
            }
          }
        }
      }
      for try await _ in group { count.add(1, ordering: .relaxed) }
    }
    #expect(count.load(ordering: .relaxed) == 64)
  }

  @Test func `a cancelled task ends`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      try connection.readUntilClosed()
    }
    let session = URLSession.forTest()
    let task = Task(executorPreference: TransferExecutor.shared) {
      try await session.data(from: server.url())
    }
    task.cancel()
    #expect(await errorCode { _ = try await task.value } == .cancelled)
  }
}
#endif
