/// A small package whose callers use completion handlers, for tests of `adopt migrate`.
struct MigrationPackage: Sendable {
  let name: String
  /// The sources of the callers in the library.
  let callers: String
  let tests: String
  /// The numbers of calls that move and that stay.
  let moved: Int
  let staying: Int
  /// The number of calls that also move if the index of the compiler is available.
  var unclear = 0

  static let all = [nested, expectations, blocking, delegate, groups, overloads]

  var manifest: String {
    """
    // swift-tools-version: 5.10
    import PackageDescription

    let package = Package(
      name: "\(name)",
      targets: [.target(name: "\(name)"), .testTarget(name: "\(name)Tests", dependencies: ["\(name)"])])

    """
  }

  /// The manifest of one package that has all of them as targets.
  static var manifestOfAll: String {
    let targets = all.map {
      "    .target(name: \"\($0.name)\"), .testTarget(name: \"\($0.name)Tests\", dependencies: [\"\($0.name)\"]),\n"
    }
    return """
      // swift-tools-version: 5.10
      import PackageDescription

      let package = Package(
        name: "All",
        targets: [
      \(targets.joined())  ])

      """
  }

  /// The functions with handlers and their alternatives, the same in each package.
  static let library = """
    import Foundation

    public struct LoadError: Error {}

    public final class Loader: Sendable {
      public init() {}

      public func fetchID(_ name: String, completion: @escaping @Sendable (Result<Int, any Error>) -> Void) {
        DispatchQueue.global().async {
          completion(name.isEmpty ? .failure(LoadError()) : .success(name.count))
        }
      }

      public func fetchID(_ name: String) async throws -> Int {
        try await withCheckedThrowingContinuation { continuation in
          fetchID(name) { result in
            continuation.resume(with: result)
          }
        }
      }

      public func fetchText(_ id: Int, completion: @escaping @Sendable (String?, (any Error)?) -> Void) {
        DispatchQueue.global().async {
          if id < 0 { completion(nil, LoadError()) } else { completion("text \\(id)", nil) }
        }
      }

      public func fetchText(_ id: Int) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
          fetchText(id) { text, error in
            if let error {
              continuation.resume(throwing: error)
            } else if let text {
              continuation.resume(returning: text)
            } else {
              continuation.resume(throwing: LoadError())
            }
          }
        }
      }

      public func count(completion: @escaping @Sendable (Int) -> Void) {
        DispatchQueue.global().async { completion(3) }
      }

      public func count() async -> Int {
        await withCheckedContinuation { continuation in
          count { value in
            continuation.resume(returning: value)
          }
        }
      }
    }

    """

  static let nested = MigrationPackage(
    name: "Nested",
    callers: """
      public func caption(of name: String, with loader: Loader) async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
          loader.fetchID(name) { result in
            switch result {
            case .success(let id):
              loader.fetchText(id) { text, error in
                if let error {
                  continuation.resume(throwing: error)
                  return
                }
                guard let text else { return }
                continuation.resume(returning: text)
              }
            case .failure(let error):
              continuation.resume(throwing: error)
            }
          }
        }
      }

      public func number(of name: String, with loader: Loader) async throws -> Int {
        let number = try await withCheckedThrowingContinuation { continuation in
          loader.fetchID(name) { continuation.resume(with: $0) }
        }
        return number + 1
      }

      public func describe(_ name: String, with loader: Loader, log: @escaping @Sendable (String) -> Void) async {
        loader.fetchID(name) { result in
          switch result {
          case .success(let id):
            loader.fetchText(id) { text, error in
              if let error {
                log("no text: \\(error)")
                return
              }
              log(text ?? "")
            }
          case .failure(let error):
            log("no number: \\(error)")
          }
        }
      }

      """,
    tests: """
      import XCTest

      @testable import Nested

      final class NestedTests: XCTestCase {
        func testCaption() async throws {
          let caption = try await caption(of: "abc", with: Loader())
          XCTAssertEqual(caption, "text 3")
        }

        func testNumber() async throws {
          let number = try await number(of: "abc", with: Loader())
          XCTAssertEqual(number, 4)
        }
      }

      """, moved: 5, staying: 0)

  static let expectations = MigrationPackage(
    name: "Expectations", callers: "public let unused = 0\n",
    tests: """
      import XCTest

      @testable import Expectations

      final class LoaderTests: XCTestCase {
        func testCount() {
          let counted = expectation(description: "counted")
          Loader().count { value in
            XCTAssertEqual(value, 3)
            counted.fulfill()
          }
          waitForExpectations(timeout: 5)
        }

        func testThreeInOrder() {
          let loader = Loader()
          let counted = expectation(description: "counted")
          loader.count { value in
            XCTAssertEqual(value, 3)
            counted.fulfill()
          }
          wait(for: [counted], timeout: 5)

          let found = expectation(description: "found")
          loader.fetchID("ab") { result in
            switch result {
            case .success(let id): XCTAssertEqual(id, 2)
            case .failure(let error): XCTFail("\\(error)")
            }
            found.fulfill()
          }
          wait(for: [found], timeout: 5)

          let read = expectation(description: "read")
          loader.fetchText(1) { text, error in
            XCTAssertNil(error)
            XCTAssertEqual(text, "text 1")
            read.fulfill()
          }
          wait(for: [read], timeout: 5)
        }

        func testTwoAtOnce() {
          let first = expectation(description: "first")
          let second = expectation(description: "second")
          Loader().count { _ in first.fulfill() }
          Loader().count { _ in second.fulfill() }
          wait(for: [first, second], timeout: 5)
        }
      }

      """, moved: 4, staying: 2)

  static let blocking = MigrationPackage(
    name: "Blocking",
    callers: """
      import Foundation

      // The semaphore orders the accesses, which makes it safe.
      public final class Slot<Value>: @unchecked Sendable {
        var result: Result<Value, any Error>?
      }

      public func temp_await<Value>(
        _ body: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
      ) throws -> Value {
        let semaphore = DispatchSemaphore(value: 0)
        let slot = Slot<Value>()
        body { result in
          slot.result = result
          semaphore.signal()
        }
        semaphore.wait()
        guard let result = slot.result else { throw LoadError() }
        return try result.get()
      }

      """,
    tests: """
      import XCTest

      @testable import Blocking

      final class BlockingTests: XCTestCase {
        func testNumber() throws {
          let loader = Loader()
          let number = try temp_await { loader.fetchID("abcd", completion: $0) }
          XCTAssertEqual(number, 4)
        }

        func testFailure() {
          let loader = Loader()
          XCTAssertThrowsError(try temp_await { loader.fetchID("", completion: $0) }) { error in
            XCTAssertTrue(error is LoadError)
          }
        }

        func testSemaphore() {
          let done = DispatchSemaphore(value: 0)
          Loader().count { value in
            XCTAssertEqual(value, 3)
            done.signal()
          }
          done.wait()
        }
      }

      """, moved: 3, staying: 0)

  static let delegate = MigrationPackage(
    name: "Delegates",
    callers: """
      import Foundation

      public protocol PageDelegate: AnyObject {
        func page(didLoad text: String)
      }

      @MainActor public final class Page {
        public weak var delegate: (any PageDelegate)?
        private let loader = Loader()
        private let lock = NSLock()
        private var isBusy = false

        public init() {}

        public func show() async {
          loader.count { [weak self] value in
            Task { @MainActor in self?.isBusy = value > 3 }
          }
        }

        public func reload() async {
          lock.withLock { isBusy = true }
          defer { isBusy = false }
          loader.count { value in
            print(value)
          }
        }

        public func load() {
          Task {
            loader.fetchText(1) { text, error in
              if let error {
                print(error)
                return
              }
              print(text ?? "")
            }
          }
        }
      }

      """,
    tests: """
      import XCTest

      @testable import Delegates

      final class DelegatesTests: XCTestCase {
        func testPage() async {
          await Page().show()
        }
      }

      """, moved: 1, staying: 2)

  static let groups = MigrationPackage(
    name: "Groups",
    callers: """
      import Foundation

      public func all(_ names: [String], with loader: Loader, completion: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        for name in names {
          group.enter()
          loader.fetchID(name) { _ in group.leave() }
        }
        group.notify(queue: .global()) { completion() }
      }

      public func each(_ names: [String], with loader: Loader) async {
        for name in names {
          loader.fetchID(name) { print($0) }
        }
      }

      public func both(with loader: Loader) async {
        loader.count { print($0) }
        print("both")
      }

      public func last(with loader: Loader) async {
        print("last")
        loader.count { value in
          print(value)
        }
      }

      """,
    tests: """
      import XCTest

      @testable import Groups

      final class GroupsTests: XCTestCase {
        func testLast() async {
          await last(with: Loader())
        }
      }

      """, moved: 1, staying: 3)
}
