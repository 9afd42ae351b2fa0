/// A small declaration that twins share, written once into each file that needs it.
package enum TwinSupport: String, Sendable, Hashable, CaseIterable {
  /// What a twin throws when its handler got nothing.
  case missingOutcome
  /// What passes a task's cancelling on, whichever comes first: the cancelling or what can be cancelled.
  case startedWork

  var typeName: String {
    switch self {
    case .missingOutcome: "MissingOutcome"
    case .startedWork: "StartedWork"
    }
  }

  func lines() -> [Line] {
    switch self {
    case .missingOutcome:
      [
        Line(0, "/// Thrown by async functions whose callback got neither a value nor an error."),
        Line(0, "private struct MissingOutcome: Error, CustomStringConvertible", opens: true),
        Line(1, "let function: StaticString"),
        .blank,
        Line(1, "init(function: StaticString = #function)", opens: true),
        Line(2, "self.function = function"),
        Line(1, "}"),
        .blank,
        Line(1, "var description: String { \"\\(function) got neither a value nor an error.\" }"),
        Line(0, "}"),
      ]
    case .startedWork:
      [
        Line(
          0, "/// Cancels what a function with a callback has started, even if the cancelling comes first."),
        // Safe because of its lock, which its own comment says.
        Line(0, "private final class StartedWork: @unchecked Sendable", opens: true),
        Line(1, "// Guards both variables; `hold` and `cancel` come from any thread."),
        Line(1, "private let lock = NSLock()"),
        Line(1, "private var stop: (() -> Void)?"),
        Line(1, "private var isCancelled = false"),
        .blank,
        Line(1, "func hold(_ cancel: @escaping () -> Void)", opens: true),
        Line(2, "lock.lock()"),
        Line(2, "let isTooLate = isCancelled"),
        Line(2, "if !isTooLate { stop = cancel }"),
        Line(2, "lock.unlock()"),
        Line(2, "if isTooLate { cancel() }"),
        Line(1, "}"),
        .blank,
        Line(1, "func cancel()", opens: true),
        Line(2, "lock.lock()"),
        Line(2, "isCancelled = true"),
        Line(2, "let cancel = stop"),
        Line(2, "stop = nil"),
        Line(2, "lock.unlock()"),
        Line(2, "cancel?()"),
        Line(1, "}"),
        Line(0, "}"),
      ]
    }
  }
}
