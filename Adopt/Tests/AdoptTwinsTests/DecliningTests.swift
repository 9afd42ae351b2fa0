import AdoptAnalysis
import Testing

@testable import AdoptTwins

struct DecliningTests {
  @Test(
    arguments: [
      ("init(url: Int, completion: @escaping (Int?, Error?) -> Void) {}", "initializer"),
      ("func load(_ ids: Int..., completion: @escaping (Int) -> Void) {}", "variadic"),
      ("func load(_ id: consuming Int, completion: @escaping (Int) -> Void) {}", "consuming"),
      (
        "func load(_ id: @autoclosure () throws -> Int, completion: @escaping (Int) -> Void) {}",
        "autoclosure"
      ),
      ("func load(completion: @escaping (Int) -> Void) -> Int { 1 }", "returns `Int` as well"),
      ("@available(*, deprecated) func load(completion: @escaping (Int) -> Void) {}", "deprecated"),
      ("@available(*, unavailable) func load(completion: @escaping (Int) -> Void) {}", "unavailable"),
      ("override func load(completion: @escaping (Int) -> Void) {}", "override"),
      ("func load(completion: @escaping (@escaping () -> Void) -> Void) {}", "another closure"),
      ("func load(completionHandler: @escaping CompletionHandler) {}", "another file"),
      (
        "func load(success: @escaping (Int) -> Void, failure: @escaping (String) -> Void) {}",
        "does not take an error"
      ),
      ("func load() {}; func load(completion: @escaping () -> Void) {}", "the existing `load()`"),
      (
        "func urlSession(_ session: URLSession, task: Int, completionHandler: @escaping () -> Void) {}",
        "delegate method"
      ),
      ("static func + (a: S, completion: @escaping () -> Void) {}", "operator"),
      ("func outer() { func load(completion: @escaping () -> Void) {} }", "local"),
      ("func each(_ f: () throws -> Void, completion: @escaping () -> Void) rethrows {}", "rethrows"),
      ("var load: Int { 1 }; func load(completion: @escaping () -> Void) {}", "name as the property `load`"),
      ("func load(completion: @escaping () -> Void) { let = }", "syntax"),
    ])
  func `functions that cannot have a twin are declined with a reason`(member: String, reason: String) {
    let text = "struct S {\n  \(member)\n}\n"
    let given = reasons(text)
    #expect(given.count == 1 && given.first?.contains(reason) == true, "\(given)")
    #expect(rewritten(text) == text)
  }

  @Test func `optional requirements are declined`() {
    #expect(
      reasons("@objc protocol P { @objc optional func load(completion: @escaping () -> Void) }").count == 1)
  }

  @Test func `the second of two functions with the same twin is declined`() {
    let text = """
      func load(completion: @escaping (Int) -> Void) {}
      func load(handler: @escaping (String) -> Void) {}
      """
    let result = twins(in: ParsedFile(path: "a.swift", text: text))
    #expect(result.twins.map(\.name.description) == ["load()"])
    #expect(result.declined.map(\.reason) == ["its twin would be a duplicate of another `load()`"])
    // A trailing closure would be ambiguous.
    #expect(result.twins[0].text.contains("load(completion: { value in"))
  }

  @Test func `functions that differ only in the queue of the handler have the same twin`() {
    let text = """
      func load(completion: @escaping (Int) -> Void) {}
      func load(callbackQueue: DispatchQueue = .main, completion: @escaping (Int) -> Void) {}
      """
    let result = twins(in: ParsedFile(path: "a.swift", text: text))
    #expect(result.twins.count == 1)
    #expect(result.declined.map(\.reason) == ["its twin would be a duplicate of another `load()`"])
    // A stream keeps the queue.
    let streams = """
      final class Center {
        func observe(callbackQueue: DispatchQueue = .main, handler: @escaping (Int) -> Void) -> Token { Token() }
        func observe(callbackQueue: OperationQueue = .main, handler: @escaping (Int) -> Void) -> Token { Token() }
      }
      final class Token { func cancel() {} }
      """
    let kept = twins(in: ParsedFile(path: "a.swift", text: streams))
    #expect(kept.twins.count == 2, "\(kept.declined)")
  }

  @Test(
    arguments: [
      "func load(completion: @escaping (Int) -> Void) {}\nfunc load() async -> Int { 1 }",
      "@available(*, renamed: \"load()\")\nfunc load(completion: @escaping (Int) -> Void) {}",
      "struct S { func load(completion: @escaping (Int) -> Void) {} }\nextension S { func load() async {} }",
      "protocol P { func load(completion: @escaping (Int) -> Void); func load() async -> Int }",
    ])
  func `existing twins are not changed`(text: String) {
    let result = twins(in: ParsedFile(path: "a.swift", text: text))
    #expect(result.twins.isEmpty && result.declined.isEmpty)
    #expect(result.existing.map(\.twin) == ["load()"])
    #expect(rewritten(text) == text)
  }

  @Test(arguments: ["URL", "URLRequest?", "[URLRequest]", "Foundation.URL"])
  func `an async function for another type is not a twin`(type: String) {
    let text = """
      func load(_ request: URLRequest, completion: @escaping (Int) -> Void) {}
      func load(_ place: \(type)) async -> Int { 1 }
      """
    let result = twins(in: ParsedFile(path: "a.swift", text: text))
    #expect(result.existing.isEmpty && result.twins.count == 1)
    let other = ParsedFile(path: "b.swift", text: "func load(_ place: \(type)) async -> Int { 1 }")
    var options = TwinOptions()
    options.known = asyncFunctions(in: other)
    let alone = ParsedFile(
      path: "a.swift", text: "func load(_ request: URLRequest, completion: @escaping (Int) -> Void) {}")
    #expect(twins(in: alone, options: options).twins.count == 1)
  }

  @Test(arguments: ["URLRequest", "Foundation.URLRequest", "Request", "Optional<URLRequest>"])
  func `an async function whose type may be the same is a twin`(type: String) {
    let text = """
      func load(_ request: URLRequest, completion: @escaping (Int) -> Void) {}
      func load(_ place: \(type)) async -> Int { 1 }
      """
    let result = twins(in: ParsedFile(path: "a.swift", text: text))
    #expect(result.twins.isEmpty && result.existing.count == 1)
  }

  @Test func `twins in other files are recognized by name`() {
    let other = ParsedFile(path: "b.swift", text: "extension S { func load() async -> Int { 1 } }")
    var options = TwinOptions()
    options.known = asyncFunctions(in: other)
    let file = ParsedFile(
      path: "a.swift", text: "struct S { func load(completion: @escaping (Int) -> Void) {} }")
    #expect(twins(in: file, options: options).existing.count == 1)
  }

  @Test func `a second run changes nothing`() {
    let once = rewritten(Corpus.functions)
    #expect(once != Corpus.functions)
    #expect(rewritten(once) == once)
  }
}
