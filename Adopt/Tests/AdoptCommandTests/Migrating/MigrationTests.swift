import Foundation
import Testing

@testable import AdoptAnalysis
@testable import AdoptCommand

/// `adopt migrate` on small packages.
@Suite(.serialized)
struct MigrationTests {
  /// Writes a package into a temporary folder.
  func folder(for package: MigrationPackage) throws -> TemporaryPackage {
    let folder = try TemporaryPackage()
    try folder.write(package.manifest, to: "Package.swift")
    try write(package, to: folder)
    return folder
  }

  private func write(_ package: MigrationPackage, to folder: TemporaryPackage) throws {
    try folder.write(MigrationPackage.library, to: "Sources/\(package.name)/Loader.swift")
    try folder.write(package.callers, to: "Sources/\(package.name)/Callers.swift")
    try folder.write(package.tests, to: "Tests/\(package.name)Tests/\(package.name)Tests.swift")
  }

  func notes(_ result: TemporaryPackage.Result) -> Int {
    result.errors.split(separator: "\n").count { $0.contains("stays as it is") }
  }

  @Test(arguments: MigrationPackage.all.indices)
  func `a package is migrated as far as that is safe`(number: Int) async throws {
    let package = MigrationPackage.all[number]
    let folder = try folder(for: package)
    let result = try await folder.adopt("migrate", "--in-place", "--verify", "off")
    #expect(result.status == 0, "\(result.errors)")
    let moved = package.moved == 0 ? "no call" : "\(package.moved) call"
    #expect(result.errors.contains(moved), "\(result.errors)")
    #expect(notes(result) == package.staying + package.unclear, "\(result.errors)")
    if package.unclear > 0 {
      #expect(
        result.errors.contains(
          "several functions with this name have different handlers, and the index of the compiler cannot be used"
        ))
    }
    for name in try await folder.run(["/usr/bin/find", ".", "-name", "*.swift"]).output.split(separator: "\n")
    {
      let file = ParsedFile(path: String(name), text: try folder.text(String(name)))
      #expect(!file.tree.hasError, "\(file.text)")
    }
    let again = try await folder.adopt("migrate", "--verify", "off")
    #expect(again.output.isEmpty, "\(again.output)")
    #expect(again.errors.contains("no call to move"), "\(again.errors)")
  }

  /// Takes a minute, because the packages are built three times. They are targets of one package, which takes a fraction
  /// of the time of building each alone. `make test-adopt` sets the variable.
  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["ADOPT_TEST_COMPLETE"] == "1"),
    .timeLimit(.minutes(20)))
  func `migrated packages compile and pass their tests`() async throws {
    let folder = try TemporaryPackage()
    try folder.write(MigrationPackage.manifestOfAll, to: "Package.swift")
    for package in MigrationPackage.all { try write(package, to: folder) }
    let fast = ["-Xswiftc", "-gnone"]
    let passed = fast.flatMap { ["--compiler-argument", $0] }
    let result = try await folder.run(
      [TemporaryPackage.program.path, "migrate", "--in-place"] + passed)
    let moved = MigrationPackage.all.reduce(0) { $0 + $1.moved + $1.unclear }
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("\(moved) calls"), "\(result.errors)")
    #expect(notes(result) == MigrationPackage.all.reduce(0) { $0 + $1.staying }, "\(result.errors)")
    let tests = try await folder.run(["/usr/bin/env", "swift", "test"] + fast)
    #expect(tests.status == 0, "\(tests.output)\(tests.errors)")
    let again = try await folder.run([TemporaryPackage.program.path, "migrate"] + passed)
    #expect(again.output.isEmpty && again.status == 0, "\(again.output)\(again.errors)")
  }

  @Test(
    .enabled(if: ProcessInfo.processInfo.environment["ADOPT_TEST_COMPLETE"] == "1"),
    .timeLimit(.minutes(10)))
  func `without verification, the index of the last build resolves names, unless a file is newer`()
    async throws
  {
    let package = MigrationPackage.overloads
    let folder = try folder(for: package)
    let build = try await folder.run(
      ["/usr/bin/env", "swift", "build", "--build-tests", "-Xswiftc", "-gnone"])
    #expect(build.status == 0, "\(build.output)\(build.errors)")
    let result = try await folder.adopt("migrate", "--verify", "off")
    #expect(result.errors.contains("\(package.unclear) calls to move"), "\(result.errors)")
    #expect(notes(result) == package.staying, "\(result.errors)")
    try folder.write("// Changed.\n" + package.callers, to: "Sources/Overloads/Callers.swift")
    let later = try await folder.adopt("migrate", "--verify", "off")
    #expect(later.errors.contains("no call to move"), "\(later.errors)")
    #expect(later.errors.contains("it is older than"), "\(later.errors)")
  }

  @Test func `calls of functions with a finding stay`() async throws {
    let package = MigrationPackage(
      name: "Flagged",
      callers: """
        public func value(_ isOpen: Bool, completion: @escaping @Sendable (Int) -> Void) {
          guard isOpen else { return }
          completion(1)
        }

        public func value(_ isOpen: Bool) async -> Int {
          await withCheckedContinuation { continuation in
            value(isOpen) { continuation.resume(returning: $0) }
          }
        }

        public func show() async {
          value(true) { print($0) }
        }

        """, tests: "", moved: 0, staying: 1)
    let result = try await folder(for: package).adopt("migrate", "--verify", "off")
    #expect(result.output.isEmpty)
    #expect(result.errors.contains("adopt check reports 'never' for the function that it calls"))
  }

  @Test func `calls stay if the failure of a later call would be handled as their own`() async throws {
    let package = MigrationPackage(
      name: "Caught",
      callers: """
        public func text(_ name: String, with loader: Loader) async throws -> String {
          try await withCheckedThrowingContinuation { continuation in
            loader.fetchID(name) { result in
              switch result {
              case .success(let id):
                loader.fetchText(id) { text, error in
                  if let error {
                    continuation.resume(throwing: error)
                    return
                  }
                  continuation.resume(returning: text ?? "")
                }
              case .failure:
                continuation.resume(returning: "unknown")
              }
            }
          }
        }

        public func checked(_ name: String, with loader: Loader) async throws -> Int {
          try await withCheckedThrowingContinuation { continuation in
            loader.fetchID(name) { result in
              switch result {
              case .success: continuation.resume(throwing: LoadError())
              case .failure: continuation.resume(returning: 0)
              }
            }
          }
        }

        """, tests: "", moved: 0, staying: 3)
    let result = try await folder(for: package).adopt("migrate", "--verify", "off")
    #expect(result.output.isEmpty, "\(result.output)")
    #expect(notes(result) == package.staying, "\(result.errors)")
    let reason = "an error after its success would be handled as its own error"
    #expect(result.errors.split(separator: "\n").count { $0.contains(reason) } == 2, "\(result.errors)")
  }

  @Test func `calls stay if statements follow where the continuation is resumed`() async throws {
    let package = MigrationPackage(
      name: "Followed",
      callers: """
        @MainActor public final class Page {
          var isLoading = true

          public func count(_ loader: Loader) async -> Int {
            await withCheckedContinuation { continuation in
              loader.count { value in
                continuation.resume(returning: value)
                self.isLoading = false
              }
            }
          }

          public func number(_ name: String, _ loader: Loader) async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              loader.fetchID(name) { result in
                switch result {
                case .success(let id): continuation.resume(returning: id)
                case .failure(let error): continuation.resume(throwing: error)
                }
                self.isLoading = false
              }
            }
          }

          public func right(_ name: String, _ loader: Loader) async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              loader.fetchID(name) { result in
                switch result {
                case .success(let id):
                  self.isLoading = false
                  continuation.resume(returning: id)
                  break
                case .failure(let error):
                  continuation.resume(throwing: error)
                }
              }
            }
          }
        }

        """, tests: "", moved: 1, staying: 2)
    let folder = try folder(for: package)
    let result = try await folder.adopt("migrate", "--verify", "off", "--in-place")
    #expect(notes(result) == package.staying, "\(result.errors)")
    let reason = "statements of its closure follow where the continuation is resumed"
    #expect(result.errors.split(separator: "\n").count { $0.contains(reason) } == 2, "\(result.errors)")
    #expect(
      try folder.text("Sources/Followed/Callers.swift").hasSuffix(
        """
          public func right(_ name: String, _ loader: Loader) async throws -> Int {
            let id = try await loader.fetchID(name)
            self.isLoading = false
            return id
          }
        }

        """))
  }

  @Test func `calls whose closures mean something else after a move stay`() async throws {
    let package = MigrationPackage(
      name: "Meaning",
      callers: """
        public final class Page {
          var loader: Loader?
          var generation = 0

          public func none() async { loader?.count { print($0) } }

          public func captured(_ loader: Loader) async {
            loader.count { [generation] value in print(generation, value) }
          }

          public func text(_ loader: Loader) async { loader.count { print("costs $0", $0) } }

          public func nested(_ loader: Loader) async {
            loader.count { print([1, 2].map { $0 + 1 }, $0) }
          }

          public func after(_ loader: Loader) async {
            loader.fetchID("a") { result in
              switch result {
              case .success: loader.count { value in print(value) }
              case .failure: print("failed")
              }
              print("running")
            }
          }

          public func moved(_ loader: Loader) async {
            loader.count { [self] value in
              /* The number
                 of dogs. */
              print(value)  // of today
              // Again.
              print(generation)
            }
          }
        }

        """, tests: "", moved: 1, staying: 5)
    let folder = try folder(for: package)
    let result = try await folder.adopt("migrate", "--verify", "off", "--in-place")
    for reason in [
      "without an object, nothing is called", "captures 'generation' as it is before the call",
      "statements follow a call in its closure",
    ] {
      #expect(result.errors.contains(reason), "\(result.errors)")
    }
    let callers = try folder.text("Sources/Meaning/Callers.swift")
    let start = package.callers.components(separatedBy: "  public func moved")[0]
    #expect(
      callers == start + """
          public func moved(_ loader: Loader) async {
            let value = await loader.count()
            /* The number
            of dogs. */
            print(value)  // of today
            // Again.
            print(generation)
          }
        }

        """)
  }

  @Test func `a test that waits for more than the call stays, and comments stay once`() async throws {
    let package = MigrationPackage(
      name: "Waits", callers: "",
      tests: """
        import XCTest
        import Waits

        final class WaitsTests: XCTestCase {
          func testTwo() {
            let first = expectation(description: "first")
            let second = expectation(description: "second")
            Loader().count { value in
              first.fulfill()
            }
            wait(for: [first, second], timeout: 1)
          }

          func testOne() {
            // The loader.
            let loader = Loader()  // is new
            let counted = expectation(description: "counted")
            // The count.
            loader.count { value in
              XCTAssertEqual(value, 3)
              counted.fulfill()
            }
            wait(for: [counted], timeout: 1)
          }
        }

        """, moved: 1, staying: 1)
    let folder = try folder(for: package)
    let result = try await folder.adopt("migrate", "--verify", "off", "--in-place")
    #expect(result.errors.contains("the test also waits for 'second'"), "\(result.errors)")
    let tests = try folder.text("Tests/WaitsTests/WaitsTests.swift")
    let start = package.tests.components(separatedBy: "  func testOne")[0]
    #expect(
      tests == start + """
          func testOne() async {
            // The loader.
            let loader = Loader()  // is new
            // The count.
            let value = await loader.count()
            XCTAssertEqual(value, 3)
          }
        }

        """)
  }

  @Test func `calls move in a task whose types are written out`() async throws {
    var callers = "public func show(_ loader: Loader) {\n  Task<Void, Never> {\n"
    callers += "    loader.count { value in\n      print(value)\n    }\n  }\n}\n"
    let package = MigrationPackage(name: "Typed", callers: callers, tests: "", moved: 1, staying: 0)
    let folder = try folder(for: package)
    _ = try await folder.adopt("migrate", "--verify", "off", "--in-place")
    #expect(
      try folder.text("Sources/Typed/Callers.swift") == """
        public func show(_ loader: Loader) {
          Task<Void, Never> {
            let value = await loader.count()
            print(value)
          }
        }

        """)
  }

  @Test func `calls move into a task when asked for`() async throws {
    var callers = "public func show(_ loader: Loader) {\n"
    callers += "  loader.count { value in\n    print(value)\n  }\n}\n"
    let package = MigrationPackage(name: "Wrapped", callers: callers, tests: "", moved: 1, staying: 0)
    let folder = try folder(for: package)
    let without = try await folder.adopt("migrate", "--verify", "off")
    #expect(without.errors.contains("the function around it is not async"))
    _ = try await folder.adopt("migrate", "--verify", "off", "--in-place", "--wrap-in-task")
    #expect(
      try folder.text("Sources/Wrapped/Callers.swift") == """
        public func show(_ loader: Loader) {
          Task {
            let value = await loader.count()
            print(value)
          }
        }

        """)
  }

  @Test func `files outside of packages are reported`() async throws {
    let folder = try TemporaryPackage()
    try folder.write("func load() {}\n", to: "a.swift")
    let result = try await folder.adopt("migrate", "a.swift")
    #expect(result.status == 2)
    #expect(result.errors.contains("The file belongs to no package"))
  }
}
