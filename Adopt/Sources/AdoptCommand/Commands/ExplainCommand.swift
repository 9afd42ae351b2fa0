import AdoptAnalysis
import TerminalProgram

/// The command `adopt explain`.
struct ExplainCommand: Sendable {
  private let context: CommandContext
  private let kinds: [Finding.Kind]

  init(_ arguments: ParsedArguments, environment: [String: String]) throws(UsageError) {
    context = try CommandContext(arguments, environment: environment)
    var kinds: [Finding.Kind] = []
    for name in arguments.operands {
      guard let kind = Self.kind(named: name) else {
        let names = Finding.Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("'\(name)' is not a kind of finding. The kinds are: \(names).")
      }
      kinds.append(kind)
    }
    self.kinds = kinds.isEmpty ? Finding.Kind.allCases : kinds
  }

  /// Returns the kind with a name as one of the reports shows it: `never`, `[never]` or `HandlerNeverCalled`.
  private static func kind(named name: String) -> Finding.Kind? {
    let plain = name.lowercased().filter { $0 != "[" && $0 != "]" }
    return Finding.Kind.allCases.first { $0.rawValue == plain || RuleText($0).name.lowercased() == plain }
  }

  func run() async throws -> ExitStatus {
    try await context.write(kinds.map { Explanation.text(of: $0) }.joined(separator: "\n"))
    return .success
  }
}

/// What a kind of finding means, with an example and its fix.
enum Explanation {
  static func text(of kind: Finding.Kind) -> String {
    let (meaning, example, fix) = parts(of: kind)
    func indented(_ text: String) -> String {
      text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "    \($0)" }
        .joined(separator: "\n")
    }
    let text =
      "\(kind.rawValue): \(meaning)\n\nExample:\n\n\(indented(example))\n\nFix:\n\n\(indented(fix))\n"
    guard kind != .suppression else { return text }
    let comment = "//" + " adopt:ignore \(kind.rawValue) - the reason"
    return text
      + "\nIf a finding is wrong, write a comment on its line or above it:\n\n\(indented(comment))\n"
  }

  private static func parts(of kind: Finding.Kind) -> (meaning: String, example: String, fix: String) {
    switch kind {
    case .never:
      (
        "a path leaves without calling the handler, or without resuming the continuation. The caller waits forever.",
        """
        func load(_ url: URL?, completion: @escaping (Data?, Error?) -> Void) {
          guard let url else { return }
          fetch(url, completion: completion)
        }
        """,
        "guard let url else { return completion(nil, LoadError.noURL) }"
      )
    case .twice:
      (
        "a path calls the handler again. A continuation that is resumed twice crashes the program.",
        """
        if let error { completion(nil, error) }
        completion(photo, nil)
        """,
        """
        if let error { return completion(nil, error) }
        completion(photo, nil)

        // For a stored continuation, clear the property before resuming:
        let waiting = continuation
        continuation = nil
        waiting?.resume(returning: place)
        """
      )
    case .nothing:
      (
        "the handler is called with neither a value nor an error, so the caller cannot know what happened.",
        "guard isSignedIn else { return completion(nil, nil) }",
        "guard isSignedIn else { return completion(nil, AccountError.signedOut) }"
      )
    case .lost:
      (
        "the handler is dropped before it is called: an object that a closure captures weakly is nil, or a stored continuation is overwritten or removed.",
        """
        queue.async { [weak self] in
          guard let self else { return }
          completion(self.value)
        }
        """,
        """
        guard let self else { return completion(nil) }

        // For a stored continuation, resume it before you remove it:
        continuation?.resume(throwing: CancellationError())
        continuation = nil
        """
      )
    case .after:
      (
        "the handler is passed on after it was called, so it will be called again.",
        """
        if let photo = cache[url] { completion(photo) }
        download(url, completion: completion)
        """,
        "if let photo = cache[url] { return completion(photo) }"
      )
    case .suppression:
      (
        "a comment that suppresses findings gives no reason, or names no kind of finding. It has no effect.",
        "// adopt:ignore never", "// adopt:ignore never - documented: a closed door makes no call"
      )
    }
  }
}
