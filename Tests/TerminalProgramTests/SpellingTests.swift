import TerminalProgram
import Testing

@Suite struct SpellingTests {
  @Test func `a distance counts the letters to insert, remove, replace or swap`() {
    #expect(Spelling.distance("kitten", "sitting") == 3)
    #expect(Spelling.distance("ab", "ba") == 1)
    #expect(Spelling.distance("", "abc") == 3)
    #expect(Spelling.distance("abc", "") == 3)
    #expect(Spelling.distance("abc", "abc") == 0)
  }

  @Test func `only a word that is similar enough is suggested`() {
    #expect(Spelling.nearest(to: "downlaod", among: ["download", "upload"]) == "download")
    #expect(Spelling.nearest(to: "xyz", among: ["download", "upload"]) == nil)
    #expect(Spelling.nearest(to: "a", among: ["b"]) == nil)
    #expect(Spelling.nearest(to: "get", among: []) == nil)
  }
}
