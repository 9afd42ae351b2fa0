import AdoptAnalysis
import Testing

@testable import AdoptTwins

/// Type aliases of handlers that are declared in another file.
struct SharedAliasTests {
  private static let function = "func load(completion: @escaping Loaded) { completion(.success(1)) }\n"
  private static let alias = "typealias Loaded = (Result<Int, any Error>) -> Void\n"

  /// Returns the result for the first file.
  private func twins(_ texts: [(path: String, text: String)]) throws -> TwinFile {
    let files = texts.map { ParsedFile(path: $0.path, text: $0.text) }
    var options = TwinOptions()
    options.aliases = SharedAliases(files)
    return AdoptTwins.twins(in: try #require(files.first), options: options)
  }

  @Test func `an alias in another file of the module is followed`() throws {
    for (first, second) in [("a.swift", "b.swift"), ("x/Sources/A/In/a.swift", "x/Sources/A/b.swift")] {
      let result = try twins([(first, Self.function), (second, Self.alias)])
      #expect(result.twins.first?.text.contains("func load() async throws -> Int {") == true)
    }
  }

  @Test(arguments: [
    "private " + alias, "#if DEBUG\n" + alias + "#endif\n", "struct Other { " + alias + "}\n",
    alias + "struct Other { enum Loaded {} }\n", alias + "#if A\ntypealias Loaded = () -> Void\n#endif\n",
  ])
  func `an ambiguous or invisible alias is not followed`(_ other: String) throws {
    let result = try twins([("a.swift", Self.function), ("b.swift", other)])
    #expect(result.twins.isEmpty)
  }

  @Test func `an alias of another module is not followed`() throws {
    let result = try twins([
      ("Sources/A/a.swift", Self.function), ("Sources/B/b.swift", "public " + Self.alias),
    ])
    #expect(result.twins.isEmpty)
  }

  @Test func `an alias in the same file has priority`() throws {
    let own = "typealias Loaded = (Int) -> Void\nfunc load(completion: @escaping Loaded) { completion(1) }\n"
    let result = try twins([("a.swift", own), ("b.swift", Self.alias)])
    #expect(result.twins.first?.text.contains("func load() async -> Int {") == true)
  }
}
