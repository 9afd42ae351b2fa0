import TerminalProgram
import Testing

@testable import RetrieverCommand

@Suite struct DisplayTextTests {
  @Test func whatATerminalWouldObeyIsReplaced() {
    #expect(
      DisplayText.safe("a\u{1B}[31mb\r\nc\u{202E}d\u{9B}")
        == "a\u{FFFD}[31mb\u{FFFD}\u{FFFD}c\u{FFFD}d\u{FFFD}")
    #expect(DisplayText.safe("dög 犬\t👩‍🚀") == "dög 犬\t👩‍🚀")
  }

  @Test func widthsAreColumns() {
    #expect(DisplayText.width("abc") == 3)
    #expect(DisplayText.width("犬の写真") == 8)
    #expect(DisplayText.width("e\u{301}") == 1)
    #expect(DisplayText.width("👩‍🚀") == 2)
  }

  @Test func namesAreCutInTheMiddle() {
    #expect(DisplayText.shortened("photograph.jpeg", to: 9) == "phot…jpeg")
    #expect(DisplayText.fitted("ab", to: 4) == "ab  ")
    for columns in 0...12 {
      #expect(DisplayText.width(DisplayText.fitted("犬の写真.jpeg", to: columns)) == columns)
    }
  }

  @Test func sizesAndTimesAreShort() {
    #expect(ByteText.short(999) == "999 B")
    #expect(ByteText.short(1_000) == "1.00 kB")
    #expect(ByteText.short(12_345_678) == "12.3 MB")
    #expect(ByteText.short(999_900) == "1.00 MB")
    #expect(ByteText.short(.max) == "9.22 EB")
    #expect(ByteText.time(7) == "0:07")
    #expect(ByteText.time(3723) == "1:02:03")
    #expect(ByteText.time(.infinity) == "–:––")
    #expect(ByteText.time(4 * 86_400) == "4d 00h")
    #expect(ByteText.duration(0.834) == "0.83 s")
  }
}
