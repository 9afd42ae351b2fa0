import AdoptAnalysis
import Testing

@testable import AdoptTwins

struct ResolvedNamesTests {
  private typealias Point = ResolvedNames.Point
  private typealias Occurrence = ResolvedNames.Occurrence

  private let declaration = Point(path: "/a.swift", line: 2, column: 8)
  private let call = Point(path: "/b.swift", line: 5, column: 3)

  @Test func `a use has the declaration of its symbol, in any order`() {
    let uses = Occurrence(point: call, symbol: "s:4load", isDeclaration: false)
    let declares = Occurrence(point: declaration, symbol: "s:4load", isDeclaration: true)
    for occurrences in [[uses, declares], [declares, uses]] {
      #expect(ResolvedNames(occurrences).declarations(ofNameAt: call) == [declaration])
    }
  }

  @Test func `a name of another module has no declaration, and an unknown place has no name`() {
    let names = ResolvedNames([Occurrence(point: call, symbol: "s:5other", isDeclaration: false)])
    #expect(names.declarations(ofNameAt: call)?.isEmpty == true)
    #expect(names.declarations(ofNameAt: declaration) == nil)
  }

  @Test func `a place with several symbols has all declarations`() {
    let other = Point(path: "/a.swift", line: 9, column: 1)
    let names = ResolvedNames([
      Occurrence(point: call, symbol: "type", isDeclaration: false),
      Occurrence(point: call, symbol: "initializer", isDeclaration: false),
      Occurrence(point: declaration, symbol: "type", isDeclaration: true),
      Occurrence(point: other, symbol: "initializer", isDeclaration: true),
    ])
    #expect(names.declarations(ofNameAt: call) == [declaration, other])
  }

  // MARK: - Calls

  private let source = ParsedFile(
    path: "a.swift",
    text: """
      struct A {
        func load(completion: @escaping (Int) -> Void) { completion(1) }
        func load() async -> Int { 1 }
      }
      struct B {
        func load(completion: @escaping (Result<Int, any Error>) -> Void) { completion(.success(1)) }
        func load() async throws -> Int { 1 }
      }
      struct C {
        func load(completion: @escaping (Int) -> Void) { completion(1) }
      }
      func f(_ value: B) async {
        value.load { result in
          switch result {
          case .success(let value): print(value)
          case .failure(let error): print(error)
          }
        }
      }
      """)

  private func names(line: Int) -> ResolvedNames {
    ResolvedNames([
      Occurrence(
        point: Point(path: "/a.swift", line: 13, column: 9), symbol: "load", isDeclaration: false),
      Occurrence(
        point: Point(path: "/a.swift", line: line, column: 8), symbol: "load", isDeclaration: true),
    ])
  }

  @Test func `without an index, an unclear call stays, with the reason why the index is missing`() {
    var index = TwinIndex([source])
    #expect(index.hasUnclearCalls(source))
    index.noteObstacle("it is not there")
    let result = migrations(in: source, index: index)
    #expect(result.migrations.isEmpty)
    #expect(
      result.staying.map(\.reason) == [
        "several functions with this name have different handlers, and the index of the compiler cannot be used: it is not there"
      ])
  }

  @Test func `the index decides which function an unclear call calls`() {
    var index = TwinIndex([source])
    index.use(names(line: 6), paths: ["a.swift": "/a.swift"])
    let result = migrations(in: source, index: index)
    #expect(result.staying.isEmpty)
    #expect(applying(result.edits, to: source.text).contains("let value = try await value.load()"))
  }

  @Test(arguments: [10, 1])
  func `a call of a function without an alternative stays`(line: Int) {
    var index = TwinIndex([source])
    index.use(names(line: line), paths: ["a.swift": "/a.swift"])
    let result = migrations(in: source, index: index)
    #expect(result.migrations.isEmpty)
    #expect(result.staying.map(\.reason) == ["the function that it calls has no alternative"])
  }

  @Test func `a library that is missing or that is none gives an error`() {
    #expect(throws: VerifierError.self) { try IndexLibrary(path: "/nowhere/libIndexStore.so") }
    #expect(throws: VerifierError.self) { try IndexLibrary(path: "libc.so.6") }
  }
}
