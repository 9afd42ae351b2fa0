import Testing

@testable import AdoptCommand

struct TextEditTests {
  private func edit(_ range: Range<Int>, _ text: String) -> TextEdit {
    TextEdit(range: range, replacement: text)
  }

  @Test func `edits are applied together`() {
    let groups = [
      EditGroup(edits: [edit(6..<7, "ß"), edit(0..<0, ">")]), EditGroup(edits: [edit(2..<4, "")]),
    ]
    let (text, count) = TextEdits.apply(groups, to: "abcdéfg")
    #expect(text == ">abéßg")
    #expect(count == 2)
  }

  @Test func `overlapping edits are skipped`() {
    let first = EditGroup(edits: [edit(2..<5, "x")])
    for other in [edit(4..<6, "y"), edit(0..<3, "y"), edit(3..<3, "y"), edit(2..<2, "y"), edit(2..<5, "y")] {
      let (text, count) = TextEdits.apply([first, EditGroup(edits: [other])], to: "abcdefg")
      #expect(text == "abxfg")
      #expect(count == 1)
    }
    #expect(TextEdits.apply([first, EditGroup(edits: [edit(5..<5, "y")])], to: "abcdefg").text == "abxyfg")
  }

  @Test func `a group is applied completely or not at all`() {
    let groups = [
      EditGroup(edits: [edit(1..<2, "x")]), EditGroup(edits: [edit(4..<5, "y"), edit(1..<1, "z")]),
      EditGroup(edits: [edit(6..<9, "beyond the end")]), EditGroup(edits: []),
    ]
    let (text, count) = TextEdits.apply(groups, to: "abcdefg")
    #expect(text == "axcdefg")
    #expect(count == 1)
  }
}
