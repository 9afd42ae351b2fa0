/// How a generated type stores its continuation.
enum OwnershipForm: Int, CaseIterable {
  case optional, nested, payload, tuple, state, box, collection

  /// The declarations of the types and the property.
  var declarations: [String] {
    let continuation = "CheckedContinuation<Int, Never>"
    switch self {
    case .optional: return ["private var continuation: \(continuation)?"]
    case .nested:
      return [
        "private struct State { var continuation: \(continuation)?; var count = 0 }",
        "private var state = State()",
      ]
    case .payload:
      return [
        "private struct Request { let id: Int; let continuation: \(continuation) }",
        "private var request: Request?",
      ]
    case .tuple: return ["private var waiting: (id: Int, continuation: \(continuation))?"]
    case .state:
      return [
        "private enum State { case idle, done, waiting(id: Int, \(continuation)) }",
        "private var state = State.idle",
      ]
    case .box: return ["private let box = Mutex<\(continuation)?>(nil)"]
    case .collection: return ["private var all: [\(continuation)] = []"]
    }
  }

  var resume: String {
    switch self {
    case .optional: "continuation?.resume(returning: 1)"
    case .nested: "state.continuation?.resume(returning: state.count)"
    case .payload: "request?.continuation.resume(returning: 1)"
    case .tuple: "waiting?.continuation.resume(returning: 1)"
    case .state: "if case .waiting(_, let held) = state { held.resume(returning: 1) }"
    case .box: "box.withLock { $0?.resume(returning: 1) }"
    case .collection: "for one in all { one.resume(returning: 1) }"
    }
  }

  var clear: String {
    switch self {
    case .optional: "continuation = nil"
    case .nested: "state.continuation = nil"
    case .payload: "request = nil"
    case .tuple: "waiting = nil"
    case .state: "state = .idle"
    case .box: "box.withLock { $0 = nil }"
    case .collection: "all.removeAll()"
    }
  }

  /// The value that an alias gets. Nil if the form has none.
  var value: String? {
    switch self {
    case .optional: "continuation"
    case .nested: "state.continuation"
    case .payload: "request"
    case .tuple: "waiting"
    case .box: "box.withLock { $0 }"
    case .collection: "all"
    case .state: nil
    }
  }

  func resume(alias: Int) -> String {
    switch self {
    case .payload, .tuple: "c\(alias)?.continuation.resume(returning: 2)"
    case .collection: "for one in c\(alias) { one.resume(returning: 2) }"
    default: "c\(alias)?.resume(returning: 2)"
    }
  }

  /// The condition that binds an alias. Nil if the form has none.
  func bind(alias: Int) -> String? {
    switch self {
    case .optional, .nested, .payload, .tuple: value.map { "if let c\(alias) = \($0) {" }
    case .state: "if case let .waiting(_, c\(alias)) = state {"
    case .box: "if let c\(alias) = box.withLock({ $0 }) {"
    case .collection: nil
    }
  }

  /// A test without a binding. Nil if the form has none.
  var test: String? { self == .state ? "if case .waiting = state {" : nil }

  /// Whether the check reports a continuation that is kept, although the type clears its property elsewhere.
  var alwaysReportsKept: Bool { self == .state || self == .collection }

  /// Whether only a test shows that the property stores a continuation.
  var needsTest: Bool { self == .state }
}
