import AdoptAnalysis
import SwiftSyntax
import Testing

@testable import AdoptTwins

struct LayoutTests {
  @Test func `a twin is placed after its function`() {
    let text = """
      final class Loader {
        // MARK: Loading

        /// Fetches a thumbnail.
        ///
        /// - Parameters:
        ///   - id: Which one.
        ///   - completion: Called with the image,
        ///     or with an error.
        @MainActor
        public func fetchThumbnail(for id: String, completion: @escaping (Image?, Error?) -> Void) {  // slow
          completion(nil, nil)
        }  // the end
        let other = 1
      }

      """
    let expected = """
      final class Loader {
        // MARK: Loading

        /// Fetches a thumbnail.
        ///
        /// - Parameters:
        ///   - id: Which one.
        ///   - completion: Called with the image,
        ///     or with an error.
        @available(*, renamed: "fetchThumbnail(for:)")
        @MainActor
        public func fetchThumbnail(for id: String, completion: @escaping (Image?, Error?) -> Void) {  // slow
          completion(nil, nil)
        }  // the end

        /// Fetches a thumbnail.
        ///
        /// - Parameters:
        ///   - id: Which one.
        @MainActor
        public func fetchThumbnail(for id: String) async throws -> Image {
          try await withCheckedThrowingContinuation { continuation in
            fetchThumbnail(for: id) { value, error in
              if let error {
                continuation.resume(throwing: error)
              } else if let value {
                continuation.resume(returning: value)
              } else {
                continuation.resume(throwing: MissingOutcome())
              }
            }
          }
        }

        let other = 1
      }

      /// Thrown by async functions whose callback got neither a value nor an error.
      private struct MissingOutcome: Error, CustomStringConvertible {
        let function: StaticString

        init(function: StaticString = #function) {
          self.function = function
        }

        var description: String { "\\(function) got neither a value nor an error." }
      }

      """
    #expect(rewritten(text) == expected)
  }

  @Test func `tabs and braces on separate lines are kept`() {
    let text = """
      struct S
      {
      \tfunc load(completion: @escaping (Int?, Error?) -> Void)
      \t{
      \t\tif true
      \t\t{
      \t\t}
      \t}
      }

      """
    let expected = """
      \tfunc load() async throws -> Int
      \t{
      \t\ttry await withCheckedThrowingContinuation { continuation in
      \t\t\tload { value, error in
      \t\t\t\tif let error
      \t\t\t\t{
      \t\t\t\t\tcontinuation.resume(throwing: error)
      \t\t\t\t}
      \t\t\t\telse if let value
      \t\t\t\t{
      \t\t\t\t\tcontinuation.resume(returning: value)
      \t\t\t\t}
      \t\t\t\telse
      \t\t\t\t{
      \t\t\t\t\tcontinuation.resume(throwing: MissingOutcome())
      \t\t\t\t}
      \t\t\t}
      \t\t}
      \t}
      """
    #expect(texts(text) == [expected])
  }

  @Test(arguments: ["\n", "\r\n"], [true, false])
  func `twins have the line endings of the file`(end: String, endsLine: Bool) {
    let lines = [
      "struct S {", "    func load(completion: @escaping () -> Void) {", "        completion()", "    }", "}",
    ]
    let text = lines.joined(separator: end) + (endsLine ? end : "")
    let expected =
      [
        "struct S {", "    @available(*, renamed: \"load()\")",
        "    func load(completion: @escaping () -> Void) {", "        completion()", "    }", "",
        "    func load() async {",
        "        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in",
        "            load {", "                continuation.resume()", "            }", "        }", "    }",
        "}",
      ].joined(separator: end) + (endsLine ? end : "")
    #expect(rewritten(text) == expected)
  }

  @Test func `the twin of a function on the line of its type is on separate lines`() {
    let text = "  struct S { func load(completion: @escaping () -> Void) { completion() } }"
    let expected = """
        struct S { @available(*, renamed: "load()") func load(completion: @escaping () -> Void) { completion() }

          func load() async {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
              load {
                continuation.resume()
              }
            }
          }
        }
      """
    #expect(rewritten(text) == expected)
  }

  @Test func `code after the function on its line is moved to a separate line`() {
    let text = """
      final class Loader {
        func load(completion: @escaping (Int) -> Void) { completion(1) };  func other() {}
        func save(completion: @escaping (Int) -> Void) { completion(1) }; }
      """
    let twin = { (name: String) in
      """

        func \(name)() async -> Int {
          await withCheckedContinuation { continuation in
            \(name) { value in
              continuation.resume(returning: value)
            }
          }
        }
      """
    }
    let expected = """
      final class Loader {
        @available(*, renamed: "load()")
        func load(completion: @escaping (Int) -> Void) { completion(1) }
      \(twin("load"))
        func other() {}
        @available(*, renamed: "save()")
        func save(completion: @escaping (Int) -> Void) { completion(1) }
      \(twin("save"))
      }
      """
    #expect(rewritten(text) == expected)
  }

  @Test func `all other bytes stay the same`() {
    let text = "\u{FEFF}// é\r\nstruct S{\n\tfunc  load( completion : @escaping(Int)->Void ){}  \n\n\n}\n\n\n"
    let file = ParsedFile(path: "a.swift", text: text)
    let edits = twins(in: file).edits(of: file)
    #expect(edits.count == 2)
    #expect(edits.allSatisfy { $0.range.isEmpty })
    var result = Array(applying(edits, to: text).utf8)
    for edit in edits.reversed() {
      let added = Array(edit.replacement.utf8)
      let start =
        edit.range.lowerBound
        + edits.prefix { $0.range.lowerBound < edit.range.lowerBound }
        .reduce(0) { $0 + $1.replacement.utf8.count }
      #expect(Array(result[start..<start + added.count]) == added)
      result.removeSubrange(start..<start + added.count)
    }
    #expect(result == Array(text.utf8))
  }

  @Test func `parameters keep their lines`() {
    let text = """
      func load(
        _ id: Int,  // the id
        in place: String = "a",
        completion: @escaping (Int) -> Void
      ) {}
      """
    #expect(
      texts(text)[0].hasPrefix(
        "func load(\n  _ id: Int,  // the id\n  in place: String = \"a\"\n) async -> Int {"))
    let close = "func load(\n  _ id: Int, in place: String,\n  completion: @escaping (Int) -> Void\n) {}"
    #expect(texts(close)[0].hasPrefix("func load(_ id: Int, in place: String) async -> Int {"))
    let commented = "func load(_ id: Int,  // the id\n  completion: @escaping (Int) -> Void) {}"
    #expect(texts(commented)[0].hasPrefix("func load(_ id: Int) async -> Int {"))
  }

  @Test func `twins of requirements of one protocol share an extension`() {
    let text = """
      @available(macOS 12, *)
      public protocol Loading {
        func load(completion: @escaping (Int) -> Void)
        func store(_ value: Int, completion: @escaping () -> Void)
      }
      let after = 1

      """
    let result = rewritten(text)
    #expect(
      result.contains(
        "}\n\n@available(macOS 12, *)\nextension Loading {\n  public func load() async -> Int {\n"))
    #expect(result.contains("  }\n\n  public func store(_ value: Int) async {\n"))
    #expect(result.hasSuffix("  }\n}\n\nlet after = 1\n"))
  }

  @Test func `documentation of the handler is removed`() {
    let text = """
      /**
       Starts.

       - Parameter completion: Called in the end.
       - Returns: What can be cancelled.
       */
      func start(completion: @escaping () -> Void) -> Progress {}
      /// Loads.
      ///
      /// - Parameters:
      ///   - completion: Called.
      func load(completion: @escaping () -> Void) {}
      // Not documentation.
      func save(completion: @escaping () -> Void) {}
      """
    let all = texts(text)
    #expect(all[0].hasPrefix("/**\n Starts.\n */\nfunc start() async {"))
    #expect(all[1].hasPrefix("/// Loads.\nfunc load() async {"))
    #expect(all[2].hasPrefix("func save() async {"))
  }
}
