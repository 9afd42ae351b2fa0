/// A random type that stores a continuation, with a function and a function that it calls.
struct OwnershipProgram {
  indirect enum Statement {
    case resumeProperty
    case clear
    case alias(Int)
    case resumeAlias(Int)
    case passOn(Int)
    case branch([Line], [Line])
    case exit([Line])
    case bind(Int, [Line], [Line])
    case test([Line], [Line])
    case loop([Line])
    case helper
    case leave
  }

  struct Line {
    let number: Int
    let statement: Statement
  }

  let form: OwnershipForm
  private(set) var entry: [Line] = []
  private(set) var helper: [Line] = []
  private(set) var text: [String] = []
  /// The line of the brace at the end of the entry function.
  private(set) var end = 0

  private var state: UInt64
  private var aliases: [Int] = []
  private var aliasCount = 0
  private var mayBeCleared = false
  private var isHelper = false
  private var budget = 0

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    form = OwnershipForm.allCases[Int(seed % UInt64(OwnershipForm.allCases.count))]
    emit("final class Box {")
    for line in form.declarations { emit("  \(line)") }
    emit("  private func help() {")
    isHelper = true
    budget = 4
    helper = block(2, depth: 0)
    emit("  }")
    (isHelper, aliases, budget) = (false, [], 18)
    let helperClears = Self.clears(helper)
    emit("  func didUpdate() {")
    mayBeCleared = helperClears
    entry = block(2, depth: 0)
    emit("  }")
    end = text.count
    emit("}")
  }

  /// Whether a function that does not resume may clear the property for all, so that no continuation that is kept is
  /// reported.
  var clears: Bool {
    let start = text.firstIndex { $0.contains("func didUpdate") } ?? 0
    return !form.alwaysReportsKept
      && [text[..<start], text[start...]].contains { function in
        function.contains { $0.contains("= nil") } && !function.contains { $0.contains("resume(") }
      }
  }

  private static func clears(_ lines: [Line]) -> Bool {
    lines.contains { line in
      switch line.statement {
      case .clear: true
      case .branch(let yes, let no), .bind(_, let yes, let no), .test(let yes, let no):
        clears(yes) || clears(no)
      case .exit(let lines), .loop(let lines): clears(lines)
      default: false
      }
    }
  }

  // MARK: - Random statements

  private mutating func next(_ count: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state >> 33) % count
  }

  private mutating func emit(_ line: String) { text.append(line) }

  private mutating func block(_ indent: Int, depth: Int) -> [Line] {
    let outer = aliases
    defer { aliases = outer }
    var lines: [Line] = []
    for _ in 0..<(1 + next(depth == 0 ? 5 : 3)) {
      guard budget > 0 else { break }
      budget -= 1
      let line = statement(indent, depth: depth)
      lines.append(line)
      if case .leave = line.statement { break }
    }
    return lines
  }

  private mutating func statement(_ indent: Int, depth: Int) -> Line {
    let space = String(repeating: "  ", count: indent)
    let number = text.count + 1
    switch next(depth < 3 ? (form.test == nil ? 14 : 15) : 8) {
    case 0, 1:
      emit("\(space)\(form.resume)")
      return Line(number: number, statement: .resumeProperty)
    case 2:
      emit("\(space)\(form.clear)")
      mayBeCleared = true
      return Line(number: number, statement: .clear)
    case 3, 4:
      guard let alias = aliases.last else { break }
      emit("\(space)\(form.resume(alias: alias))")
      return Line(number: number, statement: .resumeAlias(alias))
    case 5:
      guard !mayBeCleared, !isHelper, let value = form.value else { break }
      aliasCount += 1
      aliases.append(aliasCount)
      emit("\(space)let c\(aliasCount) = \(value)")
      return Line(number: number, statement: .alias(aliasCount))
    case 6 where depth > 0 && next(3) == 0:
      emit("\(space)return")
      return Line(number: number, statement: .leave)
    case 7 where next(4) == 0:
      guard let alias = aliases.last else { break }
      emit("\(space)other.accept(c\(alias))")
      return Line(number: number, statement: .passOn(alias))
    case 8, 9:
      emit("\(space)if isReady() {")
      let yes = block(indent + 1, depth: depth + 1)
      emit("\(space)} else {")
      let no = block(indent + 1, depth: depth + 1)
      emit("\(space)}")
      return Line(number: number, statement: .branch(yes, no))
    case 10:
      emit("\(space)guard isReady() else {")
      var lines = block(indent + 1, depth: depth + 1)
      if case .leave? = lines.last?.statement {
      } else {
        lines.append(Line(number: text.count + 1, statement: .leave))
        emit("\(space)  return")
      }
      emit("\(space)}")
      return Line(number: number, statement: .exit(lines))
    case 11:
      guard !mayBeCleared || form.needsTest, !isHelper, let condition = form.bind(alias: aliasCount + 1)
      else {
        break
      }
      aliasCount += 1
      let alias = aliasCount
      emit("\(space)\(condition)")
      aliases.append(alias)
      let yes = bound(indent, depth)
      aliases.removeLast()
      emit("\(space)} else {")
      let no = block(indent + 1, depth: depth + 1)
      emit("\(space)}")
      return Line(number: number, statement: .bind(alias, yes, no))
    case 14:
      guard let test = form.test else { break }
      emit("\(space)\(test)")
      let yes = block(indent + 1, depth: depth + 1)
      emit("\(space)} else {")
      let no = block(indent + 1, depth: depth + 1)
      emit("\(space)}")
      return Line(number: number, statement: .test(yes, no))
    case 12 where !isHelper:
      emit("\(space)help()")
      return Line(number: number, statement: .helper)
    case 13:
      let outer = mayBeCleared
      mayBeCleared = true
      emit("\(space)while isReady() {")
      let lines = block(indent + 1, depth: depth + 1)
      emit("\(space)}")
      mayBeCleared = outer || Self.clears(lines)
      return Line(number: number, statement: .loop(lines))
    default: break
    }
    emit("\(space)\(form.resume)")
    return Line(number: number, statement: .resumeProperty)
  }

  /// The body of `if let`, in which the alias is not optional.
  private mutating func bound(_ indent: Int, _ depth: Int) -> [Line] {
    let start = text.count
    let lines = block(indent + 1, depth: depth + 1)
    for index in start..<text.count {
      if let alias = aliases.last { text[index] = text[index].replacing("c\(alias)?.", with: "c\(alias).") }
    }
    return lines
  }
}
