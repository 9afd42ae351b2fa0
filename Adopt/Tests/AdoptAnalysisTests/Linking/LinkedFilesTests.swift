import Testing

@testable import AdoptAnalysis

/// Files that can only be checked together with others.
struct LinkedFilesTests {
  private func findings(_ first: String, _ others: [String]) -> [String] {
    let files = ([first] + others).enumerated().map {
      ParsedFile(path: "\($0.offset).swift", text: $0.element)
    }
    let result = check(files[0], with: Array(files.dropFirst()))
    return result.findings.map { "\($0.place.path):\($0.place.line):\($0.place.column) \($0.kind.rawValue)" }
  }

  private static let locator = """
    final class Locator {
      var continuation: CheckedContinuation<Int, any Error>?
      func stop() {
        continuation?.resume(throwing: Problem())
        continuation = nil
      }
      func take() -> CheckedContinuation<Int, any Error>? {
        defer { continuation = nil }
        return continuation
      }
    }

    """

  @Test func `a continuation is followed through extensions in other files`() {
    let delegate = """
      import Photos

      func other() { let continuation: Int? = nil; print(continuation) }

      extension Locator: LocationDelegate {
        func didFail() {
          take()?.resume(throwing: Problem())
        }
        func didUpdate(_ value: Int?) {
          guard let waiting = take() else { return }
          guard let value else { return }
          waiting.resume(returning: value)
        }
        func cancelled() {
          continuation = nil
        }
        func again(_ value: Int) {
          continuation?.resume(returning: value)
          stop()
        }
      }
      """
    #expect(findings(Self.locator, []) == [])
    #expect(
      findings(Self.locator, [delegate]).sorted() == [
        "0.swift:4:5 twice", "1.swift:11:28 never", "1.swift:15:5 lost",
      ])
  }

  @Test func `comments in the other file suppress findings there`() {
    let delegate = """
      extension Locator {
        func cancelled() {
          continuation = nil  // adopt:ignore lost - nothing waits here
        }
      }
      """
    #expect(findings(Self.locator, [delegate]) == [])
  }

  @Test func `a handler whose type is an alias in another file is checked`() throws {
    let user = ParsedFile(
      path: "Sources/Photos/a.swift",
      text: """
        func load(_ done: @escaping Loaded) {
          guard isOpen else { return }
          done(.success(1))
        }
        func name(completion: @escaping Named) {
          completion(nil, nil)
        }
        """)
    let aliases = ParsedFile(
      path: "Sources/Photos/Types/b.swift",
      text: """
        typealias Loaded = (Result<Int, any Error>) -> Void
        typealias Named = (String?, (any Error)?) -> Void
        """)
    #expect(check(user).findings.isEmpty)
    let summaries = [user, aliases].compactMap { check($0).summary }
    let links = FileLinks(summaries)
    #expect(links.links.map(\.path) == ["Sources/Photos/a.swift"])
    var options = CheckOptions()
    options.aliases = links.aliases
    #expect(check(user, options: options).findings.map(\.kind) == [.never, .nothing])
    // A type of another module, or a name that two types have, is not an alias of this file.
    let elsewhere = ParsedFile(path: "Sources/Kennel/b.swift", text: aliases.text)
    #expect(FileLinks([user, elsewhere].compactMap { check($0).summary }).links.isEmpty)
    let same = ParsedFile(path: "Sources/Photos/c.swift", text: "struct Loaded {}; struct Named {}")
    #expect(FileLinks([user, aliases, same].compactMap { check($0).summary }).links.isEmpty)
  }

  @Test func `only files with extensions of a type that stores continuations are linked`() {
    let files = [
      ("Sources/A/a.swift", Self.locator), ("Sources/A/b.swift", "extension Locator { func a() {} }"),
      ("Sources/A/c.swift", "extension Other { func a() {} }"),
      ("Sources/B/d.swift", "extension Locator { func a() {} }"),
    ].map { ParsedFile(path: $0.0, text: $0.1) }
    let links = FileLinks(files.compactMap { check($0).summary }).links
    #expect(links.map(\.path) == ["Sources/A/a.swift"])
    #expect(links.first?.others == ["Sources/A/b.swift"])
  }
}
