// Loads one large body with each of the available methods.
import Foundation

#if RETRIEVER
import Retriever
#else
import FoundationNetworking
#endif

struct LargeBody {
  private let options: Options
  private let resident: Int

  init(_ options: Options) {
    self.options = options
    Memory.resetPeak()
    resident = Memory.resident
  }

  func data() async throws -> Report {
    try await measuring { session in
      let (data, response) = try await session.data(from: options.url)
      try Client.require(response)
      return (1, data.count)
    }
  }

  func download() async throws -> Report {
    // Deleting a large file takes time, so it happens after the measurement.
    var downloaded: URL?
    defer { if let downloaded { try? FileManager.default.removeItem(at: downloaded) } }
    return try await measuring { session in
      let (file, response) = try await session.download(from: options.url)
      downloaded = file
      try Client.require(response)
      return (1, try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0)
    }
  }

  #if RETRIEVER
  func chunks() async throws -> Report {
    try await measuring { session in
      let (bytes, response) = try await session.bytes(from: options.url)
      try Client.require(response)
      var total = 0
      for try await chunk in bytes.chunks { total += chunk.count }
      return (1, total)
    }
  }

  func bytes() async throws -> Report {
    try await measuring { session in
      let (bytes, response) = try await session.bytes(from: options.url)
      try Client.require(response)
      var total = 0
      var sum: UInt64 = 0
      for try await byte in bytes {
        total += 1
        sum &+= UInt64(byte)
      }
      // Uses the sum, so that the compiler cannot remove the loop.
      guard sum > 0 else { throw Failure("the body is all zeroes") }
      return (1, total)
    }
  }

  func lines() async throws -> Report {
    try await measuring { session in
      let (bytes, response) = try await session.bytes(from: options.url)
      try Client.require(response)
      var count = 0
      var total = 0
      for try await line in bytes.lines {
        count += 1
        total += line.utf8.count + 1
      }
      return (count, total)
    }
  }
  #endif

  private func measuring(
    _ take: (URLSession) async throws -> (requests: Int, bytes: Int)
  ) async throws -> Report {
    let started = monotonicNanoseconds()
    let taken = try await take(options.session(connections: 4))
    let seconds = Double(monotonicNanoseconds() - started) / 1e9
    return Report(requests: taken.requests, seconds: seconds, bytes: taken.bytes, residentAtStart: resident)
  }
}
