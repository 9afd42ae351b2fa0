/// Generates random programs without unreachable statements.
struct ProgramGenerator {
  private struct Context {
    var canThrow = false
    var canReturn = true
    var canSet = true
    var hasHelper = false
    var isOptional = false
    /// The targets of `break` and `continue` without a label, and all labels that can be used.
    var plainBreak: Int?
    var plainContinue: Int?
    var loops: [Int] = []
    var blocks: [Int] = []
    var depth = 0
  }

  private var random: SplitMix
  private var identifiers = 0
  private var budget = 0

  init(seed: UInt64) {
    random = SplitMix(state: seed)
  }

  mutating func program() -> Program {
    var program = Program()
    budget = 4 + random.below(14)
    program.isOptional = random.chance(20)
    program.canThrow = random.chance(30)
    var context = Context()
    context.isOptional = program.isOptional
    if random.chance(20) {
      var nested = context
      nested.canSet = false
      program.helper = calling(body(nested).statements)
      program.helperEnd = identifier()
      context.hasHelper = true
    }
    context.canThrow = program.canThrow
    program.body = body(context).statements
    if random.chance(30) { program.body = [.later(deferred(context))] + program.body }
    program.end = identifier()
    return program
  }

  private mutating func identifier() -> Int {
    identifiers += 1
    return identifiers
  }

  private typealias Body = (statements: [Program.Statement], completes: Bool)

  private mutating func body(_ context: Context) -> Body {
    var context = context
    context.depth += 1
    var statements: [Program.Statement] = []
    let count = random.below(4)
    for _ in 0..<count where budget > 0 {
      let (statement, completes) = statement(context)
      statements.append(statement)
      if !completes { return (statements, false) }
    }
    return (statements, true)
  }

  /// Makes sure that the handler is mentioned, because code that does not mention it is not followed.
  private mutating func calling(_ statements: [Program.Statement]) -> [Program.Statement] {
    [.branch(.opaque, [.call(identifier())], otherwise: nil)] + statements
  }

  private mutating func exit(_ context: Context) -> Program.Statement {
    switch random.below(6) {
    case 0 where context.plainBreak != nil: .breakOut(context.plainBreak ?? 0, isLabelled: false)
    case 1 where context.plainContinue != nil: .continueLoop(context.plainContinue ?? 0, isLabelled: false)
    case 2 where !context.loops.isEmpty:
      random.chance(50)
        ? .continueLoop(context.loops[random.below(context.loops.count)], isLabelled: true)
        : .breakOut(context.loops[random.below(context.loops.count)], isLabelled: true)
    case 3 where !context.blocks.isEmpty:
      .breakOut(context.blocks[random.below(context.blocks.count)], isLabelled: true)
    case 4 where context.canThrow: .raise(identifier())
    case 5 where random.chance(30): .stop
    default: context.canReturn ? .leave(identifier()) : .stop
    }
  }

  private mutating func statement(_ context: Context) -> (Program.Statement, Bool) {
    budget -= 1
    if context.depth > 5 { return (.call(identifier()), true) }
    switch random.below(30) {
    case 0...6: return (.call(identifier()), true)
    case 7: return (.work, true)
    case 8: return (exit(context), false)
    case 9, 10, 11:
      let condition = condition(context)
      let then = body(context)
      guard random.chance(50) else { return (.branch(condition, then.statements, otherwise: nil), true) }
      let otherwise = body(context)
      return (
        .branch(condition, then.statements, otherwise: otherwise.statements),
        then.completes || otherwise.completes
      )
    case 12, 13:
      let condition = condition(context)
      var otherwise = body(context)
      if otherwise.completes { otherwise.statements.append(exit(context)) }
      return (.check(condition, otherwise.statements), true)
    case 14: return choose(context)
    case 15, 16, 17: return loop(context)
    case 18:
      var nested = context
      let label = identifier()
      nested.blocks.append(label)
      return (.block(label, body(nested).statements), true)
    case 19, 20: return guarded(context)
    case 21: return (.later(deferred(context)), true)
    case 22, 23: return closure(context)
    case 24 where context.canSet: return (.set(random.below(Program.flagCount), random.chance(70)), true)
    case 25 where context.hasHelper: return (.helper, true)
    case 26 where context.canThrow: return (.attempt(identifier()), true)
    case 26: return (.ignoredAttempt, true)
    case 27:
      let bodies = (0...random.below(2)).map { _ in body(context) }
      let hasElse = bodies.count > 1 && random.chance(50)
      return (
        .conditional(bodies.map(\.statements), hasElse: hasElse),
        bodies.count == 1 || bodies.contains(where: \.completes)
      )
    case 28:
      var calm = context
      calm.canThrow = false
      return (.ternary(condition(calm), identifier()), true)
    case 29 where context.isOptional:
      let then = body(context)
      let otherwise = random.chance(50) ? body(context) : nil
      return (
        .ifHandler(then.statements, otherwise: otherwise?.statements),
        otherwise.map { $0.completes || then.completes } ?? true
      )
    default: return (.call(identifier()), true)
    }
  }

  private mutating func choose(_ context: Context) -> (Program.Statement, Bool) {
    let label = identifier()
    var nested = context
    nested.plainBreak = label
    var cases: [Program.Case] = []
    for index in 0...(1 + random.below(2)) {
      let body = body(nested)
      var one = Program.Case(condition: nil, body: body.statements)
      if index == 0, random.chance(20) { one.condition = .opaque }
      one.fallsThrough = body.completes && random.chance(15)
      cases.append(one)
    }
    if let last = cases.indices.last { cases[last].fallsThrough = false }
    return (.block(label, [.choose(cases)]), true)
  }

  private mutating func loop(_ context: Context) -> (Program.Statement, Bool) {
    var nested = context
    let label = identifier()
    nested.plainBreak = label
    nested.plainContinue = label
    nested.loops.append(label)
    switch random.below(3) {
    case 0:
      let condition: Program.Condition = random.chance(15) ? .always : condition(context)
      return (.whileLoop(label, condition, body(nested).statements), true)
    case 1:
      let body = body(nested)
      return (.repeatLoop(label, body.statements, .opaque), true)
    default:
      return (.forLoop(label, random.chance(20) ? .opaque : nil, body(nested).statements), true)
    }
  }

  private mutating func guarded(_ context: Context) -> (Program.Statement, Bool) {
    var nested = context
    nested.canThrow = true
    let isExhaustive = !context.canThrow || random.chance(60)
    var tried = body(nested)
    // Statements after this one would be unreachable.
    let last = tried.completes ? tried.statements.count + 1 : max(1, tried.statements.count)
    tried.statements.insert(.attempt(identifier()), at: random.below(last))
    let catches = (0...random.below(2)).map { _ in body(context) }
    return (
      .guarded(
        identifier(), tried.statements, catches: catches.map(\.statements), isExhaustive: isExhaustive),
      tried.completes || catches.contains(where: \.completes)
    )
  }

  private mutating func deferred(_ context: Context) -> [Program.Statement] {
    var nested = Context()
    nested.canReturn = false
    nested.isOptional = context.isOptional
    nested.canSet = context.canSet
    nested.depth = max(context.depth, 3)
    return body(nested).statements
  }

  private mutating func closure(_ context: Context) -> (Program.Statement, Bool) {
    var nested = Context()
    nested.isOptional = context.isOptional
    nested.hasHelper = context.hasHelper
    nested.canSet = context.canSet
    nested.depth = context.depth
    let kind: Program.Closure
    switch random.below(4) {
    case 0: kind = .async
    case 1: kind = .task
    case 2 where context.canThrow: kind = .tryLocked
    default: kind = .locked
    }
    nested.canThrow = kind == .task || kind == .tryLocked
    var body = body(nested)
    body.statements = calling(body.statements)
    return (.closure(kind, end: identifier(), body.statements), true)
  }

  private mutating func condition(_ context: Context, depth: Int = 0) -> Program.Condition {
    switch random.below(12) {
    case 0 where depth == 0 && context.canThrow: return .throwing(identifier())
    case 1, 2: return .stable(random.below(Program.stableCount))
    case 3, 4: return .flag(random.below(Program.flagCount))
    case 5 where depth < 2: return .not(condition(context, depth: depth + 1))
    case 6 where depth < 2:
      return .and(condition(context, depth: depth + 1), condition(context, depth: depth + 1))
    case 7 where depth < 2:
      return .or(condition(context, depth: depth + 1), condition(context, depth: depth + 1))
    default: return .opaque
    }
  }
}
