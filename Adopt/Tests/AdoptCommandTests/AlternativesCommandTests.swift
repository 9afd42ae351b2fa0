import Foundation
import Glibc
import Testing

@testable import AdoptCommand

@Suite(.timeLimit(.minutes(5))) struct AlternativesCommandTests {
  private static let source = """
    struct Store: Sendable {
      func count(completion: @escaping @Sendable (Int) -> Void) {
        completion(1)
      }

      func odd(completion: @escaping @Sendable (Int) -> Void) -> String {
        completion(1)
        return ""
      }
    }

    """

  @Test func `by default, a diff is printed and no file is changed`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Self.source, to: "a.swift")
    let result = try await scratch.adopt("alternatives", "a.swift", "--verify", "off")
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("--- a/a.swift\n+++ b/a.swift\n@@ "))
    #expect(result.output.contains("+  func count() async -> Int {\n"))
    #expect(
      result.errors.contains("a.swift:6:8: note: no alternative for odd(completion:): it returns `String`"))
    #expect(result.errors.hasSuffix("adopt: 1 alternative to write; 1 declined\n"))
    #expect(try scratch.text("a.swift") == Self.source)
    // Git can apply the diff.
    try await scratch.git("init", "-q")
    try scratch.write(result.output, to: "change.diff")
    try await scratch.git("apply", "change.diff")
    let (applied, written) = (try scratch.text("a.swift"), try TemporaryPackage())
    try written.write(Self.source, to: "a.swift")
    #expect(try await written.adopt("alternatives", "-i", "a.swift", "--verify", "off").status == 0)
    #expect(try written.text("a.swift") == applied)
  }

  @Test func `in-place keeps permissions, and a second run changes nothing`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Self.source, to: "a.swift")
    chmod(scratch.file("a.swift"), 0o600)
    let first = try await scratch.adopt("alternatives", "--in-place", "a.swift")
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.errors.contains("1 alternative written"))
    let text = try scratch.text("a.swift")
    #expect(text.contains("@available(*, renamed: \"count()\")"))
    let attributes = try FileManager.default.attributesOfItem(atPath: scratch.file("a.swift"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    let second = try await scratch.adopt("alternatives", "--in-place", "a.swift")
    #expect(second.errors.contains("adopt: nothing written; 1 declined; 1 already exists"))
    #expect(try scratch.text("a.swift") == text)
    #expect(scratch.names == ["a.swift"])
  }

  @Test func `alternatives can be written to a separate file of a package`() async throws {
    let scratch = try TemporaryPackage()
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(name: "shop", platforms: [.macOS(.v15)], targets: [.target(name: "shop")])
      """
    try scratch.write(manifest, to: "Package.swift")
    try scratch.write(Self.source, to: "Sources/shop/Store.swift")
    let result = try await scratch.adopt("alternatives", "--into", "Sources/shop/Async.swift")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      try scratch.text("Sources/shop/Async.swift").contains(
        "extension Store {\n  func count() async -> Int {\n"))
    #expect(try scratch.text("Sources/shop/Store.swift").contains("@available(*, renamed: \"count()\")"))
    let again = try await scratch.adopt("alternatives")
    #expect(again.output.isEmpty)
    #expect(again.errors.contains("1 already exists"))
  }

  /// Writes a package with two functions and a test.
  private func write(test: String, to scratch: TemporaryPackage) throws {
    let manifest = """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "shop", platforms: [.macOS(.v15)],
        targets: [.target(name: "shop"), .testTarget(name: "shopTests", dependencies: ["shop"])])
      """
    let source = """
      public struct Store: Sendable {
        public init() {}
        public func count(completion: @escaping @Sendable (Int) -> Void) { completion(1) }
        public func save(completion: (@Sendable (Bool) -> Void)? = nil) { completion?(true) }
      }
      """
    try scratch.write(manifest, to: "Package.swift")
    try scratch.write(source, to: "Sources/shop/Store.swift")
    try scratch.write("import shop\n\n" + test, to: "Tests/shopTests/StoreTests.swift")
  }

  @Test func `alternatives with which the tests do not compile are declined`() async throws {
    let scratch = try TemporaryPackage()
    try write(test: "func saves(_ store: Store) async { store.save() }\n", to: scratch)
    let result = try await scratch.adopt("alternatives", "--in-place", "Sources")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.contains("no alternative for save(completion:): its twin causes an error at "))
    #expect(result.errors.contains("StoreTests.swift:3: "), "\(result.errors)")
    #expect(result.errors.contains("1 alternative written; 1 declined"), "\(result.errors)")
  }

  @Test func `if the tests do not compile, alternatives are verified without them`() async throws {
    let scratch = try TemporaryPackage()
    try write(test: "let number: Int = \"text\"\n", to: scratch)
    let result = try await scratch.adopt("alternatives")
    #expect(result.status == 0, "\(result.errors)")
    #expect(
      result.errors.contains("the alternatives were verified without the tests, which do not build"),
      "\(result.errors)")
    #expect(result.errors.contains("StoreTests.swift:3:19: "), "\(result.errors)")
    #expect(result.errors.contains("2 alternatives to write"), "\(result.errors)")
  }

  @Test func `files that do not compile are not changed`() async throws {
    let scratch = try TemporaryPackage()
    let broken = "let x: Int = \"text\"\n" + Self.source
    try scratch.write(broken, to: "a.swift")
    let result = try await scratch.adopt("alternatives", "--in-place", "a.swift")
    #expect(result.errors.contains("The sources do not compile even without changes: "))
    #expect(result.errors.contains("a.swift:1:14: "), "\(result.errors)")
    #expect(result.status == 2)
    #expect(try scratch.text("a.swift") == broken)
  }

  @Test(arguments: [["--dry-run"], ["-i"], ["--into", "b.swift"], ["--quiet"]])
  func `alternatives that may wait forever or crash are reported`(_ arguments: [String]) async throws {
    let scratch = try TemporaryPackage()
    let text = """
      func silent(_ id: Int?, completion: @escaping (Int) -> Void) {
        guard let id else { return }
        if id == 0 { return }
        completion(id)
      }
      func `repeat`(completion: @escaping (Int) -> Void) {
        if isReady { completion(1) }
        completion(2)
      }
      func right(completion: @escaping (Int) -> Void) {
        func step(completion: @escaping () -> Void) { if isReady { completion() } }
        completion(1)
      }
      func known(completion: @escaping (Int) -> Void) {
        // adopt:ignore never - nobody waits for it
        if isReady { return }
        completion(1)
      }

      """
    try scratch.write(text, to: "a.swift")
    let result = try await scratch.run(
      [TemporaryPackage.program.path, "alternatives", "--verify", "off", "a.swift"] + arguments)
    #expect(result.status == 0)
    let warnings = result.errors.split(separator: "\n").filter { $0.contains("warning") }
    #expect(
      warnings == [
        "a.swift:2:23: warning: the alternative of silent(_:completion:) may wait forever: "
          + "returns without calling 'completion', and one more; run adopt check to see the path",
        "a.swift:8:3: warning: the alternative of repeat(completion:) may crash the program: "
          + "'completion' is called again; run adopt check to see the path",
      ], "\(result.errors)")
  }

  @Test func `exits that only other callers can handle are reported`() async throws {
    let scratch = try TemporaryPackage()
    let text = """
      import Foundation
      func load(_ path: String, completion: @escaping @Sendable (Int) -> Void) -> URLSessionDataTask? {
        guard let url = URL(string: path) else { return nil }
        return URLSession.shared.dataTask(with: url) { _, _, error in completion(1) }
      }
      @discardableResult func find(_ path: String, completion: @escaping @Sendable (Int) -> Void) -> Bool {
        guard path.isEmpty else { return false }
        completion(1)
        return true
      }
      func count(_ path: String, completion: @escaping @Sendable (Int) -> Void) throws {
        guard path.isEmpty else {
          completion(0)
          throw CancellationError()
        }
        completion(1)
      }
      func right(_ path: String, completion: @escaping @Sendable (Int) -> Void) throws {
        guard path.isEmpty else { throw CancellationError() }
        completion(1)
      }

      """
    try scratch.write(text, to: "a.swift")
    let result = try await scratch.adopt("alternatives", "--verify", "off", "a.swift")
    #expect(result.status == 0)
    #expect(result.errors.contains("4 alternatives to write"), "\(result.errors)")
    let expected = [
      "3:44: warning: the alternative of load(_:completion:) may wait forever: returns without calling 'completion'",
      "7:29: warning: the alternative of find(_:completion:) may wait forever: returns without calling 'completion'",
      """
      14:5: warning: the alternative of count(_:completion:) may crash the program: an error is thrown after \
      'completion' was called
      """,
    ]
    .map { "a.swift:\($0); adopt check does not report this, because other callers may handle it" }
    let warnings = result.errors.split(separator: "\n").map(String.init).filter { $0.contains("warning") }
    #expect(warnings == expected, "\(result.errors)")
    #expect(try await scratch.adopt("check", "a.swift").status == 0)
  }

  @Test func `invalid command lines exit with 2`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Self.source, to: "a.swift")
    for arguments in [["-i", "--into", "b.swift"], ["-"], ["--into", "a.swift", "a.swift"], ["gone.swift"]] {
      let result = try await scratch.run(
        [TemporaryPackage.program.path, "alternatives", "--verify=off"] + arguments)
      #expect(result.status == 2, "\(arguments): \(result.errors)")
    }
    #expect(try scratch.text("a.swift") == Self.source)
  }
}
