import SwiftSyntax
import Testing

@testable import AdoptAnalysis

/// The names in scope, and the code that mentions relevant names.
struct NameTableTests {
  private func table(_ text: String = "", ignoresMembers: Bool = false) -> NameTable {
    NameTable(
      file: ParsedFile(path: "a.swift", text: text), range: 0..<text.utf8.count, relevantWords: Mentions(),
      ignoresMembers: ignoresMembers)
  }

  @Test func `a later name hides an earlier one until its scope ends`() {
    var names = table()
    names.declare("completion", .handler)
    let outer = names.count
    names.declare("completion", .other)
    #expect(!names.isHandler("completion"))
    names.removeNames(after: outer)
    #expect(names.isHandler("completion"))
  }

  @Test func `hidden names are in scope again after they are restored`() {
    var names = table()
    names.declare("first", .other)
    names.declare("completion", .handler)
    let hidden = names.hideNames(after: 1)
    #expect(names.lookUp("completion") == nil)
    names.declare("local", .other)
    names.restore(hidden)
    #expect(names.isHandler("completion") && names.count == 2)
  }

  @Test func `only the handler's names count as mentions of it`() {
    var names = table("done(); error")
    let accepted = [
      names.makeRelevant("done", isHandler: true), names.makeRelevant("error", isHandler: false),
    ]
    #expect(accepted == [true, true])
    #expect(names.mentions.offsets == [0])
    #expect(names.isRelevant(8..<13) && !names.isRelevant(4..<8))
  }

  @Test func `members with the handler's name can be ignored`() {
    var names = table("self.done = done", ignoresMembers: true)
    let isAccepted = names.makeRelevant("done", isHandler: true)
    #expect(isAccepted)
    #expect(names.mentions.offsets == [12])
  }

  @Test func `too many relevant names are reported`() {
    var names = table()
    let limit = NameTable.maximumRelevantNames
    let accepted = (0...limit).map { names.makeRelevant("name\($0)", isHandler: false) }
    #expect(accepted == Array(repeating: true, count: limit) + [false])
    let isAcceptedAgain = names.makeRelevant("name0", isHandler: false)
    #expect(isAcceptedAgain)
  }

  @Test func `assignments are counted, but declarations and comparisons are not`() {
    let names = table("var a = 1; a = 2; a == 3; change(&a); a.toggle(); let a = 4")
    #expect(names.countAssignments(to: "a") == 3)
  }
}
