/// A helper declaration that twins share. It is written once into each file that needs it.
package enum TwinSupport: String, Sendable, Hashable, CaseIterable {
  /// The error that a twin throws if its handler got neither a value nor an error.
  case missingOutcome
  /// The class that forwards the cancellation of a task, even if the task is cancelled before the work has started.
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
        // The lock makes it safe; the generated comment explains this.
        Line(0, "private final class StartedWork: @unchecked Sendable", opens: true),
        Line(1, "// Guards both variables; `hold` and `cancel` may be called on any thread."),
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
