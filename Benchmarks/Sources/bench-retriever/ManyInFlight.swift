// Thousands of requests that a server holds: what they cost while they wait, and how fast they can be called off.
import Foundation

#if RETRIEVER
  import Retriever
#else
  import FoundationNetworking
#endif

struct ManyInFlight {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// The runner looks at this process from outside while all requests are held, then has them answered.
  func suspended() async throws -> Report {
    await fillThreadPool()
    let session = options.session(connections: options.count)
    let url = options.url
    let resident = Memory.resident
    let started = monotonicNanoseconds()
    let bytes = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<options.count {
        group.addTask {
          let (data, response) = try await session.data(from: url)
          try Client.require(response)
          return data.count
        }
      }
      return try await group.reduce(0, +)
    }
    let seconds = Double(monotonicNanoseconds() - started) / 1e9
    return Report(requests: options.count, seconds: seconds, bytes: bytes, residentAtStart: resident)
  }

  /// Waits for a line on standard input, which the runner writes once all requests are held; then cancels them.
  func cancelled() async throws -> Report {
    await fillThreadPool()
    try await openWhatStaysOpen()
    let filesBefore = entries(of: "/proc/self/fd")
    let resident = Memory.resident
    let (cancelled, seconds) = await cancelAll()
    // Connections are closed behind the caller's back; give that a moment before counting what is left open.
    var filesAfter = entries(of: "/proc/self/fd")
    for _ in 0..<100 where filesAfter > filesBefore {
      try await Task.sleep(for: .milliseconds(20))
      filesAfter = entries(of: "/proc/self/fd")
    }
    return Report(
      requests: cancelled, seconds: seconds, bytes: 0, residentAtStart: resident,
      openFiles: (filesBefore, filesAfter))
  }

  /// How many ended as cancelled, in how long. The session is gone when this returns, and all it held should be.
  private func cancelAll() async -> (cancelled: Int, seconds: Double) {
    let session = options.session(connections: options.count)
    let url = options.url
    let requests = Task { [count = options.count] in
      await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<count {
          group.addTask {
            do {
              _ = try await session.data(from: url)
              return false
            } catch {
              return (error as? URLError)?.code == .cancelled
            }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
    }
    await lineOnStandardInput()
    let started = monotonicNanoseconds()
    requests.cancel()
    let cancelled = await requests.value
    let seconds = Double(monotonicNanoseconds() - started) / 1e9
    session.invalidateAndCancel()
    return (cancelled, seconds)
  }

  /// Has every thread of the pool made before anything is counted: they come with the first use of all cores,
  /// whatever is run on them.
  private func fillThreadPool() async {
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<ProcessInfo.processInfo.activeProcessorCount * 4 {
        group.addTask {
          let until = monotonicNanoseconds() + 5_000_000
          while monotonicNanoseconds() < until {}
        }
      }
    }
  }

  /// What a process opens once and keeps, whatever is asked of it, is not left over from a request. Several
  /// sessions, because each may be served by another thread; nothing listens on port 1.
  private func openWhatStaysOpen() async throws {
    guard let nowhere = URL(string: "http://127.0.0.1:1/") else { return }
    for _ in 0..<8 {
      let session = options.session(connections: 1)
      _ = try? await session.data(from: nowhere)
      session.invalidateAndCancel()
    }
    try await Task.sleep(for: .milliseconds(100))
  }

  private func lineOnStandardInput() async {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        _ = readLine()
        continuation.resume()
      }
    }
  }
}
