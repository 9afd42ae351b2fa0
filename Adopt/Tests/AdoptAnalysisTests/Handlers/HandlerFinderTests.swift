import SwiftSyntax
import Testing

@testable import AdoptAnalysis

struct HandlerFinderTests {
  private func names(_ parameters: String, before: String = "") -> [String] {
    handlers(parameters, before: before).map(\.name)
  }

  private func handlers(_ parameters: String, before: String = "") -> [Handler] {
    let file = ParsedFile(path: "a.swift", text: "\(before)\nfunc a(\(parameters)) {}")
    guard let function = file.tree.statements.last?.item.as(FunctionDeclSyntax.self) else { return [] }
    return HandlerFinder(file).handlers(in: function.signature.parameterClause.parameters)
  }

  @Test(arguments: [
    "completion: @escaping () -> Void", "completionHandler: @escaping (Int) -> ()", "then: (() -> Void)?",
    "with reply: @escaping (Int) -> Swift.Void", "_ callback: @escaping @Sendable (Int) -> Void",
    "completion: (() -> Void)? = nil", "completion: ((Int) -> Void)!", "userCompletion: @escaping () -> Void",
    "_ block: @escaping (Result<Int, Error>) -> Void", "_ done: ((Int?, (any Error)?) -> Void)?",
    "x: Int, handler: @escaping @MainActor () -> Void", "completion: Completion?",
    "replyTo: @escaping (Int) -> Void", "completion: Optional<() -> Void>",
    "_ f: @escaping (Swift.Result<Int, E>) -> Void",
  ])
  func `a handler is found`(_ parameters: String) {
    #expect(names(parameters).count == 1)
  }

  @Test(arguments: [
    "completion: () -> Void", "completion: @escaping () -> Int",
    "progressHandler: @escaping (Double) -> Void",
    "transform: @escaping (Int) -> Void", "completion: Int", "completion: @escaping () async -> Void",
    "_ onError: @escaping (Error?) -> Void", "incompletion: @escaping () -> Void", "completion: [() -> Void]",
    "eventHandler: @escaping (Int) -> Void", "completion: @escaping () throws -> Void",
    "yesHandler: @escaping () -> Void, noHandler: @escaping () -> Void",
  ])
  func `other closures are not handlers`(_ parameters: String) {
    #expect(names(parameters).isEmpty)
  }

  @Test func `the parameter with the stronger name is the handler`() {
    #expect(
      names("handler: @escaping () -> Void, completion: @escaping () -> Void") == ["completion"])
    #expect(
      names("progress: @escaping (Int) -> Void, _ done: @escaping (Result<Int, E>) -> Void") == ["done"])
  }

  @Test func `type aliases of the file are followed`() throws {
    let handler = try #require(
      handlers(
        "completion: Callback?", before: "typealias Callback = @Sendable (Result<Int, Error>) -> Void"
      ).first)
    #expect(handler.isOptional)
    #expect(handler.attributes == ["Sendable"])
    #expect(handler.alias?.name.text == "Callback")
    guard case .result(let success, let failure)? = handler.shape else {
      Issue.record("the shape is \(String(describing: handler.shape))")
      return
    }
    #expect(success.trimmedDescription == "Int")
    #expect(failure?.trimmedDescription == "Error")
    #expect(names("completion: A?", before: "typealias A = B\ntypealias B = A").isEmpty)
  }

  @Test func `the shape of a handler is recognized`() {
    func shape(_ type: String) -> String {
      switch handlers("completion: @escaping \(type)").first?.shape {
      case .result(let success, _): "result \(success.trimmedDescription)"
      case .valuesAndError(let values, let error): "\(values.count) and \(error.type.trimmedDescription)"
      case .values(let values): "\(values.count)"
      case .nothing: "nothing"
      case .error(let error): "error \(error.type.trimmedDescription)"
      case .successFailure: "pair"
      case nil: "none"
      }
    }
    #expect(shape("(Result<[Int], MyError>) -> Void") == "result [Int]")
    #expect(shape("(Int?, Error?) -> Void") == "1 and Error?")
    #expect(shape("(_ a: Int?, _ b: Int?, _ error: (any Error)?) -> Void") == "2 and (any Error)?")
    #expect(shape("(Int) -> Void") == "1")
    #expect(shape("(Int, String) -> Void") == "2")
    #expect(shape("() -> Void") == "nothing")
    #expect(shape("(Void) -> Void") == "nothing")
    #expect(shape("(NSError?) -> Void") == "error NSError?")
  }

  @Test func `success and failure closures are a pair`() throws {
    let file = ParsedFile(
      path: "a.swift",
      text: "func a(success: @escaping (Int) -> Void, failure: @escaping (Error) -> Void) {}")
    let function = try #require(file.tree.statements.first?.item.as(FunctionDeclSyntax.self))
    let handler = try #require(HandlerFinder(file).handler(in: function.signature.parameterClause.parameters))
    #expect(handler.name == "success")
    #expect(handler.failureParameter?.firstName.text == "failure")
    guard case .successFailure? = handler.shape else {
      Issue.record("no pair")
      return
    }
  }
}
