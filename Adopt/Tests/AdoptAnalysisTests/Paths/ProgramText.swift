/// A program as Swift text, and the line of each of its numbers.
struct ProgramText {
  private(set) var lines: [String] = []
  private(set) var lineOf: [Int: Int] = [:]
  private let program: Program
  private var depth = 1

  var text: String { lines.joined(separator: "\n") + "\n" }

  init(_ program: Program) {
    self.program = program
    let type = program.isOptional ? "(() -> Void)?" : "@escaping () -> Void"
    lines.append(
      "func subject(k0: Bool, k1: Bool, completion: \(type))\(program.canThrow ? " throws" : "") {")
    for flag in 0..<Program.flagCount { line("var f\(flag) = false") }
    if let helper = program.helper {
      line("func finish() {")
      nested(helper)
      line("}", program.helperEnd)
    }
    add(program.body)
    depth = 0
    line("}", program.end)
  }

  private mutating func line(_ text: String, _ identifier: Int? = nil) {
    lines.append(String(repeating: "  ", count: depth) + text)
    if let identifier { lineOf[identifier] = lines.count }
  }

  private mutating func nested(_ statements: [Program.Statement]) {
    depth += 1
    add(statements)
    depth -= 1
  }

  private mutating func add(_ statements: [Program.Statement]) {
    for statement in statements { add(statement) }
  }

  private var call: String { program.isOptional ? "completion?()" : "completion()" }

  private mutating func add(_ statement: Program.Statement) {
    switch statement {
    case .call(let id): line(call, id)
    case .work: line("work()")
    case .leave(let id): line("return", id)
    case .raise(let id): line("throw problem", id)
    case .attempt(let id): line("try attempt()", id)
    case .ignoredAttempt: line("_ = try? attempt()")
    case .stop: line("fatalError()")
    case .branch(let condition, let then, let otherwise):
      line("if \(text(condition)) {", throwing(condition))
      addBranch(then, otherwise)
    case .check(let condition, let otherwise):
      line("guard \(text(condition)) else {", throwing(condition))
      nested(otherwise)
      line("}")
    case .choose(let cases): add(cases)
    case .whileLoop(let id, let condition, let body):
      line("l\(id): while \(text(condition)) {", throwing(condition))
      nested(body)
      line("}")
    case .repeatLoop(let id, let body, let condition):
      line("l\(id): repeat {")
      nested(body)
      line("} while \(text(condition))")
    case .forLoop(let id, let condition, let body):
      line("l\(id): for item in items\(condition.map { " where \(text($0))" } ?? "") {")
      nested(body)
      line("}")
    case .block(let id, let body):
      line("l\(id): do {")
      nested(body)
      line("}")
    case .guarded(let end, let body, let catches, let isExhaustive):
      add(end, body, catches, isExhaustive)
    case .later(let body):
      line("defer {")
      nested(body)
      line("}")
    case .breakOut(let id, let isLabelled): line(isLabelled ? "break l\(id)" : "break")
    case .continueLoop(let id, let isLabelled): line(isLabelled ? "continue l\(id)" : "continue")
    case .closure(let kind, let end, let body):
      switch kind {
      case .async: line("DispatchQueue.main.async {")
      case .task: line("Task {")
      case .locked: line("lock.withLock {")
      case .tryLocked: line("try lock.withLock {")
      }
      nested(body)
      line("}", end)
    case .set(let flag, let value): line("f\(flag) = \(value)")
    case .helper: line("finish()")
    case .conditional(let bodies, let hasElse):
      for (index, body) in bodies.enumerated() {
        line(index == 0 ? "#if A" : hasElse && index == bodies.count - 1 ? "#else" : "#elseif B\(index)")
        nested(body)
      }
      line("#endif")
    case .ternary(let condition, let id): line("\(text(condition)) ? \(call) : work()", id)
    case .ifHandler(let then, let otherwise):
      line("if let completion {")
      addBranch(then, otherwise, isBound: true)
    }
  }

  private mutating func addBranch(
    _ then: [Program.Statement], _ otherwise: [Program.Statement]?, isBound: Bool = false
  ) {
    nested(then)
    if let otherwise {
      if otherwise.count == 1, case .branch(let condition, let body, let last) = otherwise[0] {
        line("} else if \(text(condition)) {", throwing(condition))
        addBranch(body, last)
        return
      }
      line("} else {")
      nested(otherwise)
    }
    line("}")
  }

  private mutating func add(_ cases: [Program.Case]) {
    line("switch value {")
    for (index, one) in cases.enumerated() {
      if index == cases.count - 1 {
        line("default:")
      } else {
        line("case .c\(index)\(one.condition.map { " where \(text($0))" } ?? ""):")
      }
      nested(one.body)
      depth += 1
      line(one.fallsThrough ? "fallthrough" : one.body.isEmpty ? "break" : "work()")
      depth -= 1
    }
    line("}")
  }

  private mutating func add(
    _ end: Int, _ body: [Program.Statement], _ catches: [[Program.Statement]], _ isExhaustive: Bool
  ) {
    line("do {")
    nested(body)
    for (index, clause) in catches.enumerated() {
      let isLast = index == catches.count - 1
      line(isLast && isExhaustive ? "} catch {" : "} catch Problem.p\(index) {")
      nested(clause)
    }
    line("}", end)
  }

  private func throwing(_ condition: Program.Condition) -> Int? {
    if case .throwing(let id) = condition { return id }
    return nil
  }

  private func text(_ condition: Program.Condition) -> String {
    switch condition {
    case .opaque: "test()"
    case .throwing: "try test()"
    case .stable(let index): "k\(index)"
    case .flag(let index): "f\(index)"
    case .always: "true"
    case .not(let negated): "!(\(text(negated)))"
    case .and(let left, let right): "(\(text(left))) && (\(text(right)))"
    case .or(let left, let right): "\(text(left)) || \(text(right))"
    }
  }
}
