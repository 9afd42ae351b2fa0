// Sends many small requests from concurrent tasks. Each task sends the next request when it has its response.
import Foundation

#if RETRIEVER
import Retriever
#else
import FoundationNetworking
#endif

struct Throughput {
  private let options: Options
  private let concurrency: Int
  private let session: URLSession

  init(_ options: Options, concurrency: Int) {
    self.options = options
    self.concurrency = concurrency
    session = options.session(connections: concurrency)
  }

  func get() async throws -> Report {
    let (session, url) = (session, options.url)
    return try await repeating { try await session.data(from: url) }
  }

  func post() async throws -> Report {
    let body = Data(repeating: UInt8(ascii: "x"), count: 4096)
    var request = URLRequest(url: options.url)
    request.httpMethod = "POST"
    request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
    let (session, posted) = (session, request)
    return try await repeating { try await session.upload(for: posted, from: body) }
  }

  private func repeating(
    _ ask: @escaping @Sendable () async throws -> (Data, URLResponse)
  ) async throws -> Report {
    let resident = Memory.resident
    let started = monotonicNanoseconds()
    let deadline = started + Int(options.seconds * 1e9)
    let totals = try await withThrowingTaskGroup(of: (requests: Int, bytes: Int).self) { group in
      for _ in 0..<concurrency {
        group.addTask {
          var requests = 0
          var bytes = 0
          repeat {
            let (data, response) = try await ask()
            try Client.require(response)
            requests += 1
            bytes += data.count
          } while monotonicNanoseconds() < deadline
          return (requests, bytes)
        }
      }
      return try await group.reduce((requests: 0, bytes: 0)) {
        ($0.requests + $1.requests, $0.bytes + $1.bytes)
      }
    }
    let seconds = Double(monotonicNanoseconds() - started) / 1e9
    return Report(
      requests: totals.requests, seconds: seconds, bytes: totals.bytes, residentAtStart: resident)
  }
}

extension Client {
  static func require(_ response: URLResponse) throws {
    guard let status = (response as? HTTPURLResponse)?.statusCode, status == 200 else {
      throw Failure("a response's status was not 200")
    }
  }
}
