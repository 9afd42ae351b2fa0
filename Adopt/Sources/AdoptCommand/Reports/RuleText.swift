import AdoptAnalysis

/// The description of a kind of finding for readers who see it for the first time.
struct RuleText {
  let name: String
  let short: String
  let full: String
  let advice: String

  var help: String { "\(full) \(advice)" }

  var markdown: String {
    "\(full)\n\n\(advice)\n\nTo suppress a wrong finding, write a comment with a reason on its line or above: "
      + "`//" + " adopt:ignore \(kind.rawValue) - reason`."
  }

  private let kind: Finding.Kind

  init(_ kind: Finding.Kind) {
    self.kind = kind
    switch kind {
    case .never:
      name = "HandlerNeverCalled"
      short = "A path leaves without calling the handler"
      full =
        "On the path shown, the function ends without calling its completion handler, so the caller waits forever."
      advice =
        "Call the handler with an error before that return, or make the function async, where this mistake is impossible."
    case .twice:
      name = "HandlerCalledTwice"
      short = "A path calls the handler more than once"
      full =
        "On the path shown, the completion handler is called a second time. Callers do not expect that; a continuation that is resumed twice crashes the program."
      advice = "Usually a return is missing after the first call."
    case .nothing:
      name = "HandlerCalledWithNothing"
      short = "The handler is called with neither a value nor an error"
      full =
        "The completion handler is called with nil for both the value and the error, so the caller does not learn why there is no value."
      advice = "Pass an error that describes the problem, or use a Result, which cannot be empty."
    case .lost:
      name = "HandlerLost"
      short = "The handler or continuation can be dropped before it is called"
      full =
        "The handler is dropped before it is called, because a weak self is nil or because another handler overwrites it."
      advice =
        "Call the handler with an error before it is dropped, or reject a second handler while the first one is waiting."
    case .after:
      name = "HandedOnAfterCall"
      short = "The handler is passed on after it was called"
      full =
        "After calling the completion handler, the function passes it to another function, which will call it again."
      advice = "Add a return after the first call."
    case .suppression:
      name = "SuppressionWithoutReason"
      short = "A suppression has no reason"
      full =
        "A comment suppresses findings without giving a reason, so nobody can check later whether it is still correct."
      advice =
        "Give the reason why the finding is wrong: `// adopt:ignore never - the cache calls it when it is cleared`."
    }
  }
}
