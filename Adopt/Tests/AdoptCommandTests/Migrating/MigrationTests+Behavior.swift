import Testing

@testable import AdoptAnalysis
@testable import AdoptCommand

/// Calls that would behave differently after a simple move.
extension MigrationTests {
  struct Migrated {
    let callers: String
    let tests: String
    let errors: String

    /// The number of calls that stay for a reason.
    func staying(_ reason: String) -> Int {
      errors.split(separator: "\n").count { $0.contains("stays as it is") && $0.contains(reason) }
    }
  }

  /// Migrates the callers and tests of a package without building them.
  func migrated(_ callers: String, tests: String = "") async throws -> Migrated {
    let package = MigrationPackage(name: "Behavior", callers: callers, tests: tests, moved: 0, staying: 0)
    let folder = try folder(for: package)
    let result = try await folder.adopt("migrate", "--verify", "off", "--in-place")
    #expect(result.status == 0, "\(result.errors)")
    return Migrated(
      callers: try folder.text("Sources/Behavior/Callers.swift"),
      tests: try folder.text("Tests/BehaviorTests/BehaviorTests.swift"), errors: result.errors)
  }

  @Test func `errors that 'try?' ignores are still ignored`() async throws {
    let staying = """
      public func show(_ name: String, with loader: Loader) async {
        try? await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
          loader.fetchID(name) { result in
            switch result {
            case .success(let id):
              print(id)
              continuation.resume()
            case .failure(let error): continuation.resume(throwing: error)
            }
          }
        }
      }

      """
    let tests = """
      import XCTest

      final class LoaderTests: XCTestCase {
        func testNumber() {
          let loader = Loader()
          let number = try? temp_await { loader.fetchID("", completion: $0) }
          XCTAssertNil(number)
        }
      }

      """
    let result = try await migrated(
      staying + """
        public func number(_ name: String, with loader: Loader) async -> Int? {
          try? await withCheckedThrowingContinuation { continuation in
            loader.fetchID(name) { continuation.resume(with: $0) }
          }
        }

        public func certain(with loader: Loader) async -> Int {
          return try! await withCheckedThrowingContinuation { continuation in
            loader.fetchID("certain") { continuation.resume(with: $0) }
          }
        }

        """, tests: tests)
    #expect(
      result.callers == staying + """
        public func number(_ name: String, with loader: Loader) async -> Int? {
          try? await loader.fetchID(name)
        }

        public func certain(with loader: Loader) async -> Int {
          return try! await loader.fetchID("certain")
        }

        """)
    #expect(result.tests == tests)
    #expect(result.staying("handles the errors of its statement") == 2, "\(result.errors)")
  }

  @Test func `calls stay if the alternative does not throw the errors of the handler`() async throws {
    let staying = """
      extension Loader {
        public func find(_ name: String, completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
          completion(.success(1))
        }

        public func find(_ name: String) async -> Int { (try? await fetchID(name)) ?? 0 }

        public func read(completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
          completion("", nil)
        }

        public func read() async -> String { "" }

        public func certain(completion: @escaping @Sendable (Result<Int, Never>) -> Void) {
          completion(.success(1))
        }

        public func certain() async -> Int { 1 }
      }

      public func showNumber(_ loader: Loader) async {
        loader.find("a") { result in
          switch result {
          case .success(let id): print(id)
          case .failure(let error): print(error)
          }
        }
      }

      public func showText(_ loader: Loader) async {
        loader.read { text, error in
          if let error {
            print(error)
          } else {
            print(text ?? "")
          }
        }
      }

      """
    let result = try await migrated(
      staying + """
        public func one(_ loader: Loader) async -> Int {
          await withCheckedContinuation { continuation in
            loader.certain { continuation.resume(with: $0) }
          }
        }

        """)
    #expect(
      result.callers == staying + """
        public func one(_ loader: Loader) async -> Int {
          await loader.certain()
        }

        """)
    #expect(result.staying("its alternative does not throw") == 2, "\(result.errors)")
  }

  @Test func `results that may be nil stay optional`() async throws {
    let staying = """
      extension Loader {
        public func find(_ id: Int, completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
          completion(id > 0 ? "text" : nil, nil)
        }

        public func find(_ id: Int) async throws -> String? { id > 0 ? "text" : nil }
      }

      public func plain(_ loader: Loader) async throws -> String? {
        try await withCheckedThrowingContinuation { continuation in
          loader.fetchText(1) { text, error in
            if let error {
              continuation.resume(throwing: error)
            } else {
              continuation.resume(returning: text)
            }
          }
        }
      }

      public func tested(_ loader: Loader) async {
        loader.find(1) { text, error in
          if let text {
            print(text)
          } else {
            print("nothing")
          }
        }
      }

      """
    func resuming(_ name: String, _ type: String, _ function: String, _ value: String) -> String {
      """
      public func \(name)(_ loader: Loader) async throws -> \(type) {
        try await withCheckedThrowingContinuation { continuation in
          loader.\(function)(1) { text, error in
            if let error {
              continuation.resume(throwing: error)
            } else {
              continuation.resume(returning: \(value))
            }
          }
        }
      }

      """
    }
    let result = try await migrated(
      staying + resuming("certain", "String", "fetchText", "text!")
        + resuming("found", "String?", "find", "text") + resuming("forced", "String", "find", "text!") + """
          public func shown(_ loader: Loader) async {
            loader.find(1) { text, error in
              if let error {
                print(error)
                return
              }
              guard let text else {
                return
              }
              print(text)
            }
          }

          """)
    #expect(
      result.callers == staying + """
        public func certain(_ loader: Loader) async throws -> String {
          try await loader.fetchText(1)
        }
        public func found(_ loader: Loader) async throws -> String? {
          try await loader.find(1)
        }
        public func forced(_ loader: Loader) async throws -> String {
          let text = try await loader.find(1)
          return text!
        }
        public func shown(_ loader: Loader) async {
          do {
            guard let text = try await loader.find(1) else {
              return
            }
            print(text)
          } catch {
            print(error)
          }
        }

        """)
    #expect(result.staying("may be nil") == 2, "\(result.errors)")
  }

  @Test func `calls stay if their closures run on another actor`() async throws {
    let staying = """
      extension Loader {
        public func draw(completion: @escaping @MainActor @Sendable (Int) -> Void) {
          Task { @MainActor in completion(1) }
        }

        public func draw() async -> Int { 1 }
      }

      public func marked(_ loader: Loader) async {
        loader.count { @MainActor value in print(value) }
      }

      public func drawn(_ loader: Loader) async {
        loader.draw { value in print(value) }
      }

      @MainActor public func detached(_ loader: Loader) async {
        Task.detached {
          loader.draw { value in print(value) }
        }
      }

      @MainActor public final class Outer {
        public struct Nested {
          public func drawn(_ loader: Loader) async {
            loader.draw { value in print(value) }
          }
        }

        nonisolated public func other(_ loader: Loader) async {
          loader.draw { value in print(value) }
        }
      }

      """
    let result = try await migrated(
      staying + """
        @MainActor public func global(_ loader: Loader) async {
          loader.draw { value in print(value) }
        }

        @MainActor public final class Page {
          public func show(_ loader: Loader) {
            Task {
              loader.draw { value in print(value) }
            }
          }
        }

        public func task(_ loader: Loader) {
          Task { @MainActor in
            loader.draw { value in print(value) }
          }
        }

        """)
    #expect(
      result.callers == staying + """
        @MainActor public func global(_ loader: Loader) async {
          let value = await loader.draw()
          print(value)
        }

        @MainActor public final class Page {
          public func show(_ loader: Loader) {
            Task {
              let value = await loader.draw()
              print(value)
            }
          }
        }

        public func task(_ loader: Loader) {
          Task { @MainActor in
            let value = await loader.draw()
            print(value)
          }
        }

        """)
    #expect(result.staying("'@MainActor'") == 5, "\(result.errors)")
  }
}
