#if !canImport(Darwin)
  /// The tasks of a session and the session's own end: pure, event in, answer out.
  struct SessionRegistry<Task: AnyObject> {
    enum Validity: Equatable {
      case valid
      /// No new task; the ones there go on.
      case finishing
      /// Told to the delegate.
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

    /// False when the session takes no tasks any more.
    mutating func add(_ task: Task, identifier: Int) -> Bool {
      guard validity == .valid else { return false }
      tasks[identifier] = task
      return true
    }

    /// True when this was the last thing an invalidated session waited for.
    mutating func remove(_ identifier: Int) -> Bool {
      tasks[identifier] = nil
      return becomesInvalid()
    }

    /// True when the session is invalid at once.
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
