import AdoptAnalysis
import SwiftParser
import SwiftSyntax

/// All functions of a file, outermost first.
final class Functions: SyntaxVisitor {
  private(set) var found: [FunctionDeclSyntax] = []

  init(_ file: ParsedFile) {
    super.init(viewMode: .sourceAccurate)
    walk(file.tree)
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    found.append(node)
    return .visitChildren
  }
}

/// All calls in a node.
final class Calls: SyntaxVisitor {
  private(set) var found: [FunctionCallExprSyntax] = []

  init(_ node: Syntax) {
    super.init(viewMode: .sourceAccurate)
    walk(node)
  }

  convenience init(_ file: ParsedFile) { self.init(Syntax(file.tree)) }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    found.append(node)
    return .visitChildren
  }
}

/// The calls of `with…Continuation` in a function, without those in local functions.
final class Continuations: SyntaxVisitor {
  private static let names: Set<String> = [
    "withCheckedContinuation", "withCheckedThrowingContinuation", "withUnsafeContinuation",
    "withUnsafeThrowingContinuation",
  ]
  private(set) var found: [FunctionCallExprSyntax] = []

  init(_ body: CodeBlockSyntax) {
    super.init(viewMode: .sourceAccurate)
    walk(body)
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    guard let name = node.calledExpression.plainName, Self.names.contains(name) else { return .visitChildren }
    found.append(node)
    return .skipChildren
  }
}

/// The closures of `Task { … }` in a function, without those that capture something weakly.
final class Tasks: SyntaxVisitor {
  private(set) var found: [ClosureExprSyntax] = []

  init(_ body: CodeBlockSyntax) {
    super.init(viewMode: .sourceAccurate)
    walk(body)
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if node.startsTask, let closure = node.trailingClosure { found.append(closure) }
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

/// Finds out whether an error can leave code: a `try` or `throw` outside of closures and of `do` with `catch`.
final class EscapingErrors: SyntaxVisitor {
  private(set) var isFound = false

  init(_ lines: [String]) {
    super.init(viewMode: .sourceAccurate)
    walk(Parser.parse(source: lines.joined(separator: "\n")))
  }

  override func visit(_ node: ThrowStmtSyntax) -> SyntaxVisitorContinueKind {
    isFound = true
    return .skipChildren
  }

  override func visit(_ node: TryExprSyntax) -> SyntaxVisitorContinueKind {
    if node.questionOrExclamationMark == nil { isFound = true }
    return .skipChildren
  }

  override func visit(_ node: DoStmtSyntax) -> SyntaxVisitorContinueKind {
    if node.catchClauses.isEmpty { return .visitChildren }
    for clause in node.catchClauses { walk(clause.body) }
    return .skipChildren
  }

  override func visit(_ node: ClosureExprSyntax) -> SyntaxVisitorContinueKind { .skipChildren }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind { .skipChildren }
}

/// The `try` and `await` before a call, and the statement that consists of it.
struct Effects {
  /// The offset of the first of these words, or of the call.
  private(set) var start: Int
  /// The statement, if it is only the call, or returns it.
  private(set) var statement: CodeBlockItemSyntax?
  /// `try?` or `try!`, if it handles the errors of the call. It is not part of `start` and `statement`.
  private(set) var handling: String?

  init(around call: FunctionCallExprSyntax) {
    start = call.positionAfterSkippingLeadingTrivia.utf8Offset
    var node = Syntax(call)
    while let parent = node.parent, parent.is(TryExprSyntax.self) || parent.is(AwaitExprSyntax.self) {
      if let mark = parent.as(TryExprSyntax.self)?.questionOrExclamationMark {
        handling = "try" + mark.text
        return
      }
      node = parent
      start = node.positionAfterSkippingLeadingTrivia.utf8Offset
    }
    if let statement = node.parent?.as(ReturnStmtSyntax.self) { node = Syntax(statement) }
    statement = node.parent?.as(CodeBlockItemSyntax.self)
  }
}

/// The code around a call.
struct Surroundings {
  private(set) var function: FunctionDeclSyntax?
  private(set) var isInDefer = false
  private(set) var isInLoop = false
  private(set) var isInAsyncCode = false
  /// Whether the function waits for several calls with a group.
  private(set) var usesGroup = false
  /// Whether the call is the last statement of its block.
  let isLast: Bool

  init(of call: FunctionCallExprSyntax) {
    let item = call.parent?.as(CodeBlockItemSyntax.self)
    isLast = item != nil && item?.id == item?.parent?.as(CodeBlockItemListSyntax.self)?.last?.id
    var isDecided = false
    var node = call.parent
    while let current = node {
      node = current.parent
      if current.is(DeferStmtSyntax.self) { isInDefer = true }
      if current.is(ForStmtSyntax.self) || current.is(WhileStmtSyntax.self)
        || current.is(RepeatStmtSyntax.self)
      {
        isInLoop = true
      }
      if let closure = current.as(ClosureExprSyntax.self), !isDecided {
        let receiver = closure.parent?.as(FunctionCallExprSyntax.self)
        if receiver?.calledName?.text == "forEach" { isInLoop = true }
        if receiver?.startsTask == true { (isInAsyncCode, isDecided) = (true, true) }
      }
      if let declaration = current.as(FunctionDeclSyntax.self) {
        function = declaration
        if !isDecided { isInAsyncCode = declaration.isAsync }
        let words = Set(declaration.tokens(viewMode: .sourceAccurate).map(\.text))
        usesGroup = words.contains("DispatchGroup") || words.isSuperset(of: ["enter", "leave"])
        return
      }
    }
  }
}

extension FunctionCallExprSyntax {
  /// Whether it starts a task, as `Task { … }`, `Task<Void, Never> { … }` and `Task.detached { … }` do.
  var startsTask: Bool {
    let callee = calledExpression.bare
    guard let access = callee.as(MemberAccessExprSyntax.self) else { return callee.plainName == "Task" }
    return access.declName.baseName.text == "detached" && access.base?.bare.plainName == "Task"
  }
}

extension FunctionDeclSyntax {
  var returnsNothing: Bool { signature.returnClause?.type.isVoidType ?? true }

  /// The types of the values that it returns: the elements of a tuple, or its only result.
  var returnedTypes: [TypeSyntax] {
    guard !returnsNothing, let type = signature.returnClause?.type else { return [] }
    guard let tuple = type.as(TupleTypeSyntax.self), tuple.elements.count > 1 else { return [type] }
    return tuple.elements.map(\.type)
  }

  /// Whether it is a test of XCTest or Swift Testing.
  var isTest: Bool {
    if attributes.names.contains("Test") { return true }
    guard name.text.hasPrefix("test"), signature.parameterClause.parameters.isEmpty, returnsNothing else {
      return false
    }
    return Scope(of: self).declarations.contains { declaration in
      let inherited = declaration.as(ClassDeclSyntax.self)?.inheritanceClause?.inheritedTypes
      return inherited?.contains {
        $0.type.trimmedDescription.hasSuffix("TestCase") || $0.type.trimmedDescription.hasSuffix("Tests")
      }
        ?? declaration.is(ExtensionDeclSyntax.self)
    }
  }
}
