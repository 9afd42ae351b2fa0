/// All combinations of facts that can be true at each step of a graph, and the paths that lead to them.
///
/// A state stores whether the handler was called, whether a previous exit already explains a missing call, and what
/// tests have shown. The search is breadth-first, so the path of a finding is a shortest one.
struct Exploration {
  /// The maximum number of pairs of a step and a state. Functions with more are declined.
  static let maximumVisits = 60_000
  /// The maximum number of names whose tests are remembered.
  static let maximumFacts = 6

  struct Visit {
    let step: Int
    let state: State
    /// The index of the previous visit, or -1 for the first.
    let parent: Int
  }

  struct State: Hashable {
    var bits: UInt32 = 0

    var isCalled: Bool {
      get { bits & 1 != 0 }
      set { bits = newValue ? bits | 1 : bits & ~1 }
    }

    var hasExplainingExit: Bool {
      get { bits & 2 != 0 }
      set { bits = newValue ? bits | 2 : bits & ~2 }
    }

    /// Whether only one of several callers calls the handler.
    var isLatched: Bool {
      get { bits & 1 << 24 != 0 }
      set { bits = newValue ? bits | 1 << 24 : bits & ~(1 << 24) }
    }

    /// Whether the property no longer stores the continuation that it stored when the function began.
    var isCleared: Bool {
      get { bits & 1 << 25 != 0 }
      set { bits = newValue ? bits | 1 << 25 : bits & ~(1 << 25) }
    }

    /// Whether a local name stands for the stored continuation.
    var isAliased: Bool {
      get { bits & 1 << 26 != 0 }
      set { bits = newValue ? bits | 1 << 26 : bits & ~(1 << 26) }
    }

    /// Whether a property stores the continuation as well.
    var isKept: Bool {
      get { bits & 1 << 27 != 0 }
      set { bits = newValue ? bits | 1 << 27 : bits & ~(1 << 27) }
    }

    /// The truth of a fact. Fact 0 is the handler itself.
    subscript(fact: Int) -> Truth {
      get {
        Truth(rawValue: UInt8(truncatingIfNeeded: (bits >> (2 + 2 * UInt32(fact))) & 3)) ?? .unknown
      }
      set {
        let shift = 2 + 2 * UInt32(fact)
        bits = bits & ~(3 << shift) | UInt32(newValue.rawValue) << shift
      }
    }
  }

  let graph: Graph
  let isStored: Bool
  /// The index of the fact for each variable, or nil if its tests are not remembered.
  private var facts: [Int?]
  private(set) var visits: [Visit] = []
  private(set) var isComplete = true
  /// The visits of the function's end without a call.
  private var endsWithoutCall: [Int] = []
  /// The first visit of each step that calls the handler again.
  private(set) var secondCalls: [Int: Int] = [:]
  /// The first visit of each step that passes the handler on after a call.
  private(set) var passedOnAfterCall: [Int: Int] = [:]
  /// The first visit of the function's end with an error after a call, if such an error counts as a call.
  private(set) var thrownAfterCall: Int?
  /// The first visit of each step that calls the handler with neither a value nor an error.
  private(set) var emptyCalls: [Int: (visit: Int, origin: String?)] = [:]
  /// The first visit of each step that drops a stored continuation.
  private(set) var drops: [Int: Int] = [:]
  /// The visits of the function's end at which a property still stores a continuation that was resumed.
  private(set) var keptEnds: [Int] = []
  private var edges: [(from: Int32, to: Int32)] = []

  /// Whether there is anything to report.
  var hasFindings: Bool {
    hasEndsWithoutCall || !drops.isEmpty || !keptEnds.isEmpty || !secondCalls.isEmpty
      || !passedOnAfterCall.isEmpty || thrownAfterCall != nil || !emptyCalls.isEmpty
  }

  /// Whether there is a path to an end without a call.
  var hasEndsWithoutCall: Bool { !endsWithoutCall.isEmpty }

  /// - Parameter start: The step to start from (default: the first).
  init(_ graph: Graph, isStored: Bool, from start: Int? = nil) {
    self.graph = graph
    self.isStored = isStored
    facts = Self.facts(of: graph)
    explore(from: start ?? graph.entry)
  }

  /// Selects the facts: the handler, and the names that are used most often, if more than once.
  private static func facts(of graph: Graph) -> [Int?] {
    var facts: [Int?] = Array(repeating: nil, count: graph.variables.count)
    let candidates = graph.variables.indices.dropFirst().filter {
      let variable = graph.variables[$0]
      guard variable.isKnown, variable.uses > 0 else { return false }
      return variable.uses > 1 || variable.startsKnown || !variable.assignments.isEmpty
    }
    let chosen = candidates.sorted { (-graph.variables[$0].uses, $0) < (-graph.variables[$1].uses, $1) }
      .prefix(maximumFacts)
    facts[Graph.handler] = 0
    for (position, variable) in chosen.enumerated() { facts[variable] = position + 1 }
    return facts
  }

  // MARK: - Forwards

  private mutating func explore(from start: Int) {
    struct Key: Hashable {
      let step: Int
      let state: State
    }
    var seen: [Key: Int] = [:]
    var next = 0
    visits.append(Visit(step: start, state: State(), parent: -1))
    seen[Key(step: start, state: State())] = 0
    while next < visits.count {
      let visit = visits[next]
      if let state = enter(visit, index: next) {
        for step in graph.steps[visit.step].next {
          let key = Key(step: step, state: state)
          if let known = seen[key] {
            edges.append((Int32(next), Int32(known)))
          } else {
            guard visits.count < Self.maximumVisits else {
              isComplete = false
              return
            }
            seen[key] = visits.count
            edges.append((Int32(next), Int32(visits.count)))
            visits.append(Visit(step: step, state: state, parent: next))
          }
        }
      }
      next += 1
    }
  }

  /// Returns the state after a step, or nil if the path ends there.
  private mutating func enter(_ visit: Visit, index: Int) -> State? {
    var state = visit.state
    switch graph.steps[visit.step].event {
    case .pass, .note: break
    case .call(let call):
      if state[Graph.handler] == .no { break }
      if graph.calls[call].isThroughProperty, state.isCleared { break }
      if state.isCalled, state.isLatched { return nil }
      checkArguments(of: graph.calls[call], at: visit.step, state: state, visit: index)
      if state.isCalled, secondCalls[visit.step] == nil { secondCalls[visit.step] = index }
      state.isCalled = true
      state[Graph.handler] = .yes
    case .leavesVisibleCode: return nil
    case .ignoreIfCalled: if state.isCalled { return nil }
    case .passOn:
      if state.isCalled, passedOnAfterCall[visit.step] == nil { passedOnAfterCall[visit.step] = index }
      return nil
    case .assume(let variable, let truth):
      guard let fact = facts[variable] else { break }
      let known = state[fact]
      if known == .unknown { state[fact] = truth } else if known != truth { return nil }
    case .suppose(let variable, let truth):
      guard let fact = facts[variable], state[fact] == .unknown || state[fact] == truth else { return nil }
      state[fact] = truth
    case .assign(let variable, let truth):
      if let fact = facts[variable] { state[fact] = truth }
    case .leave:
      // The visit stores the state before, which shows whether an earlier exit was already the cause.
      if !state.isCalled { state.hasExplainingExit = true }
    case .exit:
      recordEnd(state, index)
      return nil
    case .throwOut:
      if state.isCalled, thrownAfterCall == nil { thrownAfterCall = index }
      return nil
    case .replace, .latch, .holds, .alias, .clear, .leaveState, .take, .store:
      return enterOwnership(visit, state, index: index)
    }
    return state
  }

  /// Records what is wrong at the end of a path.
  private mutating func recordEnd(_ state: State, _ index: Int) {
    if isStored {
      if state.isCleared, state.isAliased, !state.isCalled, state[Graph.handler] != .no {
        endsWithoutCall.append(index)
      } else if state.isCalled, !state.isCleared {
        keptEnds.append(index)
      }
    } else if state.isCalled, state.isKept {
      keptEnds.append(index)
    } else if !state.isCalled, state[Graph.handler] != .no, !state.isLatched, !state.isKept {
      endsWithoutCall.append(index)
    }
  }

  /// Returns the state after a step that moves a continuation, or nil if the path ends there.
  private mutating func enterOwnership(_ visit: Visit, _ state: State, index: Int) -> State? {
    var state = state
    switch graph.steps[visit.step].event {
    case .replace(let truth):
      // A local name still stands for the earlier continuation, which is not followed any more.
      if state.isAliased, !state.isCalled { return nil }
      state.isCalled = false
      state.isCleared = false
      state.isAliased = false
      state[Graph.handler] = truth
    case .latch: state.isLatched = true
    case .holds(let truth):
      if state.isCleared { return truth == .yes ? nil : state }
      let known = state[Graph.handler]
      if known == .unknown { state[Graph.handler] = truth } else if known != truth { return nil }
    case .alias: state.isAliased = true
    case .clear:
      if !isStored {
        state.isKept = false
      } else if !state.isCleared {
        if !state.isCalled, !state.isAliased, state[Graph.handler] != .no {
          if drops[visit.step] == nil { drops[visit.step] = index }
          return nil
        }
        state.isCleared = true
      }
    case .leaveState:
      guard !state.isCleared else { break }
      // Without a test, the code may know that no continuation is waiting.
      if !state.isCalled, !state.isAliased, state[Graph.handler] == .yes {
        if drops[visit.step] == nil { drops[visit.step] = index }
        return nil
      }
      state.isCleared = true
    case .take:
      state.isCalled = false
      state[Graph.handler] = .unknown
      state.isCleared = true
      state.isAliased = true
    case .store:
      if state.isCalled {
        if passedOnAfterCall[visit.step] == nil { passedOnAfterCall[visit.step] = index }
        return nil
      }
      state.isKept = true
    default: break
    }
    return state
  }

  private mutating func checkArguments(of call: CallSite, at step: Int, state: State, visit: Int) {
    guard !call.arguments.isEmpty, emptyCalls[step] == nil else { return }
    var origins: [String] = []
    for argument in call.arguments {
      switch argument {
      case .none: break
      case .maybe(let origin): origins.append(origin)
      case .variable(let variable):
        let known = facts[variable].map { state[$0] } ?? .unknown
        if known == .no { continue }
        let declaration = graph.variables[variable]
        guard known == .unknown, declaration.isOptional, declaration.isKnown,
          facts[variable] != nil || declaration.uses == 1
        else { return }
        origins.append(declaration.origin)
      case .other: return
      }
    }
    guard origins.count <= 1 else { return }
    emptyCalls[step] = (visit, origins.first)
  }

  // MARK: - Backwards

  /// Returns the exits that lead to an end without a call: the first visit of each, in order.
  func exitsWithoutCall() -> [Int] {
    guard !endsWithoutCall.isEmpty else { return [] }
    let reaching = visitsReachingEndsWithoutCall()
    var found: [Int] = []
    var steps: Set<Int> = []
    for (index, visit) in visits.enumerated() where reaching[index] {
      guard case .leave = graph.steps[visit.step].event, !visit.state.isCalled,
        !visit.state.hasExplainingExit, visit.state[Graph.handler] != .no, steps.insert(visit.step).inserted
      else { continue }
      found.append(index)
    }
    return found
  }

  private func visitsReachingEndsWithoutCall() -> [Bool] {
    var starts = Array(repeating: Int32(0), count: visits.count + 1)
    for edge in edges { starts[Int(edge.to) + 1] += 1 }
    for index in 1..<starts.count { starts[index] += starts[index - 1] }
    var sources = Array(repeating: Int32(0), count: edges.count)
    var cursors = starts
    for edge in edges {
      sources[Int(cursors[Int(edge.to)])] = edge.from
      cursors[Int(edge.to)] += 1
    }
    var reaching = Array(repeating: false, count: visits.count)
    var pending = endsWithoutCall
    for end in endsWithoutCall { reaching[end] = true }
    while let visit = pending.popLast() {
      for index in Int(starts[visit])..<Int(starts[visit + 1]) {
        let source = Int(sources[index])
        if !reaching[source] {
          reaching[source] = true
          pending.append(source)
        }
      }
    }
    return reaching
  }
}
