// Sends many small requests from concurrent tasks. Each task sends the next request when it has its response.
import Foundation

#if RETRIEVER
import Retriever
#else
import FoundationNetworking
#endif

struct Throughput {
  let options: Options
  let concurrency: Int
  let session: URLSession

  init(_ options: Options, concurrency: Int) {
    self.options = options
    self.concurrency = concurrency
    session = options.session(connections: concurrency)
  }

  func get() async throws -> Report {
    let (session, url) = (session, options.url)
    return try await repeating { _, _ in
      let (data, response) = try await session.data(from: url)
      try Client.require(response)
      return data.count
    }
  }

  #if RETRIEVER
  /// Loads a page once, and then again and again from a cache in memory.
  func cached() async throws -> Report {
    let cache = URLCache(memoryCapacity: 16 << 20, diskCapacity: 0, diskPath: nil)
    let (session, url) = (options.session(connections: 1, cache: cache), options.url)
    try Client.require(try await session.data(from: url).1)
    // A load that is not answered by the cache fails.
    var request = URLRequest(url: url)
    request.cachePolicy = .returnCacheDataDontLoad
    let repeated = request
    return try await repeating { _, _ in
      let (data, response) = try await session.data(for: repeated)
      try Client.require(response)
      return data.count
    }
  }
  #endif

  func post() async throws -> Report {
    let body = Data(repeating: UInt8(ascii: "x"), count: options.size)
    var request = URLRequest(url: options.url)
    request.httpMethod = "POST"
    request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
    let (session, posted) = (session, request)
    return try await repeating { _, _ in
      let (data, response) = try await session.upload(for: posted, from: body)
      try Client.require(response)
      return data.count
    }
  }

  /// Calls `load` with the number of the task and of its request, until the time is over.
  /// - Parameter load: Sends a request, and returns the length of the response's body.
  func repeating(_ load: @escaping @Sendable (_ worker: Int, _ step: Int) async throws -> Int) async throws
    -> Report
  {
    let resident = Memory.resident
    let started = monotonicNanoseconds()
    let deadline = started + Int(options.seconds * 1e9)
    let totals = try await withThrowingTaskGroup(of: (requests: Int, bytes: Int).self) { group in
      for worker in 0..<concurrency {
        group.addTask {
          var requests = 0
          var bytes = 0
          repeat {
            bytes += try await load(worker, requests)
            requests += 1
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
