import Testing

@testable import AdoptAnalysis

/// The steps and paths of a graph under construction.
struct GraphAssemblerTests {
  private func assembler() -> GraphAssembler {
    var graph = GraphAssembler(handler: Graph.Variable(name: "completion"))
    graph.enter(at: 0)
    return graph
  }

  @Test func `a step follows the current step`() {
    var graph = assembler()
    graph.emit(.leavesVisibleCode, at: 4)
    graph.emit(.passOn, at: 8)
    let steps = graph.assembled.steps
    #expect(steps.map(\.offset) == [0, 4, 8])
    #expect(steps.map(\.next) == [[1], [2], []])
    #expect(graph.assembled.entry == 0)
  }

  @Test func `unreachable code adds no steps`() {
    var graph = assembler()
    let exit = graph.step(.exit, at: 9)
    graph.go(to: exit)
    #expect(graph.current == nil)
    graph.emit(.passOn, at: 4)
    graph.go(to: exit)
    #expect(graph.assembled.steps.map(\.next) == [[1], []])
  }

  @Test func `a step that other steps lead to is continued`() {
    var graph = assembler()
    let head = graph.step(.pass, at: 2)
    graph.go(to: head)
    graph.resume(at: head)
    graph.emit(.passOn, at: 4)
    graph.go(to: head)
    #expect(graph.assembled.steps.map(\.next) == [[1], [2], [1]])
  }

  @Test func `paths meet in one step`() {
    var graph = assembler()
    let (yes, no) = graph.fork(on: Graph.handler, at: 1)
    graph.join([yes, nil, no], at: 5)
    #expect(graph.assembled.steps.map(\.next) == [[1, 2], [3], [3], []])
    #expect(graph.current == 3)
  }

  @Test(arguments: [[], [nil], [nil, 0]] as [[Int?]])
  func `fewer than two paths meet without a step`(_ tails: [Int?]) {
    var graph = assembler()
    graph.join(tails, at: 5)
    #expect(graph.assembled.steps.count == 1)
    #expect(graph.current == tails.compactMap { $0 }.first)
  }

  @Test func `unreachable code cannot fork`() {
    var graph = assembler()
    graph.current = nil
    let (yes, no) = graph.fork(on: Graph.handler, at: 1)
    #expect(yes == nil && no == nil)
    #expect(graph.assembled.steps.count == 1)
  }

  @Test func `the first obstacle is reported and nothing follows it`() {
    var graph = assembler()
    graph.stop("it is nested too deeply")
    graph.stop("it has too many names for its handler")
    graph.resume(at: 0)
    graph.emit(.passOn, at: 4)
    #expect(graph.isBlocked && graph.current == nil)
    #expect(graph.assembled.obstacle == "it is nested too deeply")
    #expect(graph.assembled.steps.count == 1)
  }

  @Test func `a graph with too many steps is blocked`() {
    var graph = assembler()
    for offset in 1..<GraphAssembler.maximumSteps { graph.emit(.pass, at: offset) }
    #expect(!graph.isBlocked)
    graph.emit(.pass, at: 0)
    #expect(graph.assembled.obstacle == "its control flow is too large to follow")
    #expect(graph.current == nil)
  }

  @Test func `variables are limited and the handler is the first one`() {
    var graph = assembler()
    #expect(graph.addVariable(Graph.Variable(name: "error")) == 1)
    while graph.addVariable(Graph.Variable(name: "x")) != nil {}
    #expect(graph.variables.count == GraphAssembler.maximumVariables)
    #expect(graph.variables[Graph.handler].name == "completion")
  }

  @Test func `an assignment is a step and is counted once for each place`() {
    var graph = assembler()
    graph.assign(Graph.handler, .yes, at: 3)
    graph.assign(Graph.handler, .no, at: 3)
    #expect(graph.variables[Graph.handler].assignments == [3])
    #expect(graph.assembled.steps.count == 3)
  }

  @Test func `an ignored store in unreachable code is not remembered`() {
    var graph = assembler()
    graph.emitIgnoredStore(at: 3)
    graph.current = nil
    graph.emitIgnoredStore(at: 6)
    #expect(graph.assembled.ignoredStores == [1])
  }
}
