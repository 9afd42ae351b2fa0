import SwiftSyntax

/// An assignment that may overwrite a continuation that is still waiting.
struct Overwrite {
  let finding: Finding
  /// The offset of the assignment.
  let offset: Int
  /// The call of `with…Continuation` that provides the continuation.
  let call: FunctionCallExprSyntax
  /// The closure that gets the continuation.
  let closure: ClosureExprSyntax

  /// Returns whether the stored continuation is also resumed or passed on through its own name, on every path from
  /// here. Overwriting it later does no harm then.
  func isAlsoResumed(
    in subject: Subject, file: ParsedFile, options: CheckOptions, known: KnownFunctions
  ) -> Bool {
    guard options.readsDamagedCode || !subject.statements.hasError else { return false }
    var builder = GraphBuilder(subject, in: file, options: options, known: known, ignoredStore: offset)
    let graph = builder.build()
    guard graph.obstacle == nil, graph.ignoredStores.count == 1, let store = graph.ignoredStores.first else {
      return false
    }
    let exploration = Exploration(graph, isStored: false, from: store)
    return exploration.isComplete && !exploration.hasEndsWithoutCall
  }
}
