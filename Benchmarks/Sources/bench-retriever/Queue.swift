// Starts many loads to one host at the same time, with the default number of connections.
import Foundation
import Retriever

struct Queue {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// Repeats a batch of `--count` loads until the time is over. A single short batch would be too short to measure.
  func load() async throws -> Report {
    let session = options.session(connections: nil)
    _ = try await batch(100, session)
    let resident = Memory.resident
    let started = monotonicNanoseconds()
    let deadline = started + Int(options.seconds * 1e9)
    var (requests, bytes) = (0, 0)
    repeat {
      bytes += try await batch(options.count, session)
      requests += options.count
    } while monotonicNanoseconds() < deadline
    let seconds = Double(monotonicNanoseconds() - started) / 1e9
    return Report(requests: requests, seconds: seconds, bytes: bytes, residentAtStart: resident)
  }

  private func batch(_ count: Int, _ session: URLSession) async throws -> Int {
    let url = options.url
    return try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<count {
        group.addTask {
          let (data, response) = try await session.data(from: url)
          try Client.require(response)
          return data.count
        }
      }
      return try await group.reduce(0, +)
    }
  }
}
