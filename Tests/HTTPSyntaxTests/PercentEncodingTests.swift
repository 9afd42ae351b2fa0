import HTTPSyntax
import Testing

@Suite struct PercentEncodingTests {
  private func encoded(_ text: String) -> String { PercentEncoding.encode(text[...].utf8) }
  private func decoded(_ text: String, plusIsSpace: Bool = false) -> String? {
    PercentEncoding.decode(text[...].utf8, plusIsSpace: plusIsSpace)
  }
  private func isBroken(_ text: String) -> Bool { PercentEncoding.isBroken(text[...].utf8) }

  @Test func `visible ASCII characters stay, and every other byte is encoded`() {
    let visible = (0x21...0x7E as ClosedRange<UInt8>).map { String(UnicodeScalar($0)) }.joined()
    #expect(encoded(visible) == visible)
    #expect(encoded("") == "")
    #expect(encoded(" a\t\0\u{7F}é犬") == "%20a%09%00%7F%C3%A9%E7%8A%AC")
    #expect(encoded("%20") == "%20")
  }

  @Test func `all bytes but unreserved ones and those that are kept are encoded`() {
    #expect(PercentEncoding.encode("aZ09-._~") == "aZ09-._~")
    #expect(PercentEncoding.encode("a/b c%é+", keeping: "/") == "a/b%20c%25%C3%A9%2B")
    #expect(PercentEncoding.encode("a/b") == "a%2Fb")
  }

  @Test func `every character without a percent sign is the same after encoding and decoding`() throws {
    let interesting: [UInt32] = [0x80, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0xFFFF, 0x10000, 0x10FFFF]
    for number in Array(0...0xFF) + interesting where number != 0x25 {
      let text = "a\(try #require(UnicodeScalar(number)))b"
      #expect(decoded(encoded(text)) == text, "\(number)")
      #expect(!isBroken(encoded(text)), "\(number)")
    }
  }

  @Test func `every byte of an escape is decoded in both cases of its digits`() {
    for number in 0...0x7F as ClosedRange<UInt8> {
      let digits = (number < 0x10 ? "0" : "") + String(number, radix: 16)
      let expected = String(UnicodeScalar(number))
      #expect(decoded("%" + digits) == expected)
      #expect(decoded("%" + digits.uppercased()) == expected)
    }
    #expect(decoded("%e7%8A%aC") == "犬")
    #expect(decoded("%2541") == "%41")
  }

  @Test(arguments: [
    "%", "a%", "%4", "%4%", "%4g", "%g4", "%%41", "%-1", "%+1", "% 1", "%éa", "%41%", "%\u{664}1",
  ])
  func `a broken escape has no text`(_ text: String) {
    #expect(isBroken(text))
    #expect(decoded(text) == nil)
  }

  @Test(arguments: ["", "a", "%41", "%fF%00", "%41b%42", "100%25", "+"])
  func `a text with complete escapes is not broken`(_ text: String) {
    #expect(!isBroken(text))
  }

  @Test(arguments: [
    "%80", "%FF", "%C3", "%C3(", "%C3%28", "%C0%80", "%C1%BF", "%E0%80%80", "%ED%A0%80", "%F4%90%80%80",
    "%F0%9F%90", "a%E7%8Ab",
  ])
  func `bytes that are not UTF-8 have no text, although their escapes are complete`(_ text: String) {
    #expect(!isBroken(text))
    #expect(decoded(text) == nil)
  }

  @Test func `a plus sign is a space only where the caller asks for it`() {
    #expect(decoded("a+b%2B+") == "a+b++")
    #expect(decoded("a+b%2B+", plusIsSpace: true) == "a b+ ")
    #expect(decoded("a%20b", plusIsSpace: true) == "a b")
  }
}
