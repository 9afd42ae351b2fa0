import AdoptAnalysis

/// What is told of each kind of finding to somebody who meets it for the first time.
struct RuleText {
  let name: String
  let short: String
  let full: String
  let advice: String

  var help: String { "\(full) \(advice)" }

  var markdown: String {
    "\(full)\n\n\(advice)\n\nA finding that is wrong is suppressed by a comment with a reason, on the line or above it: "
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
        "On the path that is shown, the function ends and its completion handler was not called: the caller waits for ever."
      advice =
        "Call the handler with an error before that return, or make the function async, where forgetting is impossible."
    case .twice:
      name = "HandlerCalledTwice"
      short = "A path calls the handler more than once"
      full =
        "On the path that is shown, the completion handler is called a second time. Callers do not expect that; a continuation that is resumed twice ends the program."
      advice = "Most often a return is missing after the first call."
    case .nothing:
      name = "HandlerCalledWithNothing"
      short = "The handler is called with neither a value nor an error"
      full =
        "The completion handler gets nil for the value and nil for the error: its caller learns neither what came nor why nothing did."
      advice = "Pass an error that says what went wrong, or take a Result, which cannot be empty."
    case .lost:
      name = "HandlerLost"
      short = "The handler or continuation can be dropped without having been called"
      full =
        "The handler is let go of before anybody called it: because a weak self is gone, or because another one is stored over it."
      advice = "Call it with an error before it is let go, or refuse a second one while the first is waiting."
    case .after:
      name = "HandedOnAfterCall"
      short = "The handler is handed on after it was called"
      full =
        "After the completion handler was called, the function goes on and hands it to somebody else, who will call it once more."
      advice = "Put a return behind the first call."
    case .suppression:
      name = "SuppressionWithoutReason"
      short = "A suppression does not say why"
      full =
        "A comment suppresses findings and gives no reason, so nobody can tell later whether it still holds."
      advice =
        "Write why the finding is wrong: `// adopt:ignore never - the cache calls it when it is emptied`."
    }
  }
}
