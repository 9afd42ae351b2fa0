import AdoptAnalysis
import Foundation
import Testing

@testable import AdoptTwins

@Suite(.timeLimit(.minutes(5)))
struct VerifierTests {
  private func verified(
    _ texts: [String: String], _ arguments: [String] = ["-swift-version", "6"]
  ) async throws -> [String: TwinFile] {
    let files = texts.map { ParsedFile(path: $0.key, text: $0.value) }.map {
      (file: $0, twins: twins(in: $0))
    }
    let results = try await Blocking.run {
      try TwinVerifier(.files(arguments: arguments)).verify(files).files
    }
    return Dictionary(uniqueKeysWithValues: zip(files.map(\.file.path), results))
  }

  @Test func `a twin that breaks its callers is declined with the compiler's error`() async throws {
    let text = """
      struct S {
        func save(completion: ((Bool) -> Void)? = nil) {}
        func load(completion: @escaping (Int) -> Void) {}
      }
      func caller(_ s: S) async { s.save() }
      """
    let all = try await verified(["a.swift": text])
    let result = try #require(all["a.swift"])
    #expect(result.twins.map(\.name.base) == ["load"])
    #expect(result.declined.map(\.function.base) == ["save"])
    let reason = try #require(result.declined.first?.reason)
    #expect(reason.contains("not marked with 'await'") && reason.contains("a.swift:"), "\(reason)")
  }

  @Test func `a twin that does not compile is declined with the compiler's error`() async throws {
    let text = """
      @MainActor final class Job { func cancel() {} }
      func keep(completion: @escaping (Int) -> Void) -> Job? { nil }
      func load(completion: @escaping (Int) -> Void) {}
      """
    let all = try await verified(["a.swift": text])
    let result = try #require(all["a.swift"])
    #expect(result.twins.map(\.name.base) == ["load"])
    #expect(result.declined.map(\.function.base) == ["keep"])
    #expect(result.declined.first?.reason.hasPrefix("its twin does not compile: ") == true)
  }

  @Test func `functions with async callers are not marked if warnings are errors`() async throws {
    let text = """
      func load(completion: @escaping (Int) -> Void) {}
      func save(completion: @escaping (Int) -> Void) {}
      func caller() async { load { _ in } }
      """
    let arguments = ["-swift-version", "6", "-warnings-as-errors"]
    let all = try await verified(["a.swift": text], arguments)
    let result = try #require(all["a.swift"])
    #expect(result.twins.map { $0.renaming == nil } == [true, false])
  }

  @Test func `sources that do not compile get no twins`() async throws {
    let text = "func load(completion: @escaping (Nowhere) -> Void) {}"
    let error = await #expect(throws: VerifierError.self) { _ = try await verified(["a.swift": text]) }
    #expect(error?.description.contains("a.swift:1:34: ") == true, "\(error?.description ?? "")")
  }

  @Test func `files of one module are checked together`() async throws {
    let results = try await verified([
      "a.swift": "struct Item {}\nfunc first(completion: @escaping (Item) -> Void) {}",
      "folder/a.swift": "func second(completion: @escaping (Item?) -> Void) { first { completion($0) } }",
    ])
    #expect(results.values.allSatisfy { $0.twins.count == 1 && $0.declined.isEmpty })
  }

  @Test func `a package is built with its twins`() async throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let sources = folder.path + "/Package/Sources/Loading"
    try FileManager.default.createDirectory(atPath: sources, withIntermediateDirectories: true)
    let texts = [
      folder.path + "/Package/Package.swift": """
      // swift-tools-version: 6.0
      import PackageDescription
      let package = Package(name: "Package", targets: [.target(name: "Loading")])
      """,
      sources + "/Loading.swift": """
      public final class Loader {
        public func load(completion: @escaping (Item?, (any Error)?) -> Void) { completion(Item(), nil) }
        public func save(completion: ((Int) -> Void)? = nil) {}
      }
      """,
      sources + "/Item.swift":
        "public final class Item {}\nfunc use(_ loader: Loader) async { loader.save() }",
    ]
    for (path, text) in texts { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
    let path = sources + "/Loading.swift"
    let file = ParsedFile(path: path, text: try #require(texts[path]))
    let found = twins(in: file)
    #expect(found.twins.count == 2)
    let directory = folder.path + "/Package"
    let result = try await Blocking.run {
      try TwinVerifier(.package(directory: directory, arguments: [], needsTests: false)).verify([
        (file, found)
      ])
      .files
    }
    let kept = try #require(result.first)
    #expect(kept.twins.map(\.name.base) == ["load"], "\(kept.declined)")
    #expect(kept.twins.map(\.passesUnsendableValues) == [true])
    #expect(kept.declined.map(\.function.base) == ["save"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == file.text)
  }

  @Test func `only the files of a package that are written to are copied`() throws {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let package = folder.path + "/Package"
    for path in [
      "Package.swift", "Package.resolved", "Sources/A/a.swift", "Sources/A/Sub/b.swift", "Sources/B/c.swift",
      "Assets/large.bin", ".build/debug.yaml", ".git/HEAD",
    ] {
      let url = URL(fileURLWithPath: package + "/" + path)
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(path.utf8).write(to: url)
    }
    try FileManager.default.createSymbolicLink(
      atPath: package + "/Sources/A/linked.swift", withDestinationPath: "../B/c.swift")
    let workspace = try Workspace(package: package, files: [package + "/Sources/A/a.swift"])
    defer { workspace.folder.remove() }
    try workspace.write("twins", as: package + "/Sources/A/a.swift")
    let copy = try #require(workspace.package)
    func target(_ path: String) -> String? {
      try? FileManager.default.destinationOfSymbolicLink(atPath: copy + "/" + path)
    }
    #expect(target("Sources/A/Sub")?.hasSuffix("/Package/Sources/A/Sub") == true)
    #expect(target("Sources/B")?.hasSuffix("/Package/Sources/B") == true)
    #expect(target("Assets")?.hasSuffix("/Package/Assets") == true)
    #expect(target("Sources/A/linked.swift") == "../B/c.swift")
    for path in ["Sources", "Sources/A", "Sources/A/a.swift", "Package.swift", "Package.resolved"] {
      #expect(target(path) == nil)
      #expect(FileManager.default.fileExists(atPath: copy + "/" + path))
    }
    for path in [".build", ".git"] { #expect(!FileManager.default.fileExists(atPath: copy + "/" + path)) }
    #expect(
      try String(contentsOfFile: package + "/Sources/A/a.swift", encoding: .utf8) == "Sources/A/a.swift")
    #expect(
      workspace.original(of: copy + "/Sources/B/c.swift")?.hasSuffix("/Package/Sources/B/c.swift") == true)
  }

  /// Tests the purpose of `@available(*, renamed:)`.
  @Test func `the compiler suggests the twin to async callers`() async throws {
    let text = """
      protocol P { func required(_ id: Int, completion: @escaping (Int) -> Void) }
      struct S {
        func method(_ id: Int, completion: @escaping (Int?, (any Error)?) -> Void) {}
        static func shared(completion: @escaping () -> Void) {}
        func generic<T: Sendable>(_ value: T, completion: @escaping (T) -> Void) {}
      }
      actor A { func isolated(completion: @escaping @Sendable (Int) -> Void) {} }
      func global(completion: @escaping (Int) -> Void) {}
      """
    let callers = """

      func callers(_ s: S, _ p: some P, _ a: A) async {
        p.required(1) { _ in }
        s.method(1) { _, _ in }
        S.shared {}
        s.generic(1) { _ in }
        await a.isolated { _ in }
        global { _ in }
      }

      """
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    let path = folder.path + "/a.swift"
    try Data((rewritten(text) + callers).utf8).write(to: URL(fileURLWithPath: path))
    let outcome = try await Blocking.tool("swiftc", ["-typecheck", "-parse-as-library", path])
    #expect(outcome.succeeded)
    let warnings = CompilerDiagnostic.all(in: outcome.output).filter { $0.severity == .warning }
    #expect(warnings.filter(\.suggestsTwin).count == 6, "\(outcome.output)")
  }
}
