import SwiftSyntax

extension StoredContinuation {
  /// Returns the assignments that store a continuation without a test before whether the property already contains one.
  func overwrites(in function: Function, file: ParsedFile) -> [Overwrite] {
    var overwrites: [Overwrite] = []
    let mentions = WordFinder([word]).find(in: file, range: function.body.byteRange)
    var pending = [Syntax(function.body)]
    while let node = pending.popLast() {
      if let sequence = node.as(SequenceExprSyntax.self),
        let overwrite = overwrite(sequence, function, mentions, file)
      {
        if !SecondCallGuard(of: overwrite, to: self, in: function, file: file).isSafe {
          overwrites.append(overwrite)
        }
        continue
      }
      for child in node.children(viewMode: .sourceAccurate) where mentions.touch(child) {
        pending.append(child)
      }
    }
    return overwrites
  }

  private func overwrite(
    _ sequence: SequenceExprSyntax, _ function: Function, _ mentions: Mentions, _ file: ParsedFile
  ) -> Overwrite? {
    let elements = Array(sequence.elements)
    guard elements.count == 3, elements[1].is(AssignmentExprSyntax.self), isProperty(elements[0]),
      let (value, call, closure) = stored(in: elements[2], around: Syntax(sequence))
    else { return nil }
    let start = elements[0].startOffset
    let isShadowed = value == word
    for offset in mentions.offsets where offset < start {
      // In the closure, the parameter hides a property with the same name.
      if Self.isMember(file, offset) || !isShadowed || offset < closure.startOffset { return nil }
    }
    if isComposed, hasTest(before: start, in: function, file) { return nil }
    let fixIt =
      takesAnyError && !isComposed ? FixIt.resuming(beforeAssignmentAt: sequence.startOffset, in: file) : nil
    let finding = Finding(
      kind: .lost, place: file.place(at: start), handler: shownName, function: function.name,
      message:
        "if a continuation is still waiting in '\(shownName)', it is overwritten here and never resumed",
      notes: [(file.place(of: property), "'\(word)' stores it until it is resumed")],
      fixIts: [fixIt?.inItsFile(file, at: start)].compactMap(\.self),
      fingerprint: Fingerprint.of(
        .lost, function: function.name, handler: shownName, statementAt: start, in: file))
    return Overwrite(finding: finding, offset: start, call: call, closure: closure)
  }

  /// Whether the continuation is only a part of the value of the property.
  private var isComposed: Bool { holder != nil || payload.isState || !payload.members.isEmpty }

  /// Returns whether a function tests something before a place, which may exclude a second continuation.
  private func hasTest(before offset: Int, in function: Function, _ file: ParsedFile) -> Bool {
    let start = function.body.startOffset
    return !WordFinder(["guard", "if", "switch", "precondition", "assert"])
      .find(in: file, range: start..<max(start, offset)).isEmpty
  }

  private func isProperty(_ expression: ExprSyntax) -> Bool {
    guard let holder else { return expression.ownName == name }
    guard let access = expression.as(MemberAccessExprSyntax.self), let base = access.base else {
      return false
    }
    return access.declName.baseName.text == name && base.ownName == holder
  }

  /// Returns the continuation of an enclosing call of `with…Continuation` that a value is or contains.
  private func stored(in value: ExprSyntax, around node: Syntax)
    -> (name: String, call: FunctionCallExprSyntax, closure: ClosureExprSyntax)?
  {
    var names = [value.plainName].compactMap(\.self)
    if isComposed {
      let arguments =
        value.as(FunctionCallExprSyntax.self)?.arguments ?? value.as(TupleExprSyntax.self)?.elements
      names += arguments?.compactMap(\.expression.plainName) ?? []
    }
    for name in names {
      if let (call, closure) = Self.continuation(named: name, around: node) { return (name, call, closure) }
    }
    return nil
  }

  /// Returns the enclosing call of `with…Continuation` whose closure has a parameter with this name.
  private static func continuation(
    named name: String, around node: Syntax
  ) -> (FunctionCallExprSyntax, ClosureExprSyntax)? {
    var node = node
    while let parent = node.parent {
      if let closure = parent.as(ClosureExprSyntax.self) {
        let names = closure.parameterNames
        if names.contains(name) || (names.isEmpty && name == "$0") {
          var call = closure.parent
          for _ in 0..<3 {
            if let found = call?.as(FunctionCallExprSyntax.self) {
              return HandlerWords.isContinuation(found) ? (found, closure) : nil
            }
            call = call?.parent
          }
          return nil
        }
      }
      node = parent
    }
    return nil
  }

  private static func isMember(_ file: ParsedFile, _ offset: Int) -> Bool {
    let before = file.text(in: max(0, offset - 6)..<offset)
    return before.hasSuffix("self.") || before.hasSuffix("self?.") || before.hasSuffix("self!.")
  }
}
