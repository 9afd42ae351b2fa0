/// What a connection is asked to do, and who waits for the result.
package struct Statement: Sendable {
  package enum Text: Sendable {
    /// A statement that is prepared once for each connection. Its literal identifies it. The placeholders are `$1`, `$2` and so
    /// on, or `?1`, `?2` and so on, or `?` in the order of the values (``Placeholders``).
    case prepared(StaticString, [PostgresValue])
    /// Statements without values and results.
    case script(String)

    /// - Throws: `badValue` if PostgreSQL cannot store a value.
    func check() throws(PostgresError) {
      guard case .prepared(_, let values) = self, !values.allSatisfy(\.isValid) else { return }
      throw PostgresError(.badValue, "A text contains the character NUL, or a value is larger than 1 GiB.")
    }
  }

  /// The rows of a result, or the number of rows that were changed.
  package struct Result: Sendable {
    package internal(set) var rows: [PostgresRow] = []
    package internal(set) var changedRows = 0
  }

  let identifier: UInt64
  let text: Text
  /// The maximum number of rows.
  let maximumRows: Int
  /// The maximum number of bytes in all rows.
  let maximumBytes: Int
  /// How long the statement may take from the moment it is sent; nil for no limit.
  let timeLimit: Duration?
  /// Called once.
  let reply: @Sendable (Swift.Result<Result, PostgresFailure>) -> Void
}

/// The progress of one connection. A pure value: events go in, actions come out. The loop performs the actions.
struct ConnectionMachine {
  enum Action: Sendable, Equatable {
    case nothing
    case prepare(name: String, UInt)
    case send(name: String)
    case sendScript
    /// The statement has ended. Its result is delivered.
    case finish
    /// The connection cannot be used any more.
    case close
  }

  private enum Phase {
    case connecting
    case idle
    /// The statement is being prepared.
    case preparing(name: String, key: UInt)
    /// The statement has been sent.
    case executing(key: UInt?)
    case closed
  }

  /// The maximum number of prepared statements. The literals of a program are fewer.
  static let maximumPrepared = 1000

  private var phase = Phase.connecting
  private var prepared: [UInt: String] = [:]
  private var nextName = 1

  var isConnecting: Bool { if case .connecting = phase { true } else { false } }
  var isIdle: Bool { if case .idle = phase { true } else { false } }
  var isClosed: Bool { if case .closed = phase { true } else { false } }

  /// What is known about the statement if the connection is lost now.
  var effect: PostgresFailure.Effect { if case .executing = phase { .unknown } else { .none } }

  mutating func connected() { if isConnecting { phase = .idle } }

  /// A statement begins. The connection is idle.
  ///
  /// - Parameter key: Identifies the statement's text; nil for a script.
  mutating func begin(key: UInt?) -> Action {
    guard isIdle else { return .close }
    guard let key else {
      phase = .executing(key: nil)
      return .sendScript
    }
    if let name = prepared[key] {
      phase = .executing(key: key)
      return .send(name: name)
    }
    guard prepared.count < Self.maximumPrepared else { return .close }
    let name = "s\(nextName)"
    nextName += 1
    phase = .preparing(name: name, key: key)
    return .prepare(name: name, key)
  }

  /// The server has sent all results of what was sent last.
  ///
  /// - Parameter error: The server's error, if there was one.
  mutating func received(error: PostgresError?) -> Action {
    switch phase {
    case .preparing(let name, let key):
      guard error == nil else {
        phase = .idle
        return .finish
      }
      prepared[key] = name
      phase = .executing(key: key)
      return .send(name: name)
    case .executing(let key):
      // The table was changed, or the statement is gone. It is prepared again the next time, under another name.
      if let key, let state = error?.sqlState, ["0A000", "26000"].contains(state) { prepared[key] = nil }
      phase = .idle
      return .finish
    case .connecting, .idle, .closed: return .nothing
    }
  }

  mutating func close() { phase = .closed }
}
