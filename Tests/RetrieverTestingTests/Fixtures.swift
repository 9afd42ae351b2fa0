import Foundation
import Retriever
import RetrieverTesting
import Testing

// The module of the project's own tests has a clock of the same name.
typealias ManualClock = RetrieverTesting.ManualClock

extension URL {
  static func test(_ path: String) throws -> URL { try #require(URL(string: "https://api.test\(path)")) }
}

extension URLSession {
  /// Loads a path of the host that the tests use.
  func text(_ path: String) async throws -> String {
    String(decoding: try await data(from: .test(path)).0, as: UTF8.self)
  }

  func status(_ path: String) async throws -> Int {
    let (_, response) = try await data(from: .test(path))
    return try #require(response as? HTTPURLResponse).statusCode
  }
}

/// Runs a closure that must throw a `URLError`, and returns it.
func urlError(_ body: () async throws -> Void) async -> URLError? {
  do {
    try await body()
    return nil
  } catch {
    return error as? URLError
  }
}

/// Runs a closure that must throw a `StubsError`, and returns it.
func stubsError(_ body: () throws -> Void) -> StubsError? {
  do {
    try body()
    return nil
  } catch {
    return error as? StubsError
  }
}
