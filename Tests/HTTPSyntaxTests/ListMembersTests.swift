import HTTPSyntax
import Testing

@Suite struct ListMembersTests {
  @Test func `members are separated by commas, without the blanks around them`() {
    #expect(ASCII.listMembers("gzip") == ["gzip"])
    #expect(ASCII.listMembers("gzip,br, deflate\t,\tzstd ") == ["gzip", "br", "deflate", "zstd"])
    #expect(ASCII.listMembers("gzip;q=0.5, a b") == ["gzip;q=0.5", "a b"])
    #expect(ASCII.listMembers("é,\u{301}") == ["é", "\u{301}"])
  }

  @Test func `empty members are left out`() {
    for text in ["", ",", " , \t,, ", "\t"] { #expect(ASCII.listMembers(text) == [], "\(text)") }
    #expect(ASCII.listMembers(",a,, ,b,") == ["a", "b"])
  }

  @Test func `a comma in a quoted string separates members too`() {
    #expect(ASCII.listMembers(#""a, b", c"#) == [#""a"#, #"b""#, "c"])
    #expect(ASCII.listMembers(#""a", "b""#) == [#""a""#, #""b""#])
  }
}
