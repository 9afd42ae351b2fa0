#if !canImport(Darwin)
/// The tasks and the validity of a session: a pure state machine that takes an event and returns the answer.
struct SessionRegistry<Task: AnyObject> {
  enum Validity: Equatable {
    case valid
    /// Takes no new tasks; existing tasks continue.
    case finishing
    /// The delegate has been informed.
    case invalid
  }

  private(set) var validity = Validity.valid
  private var tasks: [Int: Task] = [:]
  private var lastIdentifier = 0

  var all: [Task] { Array(tasks.values) }

  mutating func nextIdentifier() -> Int {
    lastIdentifier += 1
    return lastIdentifier
  }

  /// Leaves out the identifiers up to a number, which tasks of an earlier run have or had.
  mutating func reserve(upTo identifier: Int) { lastIdentifier = max(lastIdentifier, identifier) }

  /// Adds a task. Returns false if the session no longer takes tasks.
  mutating func add(_ task: Task, identifier: Int) -> Bool {
    guard validity == .valid else { return false }
    tasks[identifier] = task
    return true
  }

  /// Puts a task in the place of another one, which it takes over.
  mutating func replace(_ identifier: Int, with task: Task) {
    if tasks[identifier] != nil { tasks[identifier] = task }
  }

  /// Removes a task. Returns true if this was the last task of an invalidated session.
  mutating func remove(_ identifier: Int) -> Bool {
    tasks[identifier] = nil
    return becomesInvalid()
  }

  /// Starts the invalidation. Returns true if the session is invalid immediately.
  mutating func invalidate() -> Bool {
    guard validity == .valid else { return false }
    validity = .finishing
    return becomesInvalid()
  }

  private mutating func becomesInvalid() -> Bool {
    guard validity == .finishing, tasks.isEmpty else { return false }
    validity = .invalid
    return true
  }
}
#endif
