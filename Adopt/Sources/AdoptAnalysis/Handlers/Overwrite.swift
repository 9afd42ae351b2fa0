import SwiftSyntax

/// An assignment that puts a continuation where another may still wait.
struct Overwrite {
  let finding: Finding
  /// Where the assignment starts.
  let offset: Int
  /// The `with…Continuation` whose continuation it is, and the closure that is given it.
  let call: FunctionCallExprSyntax
  let closure: ClosureExprSyntax

  /// Whether what is stored is resumed, or handed on, by its own name as well, on every way on from here: then a later
  /// one that takes its place does it no harm.
  func isMadeUpFor(
    in subject: Subject, file: ParsedFile, options: CheckOptions, known: KnownFunctions
  ) -> Bool {
    guard options.readsDamagedCode || !subject.statements.hasError else { return false }
    var builder = GraphBuilder(subject, in: file, options: options, known: known)
    builder.ignoredStore = offset
    let graph = builder.build()
    guard graph.obstacle == nil, graph.ignoredStores.count == 1, let store = graph.ignoredStores.first else {
      return false
    }
    let exploration = Exploration(graph, isStored: false, from: store)
    return exploration.isComplete && !exploration.hasBadEnds
  }
}
