/// Recognizes handlers by the names of parameters.
package enum HandlerName {
  /// Endings of names of closures that are called once, at the end.
  static let strongEndings = ["completion", "completionHandler", "completionBlock", "reply", "replyTo"]
  /// Endings of names of closures that are usually called once, if there is only one such closure.
  static let weakEndings = ["handler", "callback", "then"]
  /// Words before such an ending that show that the closure is called many times, or only sometimes.
  static let excludingPrefixes = [
    "progress", "event", "error", "success", "failure", "cancel", "cancellation", "change", "changed",
    "update",
    "message", "request", "retry", "log", "expiration", "termination", "interruption", "invalidation",
    "signal",
    "exception", "output", "input", "read", "write", "data", "action", "tap", "warning", "notification",
    "disconnect", "close", "open", "connection", "response", "state", "status", "timeout", "challenge",
    "redirect", "line", "chunk", "row", "item", "element", "unhandled", "subscription", "value", "next",
    "restoration",
  ]

  enum Strength: Comparable {
    case none, weak, strong
  }

  /// Returns how strongly a name suggests that a closure is called once, at the end.
  static func strength(of name: String) -> Strength {
    for ending in strongEndings where isEnding(ending, of: name) { return .strong }
    for ending in weakEndings where isEnding(ending, of: name) {
      let before = name.dropLast(ending.count).lowercased()
      return excludingPrefixes.contains { before.hasSuffix($0) } ? .none : .weak
    }
    return .none
  }

  /// Returns whether a name is an ending, or ends in it as a separate word.
  private static func isEnding(_ ending: String, of name: String) -> Bool {
    guard name.utf8.count >= ending.utf8.count, let first = ending.first else { return false }
    if name == ending { return true }
    let tail = name.suffix(ending.count)
    return name.count > ending.count && tail.first == Character(first.uppercased())
      && tail.dropFirst() == ending.dropFirst()
  }

  /// Returns whether the name of a type is that of an error.
  package static func isError(_ name: String) -> Bool {
    name.hasSuffix("Error") || name == "Failure"
  }
}
