import SwiftSyntax

/// Lowers the code that has to call a handler to a graph.
///
/// What has no bearing on the handler is passed by: a statement is only looked into if one of the words that
/// matter stands in it.
struct GraphBuilder {
  /// The most steps a function may have. Beyond, nobody would follow a path.
  static let mostSteps = 30_000
  /// How deep statements and expressions may nest, and with them the stack of this process.
  static let mostDepth = 120
  static let mostInlined = 6
  static let mostNames = 8
  static let mostVariables = 24

  enum Meaning {
    case handler
    /// A local function or closure that mentions the handler.
    case function(LocalFunction)
    case variable(Int)
    /// What tells, at the end of a path of members, of what was asked for: a value or an error.
    case answer(Answer)
    case other
  }

  struct LocalFunction {
    let id: Int
    let statements: CodeBlockItemListSyntax
    let range: Range<Int>
    let end: Int
    let parameters: [String]
  }

  struct Scope {
    var deferred: [Deferred] = []
    let names: Int
  }

  struct Deferred {
    let id: Int
    let body: CodeBlockItemListSyntax
    let names: Int
    let range: Range<Int>
  }

  /// Where `break` and `continue` go.
  struct Target {
    var label: String?
    let onBreak: Int
    let onContinue: Int?
    /// A `break` without a label stops here.
    let takesPlainBreak: Bool
    /// How many scopes stay open.
    let scopes: Int
  }

  /// Where errors go, and how many scopes stay open there.
  struct Catcher {
    let step: Int
    let scopes: Int
    /// Of a closure whose errors nobody sees.
    var leave: Graph.Leave?
    let offset: Int
  }

  /// What `return` leaves.
  struct Region {
    let exit: Int
    let scopes: Int
    let isInner: Bool
    let endOffset: Int
    /// Whether leaving it without a call may be what a finding is about.
    let counts: Bool
  }

  struct Key: Hashable {
    let deferred: Int
    let step: Int
  }

  let file: ParsedFile
  let subject: Subject
  let options: CheckOptions
  let known: KnownFunctions

  var graph = Graph()
  /// The step that what comes next follows, nil where nothing can get to.
  var current: Int?
  var names: [(name: String, meaning: Meaning)] = []
  var scopes: [Scope] = []
  var targets: [Target] = []
  /// Where `fallthrough` goes.
  var falls: [Target] = []
  /// The label of the statement that comes next.
  var label: String?
  var catcher: Catcher?
  var regions: [Region] = []
  var unwound: [Key: Int] = [:]
  /// Where the handler may be meant.
  var mentions = Mentions()
  /// Where a word stands that may matter at all.
  var interest = Mentions()
  var interestingNames: Set<String> = []
  var identifiers = 0
  var depth = 0
  /// Whether an expression with `try` before it is looked at, and whether something in it was seen to throw.
  var isTrying = false
  var hasThrown = false
  /// Local functions that are being looked into.
  var inlined: [Int] = []
  /// How many loops and local functions are around, whose code runs more than once.
  var rounds = 0
  /// Where an assignment starts that stores the handler, and is not to count as a call. Members that have the handler's
  /// name are others then.
  var ignoredStore: Int?

  init(_ subject: Subject, in file: ParsedFile, options: CheckOptions, known: KnownFunctions) {
    self.subject = subject
    self.file = file
    self.options = options
    self.known = known
  }

  mutating func build() -> Graph {
    interest = known.words(in: file, range: subject.range)
    graph.variables = [Graph.Variable(name: subject.name, uses: 1)]
    makeInteresting(subject.name, isHandler: true)
    let handlerFailure = subject.handler?.failureParameter
    for parameter in subject.parameters where parameter != subject.name { declare(parameter: parameter) }
    declare(subject.name, .handler)
    if let handlerFailure {
      let name = (handlerFailure.secondName ?? handlerFailure.firstName).text
      makeInteresting(name, isHandler: true)
      declare(name, .handler)
    }
    let exit = step(.exit, at: subject.end)
    let throwing = subject.canThrow ? step(.pass, at: subject.end) : nil
    graph.entry = step(.pass, at: subject.range.lowerBound)
    current = graph.entry
    catcher = throwing.map { Catcher(step: $0, scopes: 0, leave: .throwsOut, offset: subject.end) }
    regions = [Region(exit: exit, scopes: 0, isInner: false, endOffset: subject.end, counts: true)]
    lower(block: subject.statements)
    leave(.ends, at: subject.end)
    return graph
  }
}

// MARK: - Steps

extension GraphBuilder {
  var isBlocked: Bool { graph.obstacle != nil }

  mutating func stop(_ obstacle: String) {
    if graph.obstacle == nil { graph.obstacle = obstacle }
    current = nil
  }

  /// A step that nothing leads to yet.
  mutating func step(_ event: Graph.Event, at offset: Int) -> Int {
    if graph.steps.count >= Self.mostSteps { stop("its control flow is too large to follow") }
    graph.steps.append(Graph.Step(event: event, offset: offset))
    return graph.steps.count - 1
  }

  /// What happens next.
  mutating func emit(_ event: Graph.Event, at offset: Int) {
    guard let from = current, !isBlocked else { return }
    let to = step(event, at: offset)
    graph.steps[from].next.append(to)
    current = isBlocked ? nil : to
  }

  mutating func go(to step: Int) {
    guard let from = current else { return }
    graph.steps[from].next.append(step)
    current = nil
  }

  /// Goes on from where several ways meet.
  mutating func join(_ tails: [Int?], at offset: Int) {
    let tails = tails.compactMap { $0 }
    guard tails.count > 1 else {
      current = tails.first
      return
    }
    let meeting = step(.pass, at: offset)
    for tail in tails { graph.steps[tail].next.append(meeting) }
    current = isBlocked ? nil : meeting
  }

  /// Runs `body` one level deeper, unless that is too deep.
  mutating func deeper(_ offset: Int, _ body: (inout GraphBuilder) -> Void) {
    guard current != nil, !isBlocked else { return }
    guard depth < Self.mostDepth else {
      stop("it is nested too deeply")
      return
    }
    depth += 1
    body(&self)
    depth -= 1
  }
}

// MARK: - Names

extension GraphBuilder {
  mutating func declare(_ name: String, _ meaning: Meaning) {
    names.append((name, meaning))
  }

  func meaning(of name: String) -> Meaning? {
    names.last { $0.name == name }?.meaning
  }

  func isHandler(_ name: String) -> Bool {
    if case .handler? = meaning(of: name) { return true }
    return false
  }

  /// Follows what tests find out about a local name.
  @discardableResult
  mutating func declareVariable(_ name: String, isOptional: Bool = false, origin: String = "") -> Int? {
    guard name != "_", graph.variables.count < Self.mostVariables else {
      declare(name, .other)
      return nil
    }
    graph.variables.append(Graph.Variable(name: name, isOptional: isOptional, origin: origin))
    declare(name, .variable(graph.variables.count - 1))
    return graph.variables.count - 1
  }

  mutating func declare(parameter name: String) {
    if let index = declareVariable(name) { graph.variables[index].isParameter = true }
  }

  /// Looks from now on into what mentions a name.
  mutating func makeInteresting(_ name: String, isHandler: Bool) {
    guard interestingNames.insert(name).inserted else { return }
    guard interestingNames.count <= Self.mostNames else {
      stop("it has too many names for its handler")
      return
    }
    var found = WordFinder([name]).find(in: file, range: subject.range)
    if ignoredStore != nil {
      found.removeAll { file.text(in: max(0, $0 - 1)..<$0) == "." }
    }
    interest.merge(found)
    if isHandler { mentions.merge(found) }
  }
}
