/// Runs a program along all of its paths, up to a maximum number.
struct Interpreter {
  enum Flow: Equatable {
    case normal, leave
    case jump(Int)
    case continueLoop(Int)
    case raise
    /// The program has ended or reached the maximum length.
    case stop
  }

  /// The target of an error.
  enum Catcher {
    case here, task, outside
  }

  /// The combined results of all paths.
  struct Outcome {
    var silent: Set<Int> = []
    var repeated: Set<Int> = []
    var paths = 0
    /// Whether all paths ran to their end.
    var isComplete = true
  }

  private let program: Program
  private let rounds: Int
  private(set) var outcome = Outcome()
  /// The decisions of the current path. Those from `position` on are left from the previous path.
  private var decisions: [Int] = []
  private var position = 0

  private var calls = 0
  private var explainingExit: Int?
  private var stable: [Bool?] = []
  private var flags: [Bool] = []
  private var handler: Bool?
  private var steps = 0
  private var catcher = Catcher.outside

  init(_ program: Program, rounds: Int, maximumPaths: Int) {
    self.program = program
    self.rounds = rounds
    repeat {
      runOnce()
      outcome.paths += 1
      if outcome.paths >= maximumPaths {
        outcome.isComplete = false
        return
      }
    } while advance()
  }

  /// Moves to the next sequence of decisions by changing the last one that can change. Returns false if there is none.
  private mutating func advance() -> Bool {
    decisions.removeLast(decisions.count - position)
    while let last = decisions.popLast() {
      if last == 0 {
        decisions.append(1)
        return true
      }
    }
    return false
  }

  private mutating func decide() -> Bool {
    if position == decisions.count { decisions.append(0) }
    position += 1
    return decisions[position - 1] == 1
  }

  private mutating func runOnce() {
    position = 0
    calls = 0
    explainingExit = nil
    stable = Array(repeating: nil, count: Program.stableCount)
    flags = Array(repeating: false, count: Program.flagCount)
    handler = program.isOptional ? nil : true
    steps = 0
    catcher = .outside
    let flow = run(program.body, end: program.end)
    guard flow == .normal || flow == .leave, calls == 0, handler != false else { return }
    if let explainingExit { outcome.silent.insert(explainingExit) }
  }

  // MARK: - Leaving

  /// The first exit without a call is the cause if no call follows.
  private mutating func recordExit(_ id: Int) {
    if calls == 0, explainingExit == nil { explainingExit = id }
  }

  /// Runs the statements of a function or closure.
  private mutating func run(_ body: [Program.Statement], end: Int) -> Flow {
    let flow = runBlock(body)
    if flow == .normal { recordExit(end) }
    return flow
  }

  private mutating func raised(_ id: Int) {
    if catcher == .task { recordExit(id) }
  }

  private mutating func runNested(_ body: [Program.Statement], end: Int, catcher: Catcher) -> Flow {
    let outer = self.catcher
    self.catcher = catcher
    let flow = run(body, end: end)
    self.catcher = outer
    return flow == .leave ? .normal : flow
  }

  // MARK: - Statements

  private mutating func runBlock(_ body: [Program.Statement]) -> Flow {
    var deferred: [[Program.Statement]] = []
    var flow = Flow.normal
    for statement in body {
      if case .later(let later) = statement {
        deferred.append(later)
        continue
      }
      flow = run(statement)
      if flow != .normal { break }
    }
    if flow == .stop { return .stop }
    for later in deferred.reversed() {
      let outer = catcher
      catcher = .outside
      if runBlock(later) == .stop { return .stop }
      catcher = outer
    }
    return flow
  }

  private mutating func run(_ statement: Program.Statement) -> Flow {
    steps += 1
    if steps > 400 {
      outcome.isComplete = false
      return .stop
    }
    switch statement {
    case .call(let id): call(id)
    case .work, .ignoredAttempt, .later: break
    case .leave(let id):
      recordExit(id)
      return .leave
    case .raise(let id):
      raised(id)
      return .raise
    case .attempt(let id):
      if decide() {
        raised(id)
        return .raise
      }
    case .stop: return .stop
    case .branch(let condition, let then, let otherwise):
      guard let isTrue = test(condition) else { return .raise }
      return isTrue ? runBlock(then) : otherwise.map { runBlock($0) } ?? .normal
    case .check(let condition, let otherwise):
      guard let isTrue = test(condition) else { return .raise }
      if !isTrue { return runBlock(otherwise) }
    case .choose(let cases): return choose(cases)
    case .whileLoop(let id, let condition, let body): return loop(id, body, before: condition, after: nil)
    case .repeatLoop(let id, let body, let condition): return loop(id, body, before: nil, after: condition)
    case .forLoop(let id, let condition, let body): return each(id, body, condition)
    case .block(let id, let body):
      let flow = runBlock(body)
      return flow == .jump(id) ? .normal : flow
    case .guarded(let end, let body, let catches, let isExhaustive):
      return guarded(end, body, catches, isExhaustive)
    case .breakOut(let id, _): return .jump(id)
    case .continueLoop(let id, _): return .continueLoop(id)
    case .closure(let kind, let end, let body): return closure(kind, end, body)
    case .set(let flag, let value): flags[flag] = value
    case .helper:
      if let helper = program.helper { return runNested(helper, end: program.helperEnd, catcher: .outside) }
    case .conditional(let bodies, let hasElse): return conditional(bodies, hasElse)
    case .ternary(let condition, let id):
      if test(condition) == true { call(id) }
    case .ifHandler(let then, let otherwise):
      let isPresent = handler ?? decide()
      handler = isPresent
      return isPresent ? runBlock(then) : otherwise.map { runBlock($0) } ?? .normal
    }
    return .normal
  }

  private mutating func call(_ id: Int) {
    if handler == false { return }
    handler = true
    if calls > 0 { outcome.repeated.insert(id) }
    calls += 1
  }

  private mutating func choose(_ cases: [Program.Case]) -> Flow {
    var index = 0
    while index < cases.count - 1 {
      if decide() {
        guard let condition = cases[index].condition else { break }
        if test(condition) == true { break }
      }
      index += 1
    }
    var flow = runBlock(cases[index].body)
    while flow == .normal, cases[index].fallsThrough, index + 1 < cases.count {
      index += 1
      flow = runBlock(cases[index].body)
    }
    return flow
  }

  private mutating func loop(
    _ id: Int, _ body: [Program.Statement], before: Program.Condition?, after: Program.Condition?
  ) -> Flow {
    for round in 0... {
      if round == rounds { return .stop }
      if let before {
        guard let isTrue = test(before) else { return .raise }
        if !isTrue { return .normal }
      }
      let flow = runBlock(body)
      switch flow {
      case .jump(id): return .normal
      case .normal, .continueLoop(id): break
      default: return flow
      }
      if let after {
        guard let isTrue = test(after) else { return .raise }
        if !isTrue { return .normal }
      }
    }
    return .normal
  }

  private mutating func each(_ id: Int, _ body: [Program.Statement], _ condition: Program.Condition?) -> Flow
  {
    for round in 0... {
      if !decide() { return .normal }
      if round == rounds { return .stop }
      if let condition, test(condition) != true { continue }
      let flow = runBlock(body)
      switch flow {
      case .jump(id): return .normal
      case .normal, .continueLoop(id): break
      default: return flow
      }
    }
    return .normal
  }

  private mutating func guarded(
    _ end: Int, _ body: [Program.Statement], _ catches: [[Program.Statement]], _ isExhaustive: Bool
  ) -> Flow {
    let outer = catcher
    catcher = .here
    let flow = runBlock(body)
    catcher = outer
    guard flow == .raise else { return flow }
    for (index, clause) in catches.enumerated() {
      if (index == catches.count - 1 && isExhaustive) || decide() { return runBlock(clause) }
    }
    raised(end)
    return .raise
  }

  private mutating func closure(_ kind: Program.Closure, _ end: Int, _ body: [Program.Statement]) -> Flow {
    switch kind {
    case .async, .locked: return runNested(body, end: end, catcher: .outside)
    case .tryLocked: return runNested(body, end: end, catcher: catcher)
    case .task:
      let flow = runNested(body, end: end, catcher: .task)
      return flow == .raise ? .normal : flow
    }
  }

  private mutating func conditional(_ bodies: [[Program.Statement]], _ hasElse: Bool) -> Flow {
    // With `#elseif`, one of the clauses is compiled, also without `#else`.
    let isComplete = hasElse || bodies.count > 1
    for (index, body) in bodies.enumerated() {
      if (isComplete && index == bodies.count - 1) || decide() { return runBlock(body) }
    }
    return .normal
  }

  // MARK: - Conditions

  /// Returns the value of a condition, or nil if it throws an error.
  private mutating func test(_ condition: Program.Condition) -> Bool? {
    switch condition {
    case .opaque: return decide()
    case .throwing(let id):
      if decide() {
        raised(id)
        return nil
      }
      return decide()
    case .stable(let index):
      let value = stable[index] ?? decide()
      stable[index] = value
      return value
    case .flag(let index): return flags[index]
    case .always: return true
    case .not(let negated): return test(negated).map { !$0 }
    case .and(let left, let right):
      guard let isTrue = test(left) else { return nil }
      return isTrue ? test(right) : false
    case .or(let left, let right):
      guard let isTrue = test(left) else { return nil }
      return isTrue ? true : test(right)
    }
  }
}
