#if !canImport(Darwin)
import Retriever
import Testing

@Suite struct MessagesHeaderParsingTests {
  private func parse(_ text: String) -> HeaderFields { .parse(headerBlock: Array(text.utf8)) }

  @Test func readsLinesThatEndInCRLFOrInLF() {
    let fields = parse("Content-Type: text/html\r\nX-One:1\nX-Two: \t 2 \t\r\n\r\n")
    #expect(fields.entries.map(\.name) == ["Content-Type", "X-One", "X-Two"])
    #expect(fields.entries.map(\.value) == ["text/html", "1", "2"])
  }

  @Test func aLastLineNeedsNoEnd() {
    #expect(parse("A: 1\r\nB: 2")["B"] == "2")
  }

  @Test func joinsFoldedLinesWithOneSpace() {
    let fields = parse("A: one\r\n  two\r\n\tthree\r\nB: 2\r\n")
    #expect(fields["A"] == "one two three")
    #expect(fields["B"] == "2")
  }

  @Test func aFoldedLineWithNothingBeforeItIsSkipped() {
    #expect(parse(" folded: 1\r\nA: 2\r\n").entries.map(\.name) == ["A"])
  }

  @Test func aFoldAfterASkippedLineDoesNotReachTheFieldBeforeIt() {
    #expect(parse("A: 1\r\nnonsense\r\n more\r\n")["A"] == "1")
  }

  @Test func skipsLinesWithoutColonOrName() {
    let fields = parse("HTTP/1.1 200 OK\r\n: nameless\r\nA:\r\nnonsense\r\n")
    #expect(fields.entries.map(\.name) == ["A"])
    #expect(fields["A"] == "")
  }

  @Test func readsBytesThatAreNotUTF8AsLatin1() {
    let fields = HeaderFields.parse(headerBlock: Array("A: caf".utf8) + [0xE9, 0x0D, 0x0A])
    #expect(fields["A"] == "café")
    #expect(parse("A: café")["A"] == "café")
  }

  @Test func aBareCarriageReturnOrNULIsASpaceAndNotANewField() {
    let fields = HeaderFields.parse(headerBlock: Array("A: 1\rEvil: 2\0three\r\nB: 2\r\n".utf8))
    #expect(fields.entries.map(\.name) == ["A", "B"])
    #expect(fields["A"] == "1 Evil: 2 three")
  }

  @Test func `random bytes never trap and never produce a line break`() {
    var generator = SystemRandomNumberGenerator()
    let alphabet: [UInt8] = [0, 9, 10, 13, 32, 58, 65, 97, 0xC3, 0xA9, 0xFF]
    for _ in 0..<5000 {
      let length = Int.random(in: 0..<40, using: &generator)
      let bytes = (0..<length).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
      let fields = HeaderFields.parse(headerBlock: bytes)
      for (name, value) in fields.entries {
        #expect(!name.isEmpty, "\(bytes)")
        #expect(!(name + value).utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "\(bytes)")
      }
    }
  }

  @Test(.timeLimit(.minutes(5))) func `parsing time is linear in the size of the head`() {
    let folds = String(repeating: "\r\n fold", count: 100_000)
    #expect(parse("A: 1" + folds)["A"]?.utf8.count == 1 + 100_000 * 5)
    let many = parse((0..<10_000).map { "X-\($0): \($0)\r\n" }.joined())
    #expect(many.count == 10_000)
    #expect(many.dictionary().count == 10_000)
    let same = parse((0..<10_000).map { _ in "A: \(String(repeating: "x", count: 98))\r\n" }.joined())
    #expect(same["A"]?.utf8.count == 1_000_000 - 2)
  }
}
#endif
