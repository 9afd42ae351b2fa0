import TerminalProgram
import Testing

@Suite struct DisplayTextTests {
  @Test func `characters that control a terminal or disguise a text are replaced`() {
    #expect(
      DisplayText.safe("a\u{1B}[31mb\r\nc\u{202E}d\u{9B}")
        == "a\u{FFFD}[31mb\u{FFFD}\u{FFFD}c\u{FFFD}d\u{FFFD}")
    #expect(DisplayText.safe("dög 犬\t👩‍🚀") == "dög 犬\t👩‍🚀")
  }

  @Test func `a width is a number of columns`() {
    #expect(DisplayText.width("abc") == 3)
    #expect(DisplayText.width("犬の写真") == 8)
    #expect(DisplayText.width("e\u{301}") == 1)
    #expect(DisplayText.width("👩‍🚀") == 2)
  }

  @Test func `a long name is cut in the middle, and every text fits its columns exactly`() {
    #expect(DisplayText.shortened("photograph.jpeg", to: 9) == "phot…jpeg")
    #expect(DisplayText.fitted("ab", to: 4) == "ab  ")
    for columns in 0...12 {
      #expect(DisplayText.width(DisplayText.fitted("犬の写真.jpeg", to: columns)) == columns)
    }
  }
}
