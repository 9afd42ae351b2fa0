import SwiftSyntax

/// Lowers the code that has to call a handler to a graph.
///
/// A statement is only followed if it contains one of the relevant words. All other code is skipped.
struct GraphBuilder {
  /// The maximum nesting depth of statements and expressions, which limits the stack size.
  static let maximumDepth = 120
  static let maximumInlinedFunctions = 6

  let file: ParsedFile
  let subject: Subject
  let classifier: CallClassifier

  var graph: GraphAssembler
  var names: NameTable
  var exits: ExitStack
  /// The label of the next statement.
  var label: String?
  var localFunctionCount = 0
  var depth = 0
  /// Whether the current expression is marked with `try`.
  var isTrying = false
  /// Whether a part of the current expression was found that may throw.
  var hasThrown = false
  /// The local functions that are being followed.
  var inlined: [Int] = []
  /// The number of enclosing loops and local functions, whose code may run more than once.
  var loopDepth = 0
  /// The number of enclosing closures that run for each event.
  var eventDepth = 0
  /// The number of names that are known in all functions of the type.
  var typeNameCount = 0
  /// The number of methods of the type that are being followed.
  var methodDepth = 0
  /// The offset of an assignment that stores the handler and must not count as a call.
  let ignoredStore: Int?

  /// Creates a builder for the graph of one subject.
  ///
  /// - Parameter ignoredStore: The offset of an assignment that stores the handler and must not count as a call. If it
  ///   is set, members with the handler's name are not the handler.
  init(
    _ subject: Subject, in file: ParsedFile, options: CheckOptions, known: KnownFunctions,
    ignoredStore: Int? = nil
  ) {
    self.subject = subject
    self.file = file
    self.ignoredStore = ignoredStore
    classifier = CallClassifier(options: options, known: known)
    names = NameTable(
      file: file, range: subject.range, relevantWords: known.words(in: file, range: subject.range),
      ignoresMembers: ignoredStore != nil,
      maximumNames: subject.isStored ? NameTable.maximumNamesOfType : NameTable.maximumRelevantNames)
    var graph = GraphAssembler(handler: Graph.Variable(name: subject.shownName, uses: 1))
    // The alternative resumes its continuation with the error.
    let thrown = options.coversAlternatives && subject.handler != nil ? Graph.Event.throwOut : .pass
    exits = ExitStack(
      returningTo: graph.step(.exit, at: subject.end),
      throwingTo: subject.canThrow ? graph.step(thrown, at: subject.end) : nil)
    self.graph = graph
  }

  mutating func build() -> Graph {
    makeRelevant(subject.name, isHandler: true)
    let handlerFailure = subject.handler?.failureParameter
    for parameter in subject.parameters where parameter != subject.name { declare(parameter: parameter) }
    for duty in subject.duties {
      makeRelevant(duty, isHandler: false)
      names.declare(duty, .duty)
    }
    for keeper in subject.keepers where ignoredStore == nil { makeRelevant(keeper, isHandler: false) }
    if let ownership = subject.ownership { declareMethods(ownership) }
    if let ownership = subject.ownership, let holder = ownership.holder {
      makeRelevant(holder, isHandler: true)
      names.declare(holder, ownership.isBoxed ? .place : .holder)
    } else {
      names.declare(subject.name, subject.isStored ? .place : .handler)
    }
    if let handlerFailure {
      let name = (handlerFailure.secondName ?? handlerFailure.firstName).text
      makeRelevant(name, isHandler: true)
      names.declare(name, .handler)
    }
    graph.enter(at: subject.range.lowerBound)
    lower(block: subject.statements)
    leave(.ends, at: subject.end)
    return graph.assembled
  }
}

// MARK: - Nesting

extension GraphBuilder {
  /// Runs `body` one level deeper, or stops if the nesting is too deep.
  mutating func deeper(_ offset: Int, _ body: (inout GraphBuilder) -> Void) {
    guard graph.current != nil, !graph.isBlocked else { return }
    guard depth < Self.maximumDepth else {
      graph.stop("it is nested too deeply")
      return
    }
    depth += 1
    body(&self)
    depth -= 1
  }
}

// MARK: - Names

extension GraphBuilder {
  /// Declares a local name whose tests are followed.
  @discardableResult
  mutating func declareVariable(_ name: String, isOptional: Bool = false, origin: String = "") -> Int? {
    let variable = Graph.Variable(name: name, isOptional: isOptional, origin: origin)
    guard name != "_", let index = graph.addVariable(variable) else {
      names.declare(name, .other)
      return nil
    }
    names.declare(name, .variable(index))
    return index
  }

  mutating func declare(parameter name: String) {
    if let index = declareVariable(name) { graph.variables[index].isParameter = true }
  }

  /// Follows all code that mentions a name from now on.
  mutating func makeRelevant(_ name: String, isHandler: Bool) {
    if !names.makeRelevant(name, isHandler: isHandler) {
      graph.stop("it has too many names for its handler")
    }
  }
}
