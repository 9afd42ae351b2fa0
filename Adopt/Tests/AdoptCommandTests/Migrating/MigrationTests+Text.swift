import Testing

@testable import AdoptCommand

/// Strings, names and comments in moved code.
extension MigrationTests {
  @Test func `the text of strings over several lines does not change`() async throws {
    let staying = #"""
      public final class Page {
        public func outdented(_ loader: Loader) async {
          loader.count { value in
            print(
              """
          first \(value)
            second
          """)
          }
        }


      """#
    let tests = #"""
      import XCTest

      final class LoaderTests: XCTestCase {
        func testCount() {
          let text = """
        first
        """
          let counted = expectation(description: "counted")
          Loader().count { value in
            XCTAssertEqual(text, "first")
            counted.fulfill()
          }
          wait(for: [counted], timeout: 1)
        }
      }

      """#
    let result = try await migrated(
      staying + #"""
          public func indented(_ loader: Loader) async {
            loader.count { value in
              print(
                """
                first \(value)

                  second
                """)
            }
          }
        }

        """#, tests: tests)
    #expect(
      result.callers == staying + #"""
          public func indented(_ loader: Loader) async {
            let value = await loader.count()
            print(
              """
              first \(value)

                second
              """)
          }
        }

        """#)
    #expect(result.tests == tests)
    #expect(result.staying("a string over several lines is indented less") == 2, "\(result.errors)")
  }

  @Test func `names of the surrounding code keep their meaning`() async throws {
    func text(_ first: String, _ parameter: String, _ failure: String) -> String {
      """
      public func \(first)(_ \(parameter): String, with loader: Loader) async {
        loader.fetchID("a") { result in
          switch result {
          case .success(let id): print(id)
          \(failure)
          }
        }
      }

      """
    }
    let result = try await migrated(
      """
      public func count(_ value: String, with loader: Loader) async {
        loader.count { print(value, $0) }
      }

      public func label(with loader: Loader) async {
        print(loader.value, text(value: 1))
        loader.count { print($0) }
      }

      """ + text("unnamed", "error", "case .failure: print(error)")
        + text("unused", "error", "case .failure(let problem): print(error)")
        + text("used", "error", "case .failure(let problem): print(error, problem)")
          + """
          public func resumed(_ error: any Error, with loader: Loader) async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              loader.fetchID("a") { result in
                switch result {
                case .success(let id): continuation.resume(returning: id)
                case .failure: continuation.resume(throwing: error)
                }
              }
            }
          }

          """)
    func moved(_ first: String, _ head: String, _ names: String) -> String {
      """
      public func \(first)(_ error: String, with loader: Loader) async {
        do {
          let id = try await loader.fetchID("a")
          print(id)
        } \(head) {
          print(\(names))
        }
      }

      """
    }
    #expect(
      result.callers == """
        public func count(_ value: String, with loader: Loader) async {
          let value2 = await loader.count()
          print(value, value2)
        }

        public func label(with loader: Loader) async {
          print(loader.value, text(value: 1))
          let value = await loader.count()
          print(value)
        }

        """ + moved("unnamed", "catch _", "error") + moved("unused", "catch _", "error")
        + moved("used", "catch let problem", "error, problem") + """
          public func resumed(_ error: any Error, with loader: Loader) async throws -> Int {
            do {
              let id = try await loader.fetchID("a")
              return id
            } catch _ {
              throw error
            }
          }

          """)
  }

  @Test func `calls stay if comments in their closures would be lost`() async throws {
    let callers = """
      public func show(_ loader: Loader) async {
        loader.fetchID("a") { result in
          switch result {
          // The number is known.
          case .success(let id): print(id)
          case .failure(let error): print(error)
          }
        }
      }

      public func text(_ loader: Loader) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
          loader.fetchText(1) { text, error in  // on another queue
            if let error {
              continuation.resume(throwing: error)
            } else {
              continuation.resume(returning: text!)
            }
          }
        }
      }

      public func count(_ loader: Loader) async {
        loader.count { value in
          // Twice.
          print(value)
          // Twice.
        }
      }

      """
    let tests = """
      import XCTest

      final class LoaderTests: XCTestCase {
        func testCount() {
          print("begins")
          // Ends when the closure runs.
          let counted = expectation(description: "counted")
          Loader().count { value in
            XCTAssertEqual(value, 3)
            counted.fulfill()
          }
          wait(for: [counted], timeout: 1)
        }
      }

      """
    let result = try await migrated(callers, tests: tests)
    #expect(result.callers == callers)
    #expect(result.tests == tests)
    #expect(result.staying("comments would be lost") == 4, "\(result.errors)")
  }
}
