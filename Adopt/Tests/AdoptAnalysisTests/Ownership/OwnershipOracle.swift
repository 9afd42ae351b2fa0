/// Runs every path of a program with a continuation in its property, and notes what goes wrong.
struct OwnershipOracle {
  struct Outcome: Equatable {
    var silent: Set<Int> = []
    var dropped: Set<Int> = []
    var repeated: Set<Int> = []
    /// The first calls on paths at whose end the property still stores the continuation.
    var kept: Set<Int> = []
  }

  private enum Flow { case next, leaves, stops }

  private let program: OwnershipProgram
  private(set) var outcome = Outcome()
  private(set) var paths = 0
  /// Whether all paths were run.
  private(set) var isComplete = true

  private var tape: [Int] = []
  private var position = 0
  // The state of one path.
  private var isHeld = true
  private var firstCall: Int?
  private var isAliased = false
  /// Whether the code has tested that the property stores the continuation.
  private var isTested = false
  private let rounds: Int

  init(_ program: OwnershipProgram, rounds: Int, maximumPaths: Int) {
    self.program = program
    self.rounds = rounds
    repeat {
      run()
      paths += 1
      if paths >= maximumPaths {
        isComplete = false
        return
      }
    } while advance()
  }

  /// Selects the next path: the last choice that can still change does.
  private mutating func advance() -> Bool {
    while let last = tape.popLast() {
      if last == 0 {
        tape.append(1)
        return true
      }
    }
    return false
  }

  private mutating func choose() -> Bool {
    if position == tape.count { tape.append(0) }
    defer { position += 1 }
    return tape[position] == 0
  }

  private mutating func run() {
    (position, isHeld, firstCall, isAliased) = (0, true, nil, false)
    isTested = !program.form.needsTest
    var line = program.end
    switch execute(program.entry, &line) {
    case .stops: return
    case .next: line = program.end
    case .leaves: break
    }
    if firstCall == nil, !isHeld, isAliased { outcome.silent.insert(line) }
    if let firstCall, isHeld, !program.clears { outcome.kept.insert(firstCall) }
  }

  private mutating func call(_ line: Int) {
    if firstCall != nil { outcome.repeated.insert(line) }
    firstCall = firstCall ?? line
  }

  private mutating func execute(_ lines: [OwnershipProgram.Line], _ left: inout Int) -> Flow {
    for line in lines {
      let flow = execute(line, &left)
      if flow != .next { return flow }
    }
    return .next
  }

  private mutating func execute(_ line: OwnershipProgram.Line, _ left: inout Int) -> Flow {
    switch line.statement {
    case .resumeProperty:
      guard isHeld else { break }
      if program.form == .state || program.form == .collection { isAliased = true }
      call(line.number)
    case .resumeAlias: call(line.number)
    case .alias: isAliased = true
    case .clear:
      if isHeld, firstCall == nil, !isAliased, isTested {
        outcome.dropped.insert(line.number)
        return .stops
      }
      isHeld = false
    case .passOn: return .stops
    case .branch(let yes, let no): return execute(choose() ? yes : no, &left)
    case .exit(let lines): if choose() { return execute(lines, &left) }
    case .bind(_, let yes, let no):
      guard isHeld else { return execute(no, &left) }
      isAliased = true
      return execute(yes, &left)
    case .test(let yes, let no):
      guard isHeld else { return execute(no, &left) }
      isTested = true
      return execute(yes, &left)
    case .loop(let lines):
      for _ in 0..<rounds where choose() {
        let flow = execute(lines, &left)
        if flow != .next { return flow }
      }
    case .helper:
      var inner = 0
      if execute(program.helper, &inner) == .stops { return .stops }
    case .leave:
      left = line.number
      return .leaves
    }
    return .next
  }
}
