/// The steps after a condition, if it is true and if it is false.
typealias Tails = (yes: Int?, no: Int?)

/// A control flow graph under construction.
///
/// New steps follow the current one. Code that no path reaches has no current step, and adds no steps. If the graph
/// becomes too large, or `stop` is called, the graph stays as it is.
struct GraphAssembler {
  /// The maximum number of steps of a function. Functions with more are declined.
  static let maximumSteps = 30_000
  static let maximumVariables = 24

  private var steps: [Graph.Step] = []
  private var calls: [CallSite] = []
  private var ignoredStores: [Int] = []
  private var entry = 0
  private var obstacle: String?
  var variables: [Graph.Variable]
  /// The step before the next one, or nil in unreachable code.
  var current: Int?

  /// Creates a graph whose first variable stands for the handler.
  init(handler: Graph.Variable) {
    variables = [handler]
  }

  /// The graph as it is now.
  var assembled: Graph {
    Graph(
      steps: steps, calls: calls, variables: variables, entry: entry, ignoredStores: ignoredStores,
      obstacle: obstacle)
  }

  var isBlocked: Bool { obstacle != nil }

  /// Stops building the graph. The first obstacle is the one that is reported.
  mutating func stop(_ obstacle: String) {
    if self.obstacle == nil { self.obstacle = obstacle }
    current = nil
  }

  // MARK: - Steps

  /// Adds the step at which the graph starts, and continues after it.
  mutating func enter(at offset: Int) {
    entry = step(.pass, at: offset)
    current = entry
  }

  /// Adds a step that no other step leads to yet.
  mutating func step(_ event: Graph.Event, at offset: Int) -> Int {
    if steps.count >= Self.maximumSteps { stop("its control flow is too large to follow") }
    steps.append(Graph.Step(event: event, offset: offset))
    return steps.count - 1
  }

  /// Adds a step after the current one.
  mutating func emit(_ event: Graph.Event, at offset: Int) {
    guard let from = current, !isBlocked else { return }
    let to = step(event, at: offset)
    steps[from].next.append(to)
    current = isBlocked ? nil : to
  }

  /// Adds a call of the handler after the current step.
  mutating func emit(call site: CallSite) {
    calls.append(site)
    emit(.call(calls.count - 1), at: site.offset)
  }

  /// Adds a store that is to be ignored after the current step.
  mutating func emitIgnoredStore(at offset: Int) {
    emit(.pass, at: offset)
    if let current { ignoredStores.append(current) }
  }

  // MARK: - Paths

  /// Ends the current path at an existing step.
  mutating func go(to step: Int) {
    guard let from = current else { return }
    steps[from].next.append(step)
    current = nil
  }

  /// Continues at a step that other steps lead to.
  mutating func resume(at step: Int) {
    current = isBlocked ? nil : step
  }

  /// Continues where several paths meet.
  mutating func join(_ tails: [Int?], at offset: Int) {
    let tails = tails.compactMap { $0 }
    guard tails.count > 1 else {
      current = tails.first
      return
    }
    let meeting = step(.pass, at: offset)
    for tail in tails { steps[tail].next.append(meeting) }
    resume(at: meeting)
  }

  /// Splits the path on whether a variable is true or not nil. The caller selects how to continue.
  mutating func fork(on variable: Int, at offset: Int) -> Tails {
    guard let fork = current else { return (nil, nil) }
    emit(.assume(variable: variable, .yes), at: offset)
    let yes = current
    current = fork
    emit(.assume(variable: variable, .no), at: offset)
    return (yes, current)
  }

  /// Splits the path on whether the property stores a continuation now.
  mutating func forkOnPlace(at offset: Int) -> Tails {
    guard let fork = current else { return (nil, nil) }
    emit(.holds(.yes), at: offset)
    let yes = current
    current = fork
    emit(.holds(.no), at: offset)
    return (yes, current)
  }

  // MARK: - Variables

  /// Adds a variable, and returns its index. Nil if there are too many.
  mutating func addVariable(_ variable: Graph.Variable) -> Int? {
    guard variables.count < Self.maximumVariables else { return nil }
    variables.append(variable)
    return variables.count - 1
  }

  /// Adds an assignment to a variable after the current step.
  mutating func assign(_ variable: Int, _ truth: Truth, at offset: Int) {
    variables[variable].assignments.insert(offset)
    emit(.assign(variable: variable, truth), at: offset)
  }
}
