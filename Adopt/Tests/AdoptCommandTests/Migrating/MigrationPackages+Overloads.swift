extension MigrationPackage {
  /// Functions with the same names and labels, and different handlers. Only the compiler knows which of them is called.
  static let overloads = MigrationPackage(
    name: "Overloads",
    callers: """
      import Foundation

      public struct Draft: Sendable {
        public init() {}

        public func count(completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
          completion(.success(7))
        }

        public func count() async throws -> Int {
          try await withCheckedThrowingContinuation { continuation in
            count { result in
              continuation.resume(with: result)
            }
          }
        }
      }

      public struct Sketch: Sendable {
        public init() {}

        public func count(completion: @escaping @Sendable (Int) -> Void) {
          completion(1)
        }
      }

      extension Loader {
        public func fetchText(_ name: [String], completion: @escaping @Sendable (Int) -> Void) {
          completion(name.count)
        }

        public func fetchText(_ name: [String]) async -> Int {
          await withCheckedContinuation { continuation in
            fetchText(name) { count in
              continuation.resume(returning: count)
            }
          }
        }
      }

      public func countDraft(_ draft: Draft, log: @escaping @Sendable (String) -> Void) async {
        draft.count { result in
          switch result {
          case .success(let value):
            log("draft \\(value)")
          case .failure(let error):
            log("\\(error)")
          }
        }
      }

      public func countAll(_ loader: Loader, log: @escaping @Sendable (String) -> Void) async {
        loader.count { value in
          log("all \\(value)")
        }
      }

      public func countSketch(_ sketch: Sketch, log: @escaping @Sendable (String) -> Void) async {
        sketch.count { value in
          log("sketch \\(value)")
        }
      }

      public func read(_ names: [String], with loader: Loader) async -> Int {
        await withCheckedContinuation { continuation in
          loader.fetchText(names) { continuation.resume(returning: $0) }
        }
      }

      """,
    tests: """
      import XCTest

      @testable import Overloads

      final class OverloadsTests: XCTestCase {
        func testRead() async {
          let count = await read(["a", "b"], with: Loader())
          XCTAssertEqual(count, 2)
        }

        func testDraft() throws {
          let counted = expectation(description: "counted")
          Draft().count { result in
            switch result {
            case .success(let value): XCTAssertEqual(value, 7)
            case .failure(let error): XCTFail("\\(error)")
            }
            counted.fulfill()
          }
          wait(for: [counted], timeout: 5)
        }
      }

      """, moved: 0, staying: 1, unclear: 4)
}
