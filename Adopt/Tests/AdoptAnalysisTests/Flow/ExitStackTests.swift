import SwiftSyntax
import Testing

@testable import AdoptAnalysis

/// The destinations of jumps, and the deferred blocks on the way to them.
struct ExitStackTests {
  private func block(_ text: String) -> CodeBlockItemListSyntax {
    ParsedFile(path: "a.swift", text: text).tree.statements
  }

  private func texts(_ blocks: [ExitStack.DeferredBlock]) -> [String] {
    blocks.map { $0.body.trimmedDescription }
  }

  private func stack(throwingTo thrown: Int? = nil) -> ExitStack {
    var exits = ExitStack(returningTo: 0, throwingTo: thrown)
    exits.openScope(names: 0)
    return exits
  }

  @Test func `break without a label leaves the nearest loop or switch`() {
    var exits = stack()
    #expect(exits.breakTarget(label: nil) == nil)
    exits.openTarget(label: "outer", onBreak: 1, onContinue: 2)
    exits.openScope(names: 0)
    exits.openTarget(label: "test", onBreak: 3, takesPlainBreak: false)
    #expect(exits.breakTarget(label: nil) == ExitStack.Destination(step: 1, depth: 1))
    #expect(exits.breakTarget(label: "test") == ExitStack.Destination(step: 3, depth: 2))
    exits.closeTarget()
    #expect(exits.breakTarget(label: "test") == nil)
  }

  @Test func `continue skips statements that are not loops`() {
    var exits = stack()
    exits.openTarget(label: "outer", onBreak: 1, onContinue: 2)
    exits.openTarget(label: nil, onBreak: 3, onContinue: 4)
    exits.openTarget(label: "choice", onBreak: 5)
    #expect(exits.continueTarget(label: nil)?.step == 4)
    #expect(exits.continueTarget(label: "outer")?.step == 2)
    #expect(exits.continueTarget(label: "choice") == nil)
  }

  @Test func `jumps cannot leave a closure and work again after it`() {
    var exits = stack()
    exits.openTarget(label: nil, onBreak: 1, onContinue: 2)
    exits.openFallthroughTarget(3)
    let hidden = exits.openRegion(exit: 4, counts: true, swallowsErrors: false)
    #expect(exits.breakTarget(label: nil) == nil && exits.fallthroughTarget == nil)
    #expect(exits.region?.destination == ExitStack.Destination(step: 4, depth: 1))
    #expect(exits.region?.isNested == true)
    exits.closeRegion(restoring: hidden)
    #expect(exits.breakTarget(label: nil)?.step == 1)
    #expect(exits.fallthroughTarget?.step == 3)
    #expect(exits.region?.destination == ExitStack.Destination(step: 0, depth: 0))
  }

  @Test(arguments: [true, false])
  func `errors leave a closure unless it ignores them`(swallowsErrors: Bool) {
    var exits = stack(throwingTo: 7)
    #expect(exits.catcher?.exit == .throwsOut)
    let hidden = exits.openRegion(exit: 4, counts: true, swallowsErrors: swallowsErrors)
    #expect(exits.catcher?.destination.step == (swallowsErrors ? 4 : 7))
    #expect(exits.catcher?.exit == (swallowsErrors ? .closureThrows : .throwsOut))
    exits.closeRegion(restoring: hidden)
    #expect(exits.catcher?.destination.step == 7)
  }

  @Test func `the deferred blocks of the scopes that are left are listed, the outermost first`() {
    var exits = stack()
    exits.deferBlock(block("a()"), range: 0..<1, names: 0)
    exits.openScope(names: 2)
    #expect(!exits.hasDeferredBlocks)
    exits.deferBlock(block("b()"), range: 1..<2, names: 2)
    exits.deferBlock(block("c()"), range: 2..<3, names: 2)
    #expect(exits.hasDeferredBlocks)
    #expect(texts(exits.deferredBlocks(beyond: 0)) == ["a()", "b()", "c()"])
    #expect(texts(exits.deferredBlocks(beyond: 1)) == ["b()", "c()"])
    #expect(exits.deferredBlocks(beyond: 2).isEmpty)
    let outerNames = exits.closeScope()
    #expect(outerNames == 2)
    #expect(texts(exits.deferredBlocks(beyond: 0)) == ["a()"])
  }

  @Test func `in a deferred block, only the blocks that run after it are left`() throws {
    var exits = stack(throwingTo: 7)
    exits.deferBlock(block("a()"), range: 0..<1, names: 0)
    exits.deferBlock(block("b()"), range: 1..<2, names: 0)
    exits.openTarget(label: nil, onBreak: 3)
    exits.openScope(names: 0)
    exits.deferBlock(block("c()"), range: 2..<3, names: 0)
    let second = exits.deferredBlocks(beyond: 0)[1]
    let hidden = exits.open(second)
    #expect(exits.depth == 1)
    #expect(texts(exits.deferredBlocks(beyond: 0)) == ["a()"])
    #expect(exits.breakTarget(label: nil) == nil && exits.catcher == nil)
    exits.closeBlock(restoring: hidden)
    #expect(texts(exits.deferredBlocks(beyond: 0)) == ["a()", "b()", "c()"])
    #expect(exits.breakTarget(label: nil)?.step == 3 && exits.catcher != nil)
  }

  @Test func `paths with the same end share the steps of a deferred block`() {
    var exits = stack()
    exits.deferBlock(block("a()"), range: 0..<1, names: 0)
    exits.deferBlock(block("b()"), range: 1..<2, names: 0)
    let blocks = exits.deferredBlocks(beyond: 0)
    exits.setFirstStep(5, of: blocks[0], before: 1)
    #expect(exits.firstStep(of: blocks[0], before: 1) == 5)
    #expect(exits.firstStep(of: blocks[0], before: 2) == nil)
    #expect(exits.firstStep(of: blocks[1], before: 1) == nil)
  }
}
