// Measures thousands of requests that a server holds: their cost while they wait, and the time to cancel them.
import Foundation

#if RETRIEVER
import Retriever
#else
import FoundationNetworking
#endif

struct ManyInFlight {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// Waits for all requests. While the server holds them, the runner inspects this process. Then the server answers.
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

  /// Waits for a line on standard input, which the runner writes when the server holds all requests. Then cancels them.
  func cancelled() async throws -> Report {
    await fillThreadPool()
    try await openWhatStaysOpen()
    let filesBefore = entries(of: "/proc/self/fd")
    let resident = Memory.resident
    let (cancelled, seconds) = await cancelAll()
    // Connections are closed in the background. Wait before counting the open files.
    var filesAfter = entries(of: "/proc/self/fd")
    for _ in 0..<100 where filesAfter > filesBefore {
      try await Task.sleep(for: .milliseconds(20))
      filesAfter = entries(of: "/proc/self/fd")
    }
    return Report(
      requests: cancelled, seconds: seconds, bytes: 0, residentAtStart: resident,
      openFiles: (filesBefore, filesAfter))
  }

  /// Returns how many requests ended as cancelled, and the time this took. The session is invalidated on return.
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

  /// Makes the thread pool start all of its threads before the measurement. They start when all cores are first used.
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

  /// Opens the files that a process opens once and keeps, so that they are not counted as leaks. Uses several sessions,
  /// because each may run on another thread. No program listens on port 1.
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
