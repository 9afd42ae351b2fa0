/// What the names of parameters say about closures.
package enum HandlerName {
  /// A name that speaks of something that happens once, in the end.
  static let ends = ["completion", "completionHandler", "completionBlock", "reply", "replyTo"]
  /// A name that mostly does, if it is the only one.
  static let mayEnd = ["handler", "callback", "then"]
  /// What comes before such an ending where the closure is called many times, or only sometimes.
  static let others = [
    "progress", "event", "error", "success", "failure", "cancel", "cancellation", "change", "changed",
    "update",
    "message", "request", "retry", "log", "expiration", "termination", "interruption", "invalidation",
    "signal",
    "exception", "output", "input", "read", "write", "data", "action", "tap", "warning", "notification",
    "disconnect", "close", "open", "connection", "response", "state", "status", "timeout", "challenge",
    "redirect", "line", "chunk", "row", "item", "element", "unhandled", "subscription", "value", "next",
  ]

  enum Strength: Comparable {
    case none, weak, strong
  }

  /// How much a name says that a closure is called once, in the end.
  static func strength(of name: String) -> Strength {
    for ending in ends where isEnding(ending, of: name) { return .strong }
    for ending in mayEnd where isEnding(ending, of: name) {
      let before = name.dropLast(ending.count).lowercased()
      return others.contains { before.hasSuffix($0) } ? .none : .weak
    }
    return .none
  }

  /// Whether a name is an ending, or ends in it where a word starts.
  private static func isEnding(_ ending: String, of name: String) -> Bool {
    guard name.utf8.count >= ending.utf8.count, let first = ending.first else { return false }
    if name == ending { return true }
    let tail = name.suffix(ending.count)
    return name.count > ending.count && tail.first == Character(first.uppercased())
      && tail.dropFirst() == ending.dropFirst()
  }

  /// Whether a type's name reads like that of an error.
  package static func isError(_ name: String) -> Bool {
    name.hasSuffix("Error") || name == "Failure"
  }
}
