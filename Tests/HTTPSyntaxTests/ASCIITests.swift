import HTTPSyntax
import Testing

/// Compares the byte rules with lists of characters, for every value of a byte.
@Suite struct ASCIITests {
  private static let allBytes = Array(UInt8.min...UInt8.max)
  private static let digits = "0123456789"
  private static let smallLetters = "abcdefghijklmnopqrstuvwxyz"
  private static let capitalLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

  /// The bytes for which `rule` is true, as text. All of them must be ASCII.
  private func characters(where rule: (UInt8) -> Bool) -> String {
    Self.allBytes.filter(rule).map { String(UnicodeScalar($0)) }.joined()
  }

  private func sorted(_ text: String) -> String {
    String(decoding: text.utf8.sorted(), as: UTF8.self)
  }

  @Test func `the token characters are letters, digits and fifteen signs`() {
    let expected = Self.digits + Self.smallLetters + Self.capitalLetters + "!#$%&'*+-.^_`|~"
    #expect(characters(where: ASCII.isTokenCharacter) == sorted(expected))
  }

  @Test func `the digits are 0 to 9, and hexadecimal digits are also a to f in both cases`() {
    #expect(characters(where: ASCII.isDigit) == Self.digits)
    #expect(characters(where: ASCII.isHexadecimalDigit) == sorted(Self.digits + "abcdefABCDEF"))
  }

  @Test func `only a space and a tab are blanks`() {
    #expect(characters(where: ASCII.isBlank) == "\t ")
  }

  @Test func `only the bytes of A to Z have a lowercase form, and only those of a to z an uppercase form`() {
    for byte in Self.allBytes {
      let character = String(UnicodeScalar(byte))
      let isCapital = Self.capitalLetters.contains(character)
      let isSmall = Self.smallLetters.contains(character)
      #expect(ASCII.lowercased(byte) == (isCapital ? Array(character.lowercased().utf8)[0] : byte))
      #expect(ASCII.uppercased(byte) == (isSmall ? Array(character.uppercased().utf8)[0] : byte))
    }
  }

  @Test func `a hexadecimal digit has its value, and no other byte has one`() {
    for byte in Self.allBytes {
      let value = Int(String(UnicodeScalar(byte)), radix: 16)
      #expect(ASCII.hexadecimalValue(byte).map(Int.init) == value, "\(byte)")
    }
  }

  @Test func `a token consists of token characters and is not empty`() {
    for text in ["GET", "content-type", "!", "a'b"] {
      #expect(ASCII.isToken(text))
      #expect(ASCII.isToken(Substring(text)))
    }
    for text in ["", " ", "a b", "a:", "\"a\"", "a\r", "é", "a\u{301}", "a,b", "(a)", "a/b"] {
      #expect(!ASCII.isToken(text), "\(text)")
      #expect(!ASCII.isToken(Substring(text)), "\(text)")
    }
  }

  @Test func `texts are equal if they differ only in the case of A to Z`() {
    for (left, right) in [("", ""), ("Content-Type", "cONTENT-tYPE"), ("é", "é"), ("z[", "Z[")] {
      #expect(ASCII.equalIgnoringCase(left, right))
      #expect(ASCII.equalIgnoringCase(Substring(left), right[...]))
    }
    // The Kelvin sign is K for Unicode; "@" and "`", and "[" and "{" differ in the same bit as a letter's cases.
    // The last pair is one character for Swift, but its bytes differ.
    for (left, right) in [
      ("a", "ab"), ("ab", "a"), ("", "a"), ("é", "É"), ("k", "\u{212A}"), ("@", "`"), ("[", "{"), ("ß", "SS"),
      ("\u{E9}", "e\u{301}"),
    ] {
      #expect(!ASCII.equalIgnoringCase(left, right), "\(left) \(right)")
      #expect(!ASCII.equalIgnoringCase(Substring(left), right[...]), "\(left) \(right)")
    }
  }

  @Test func `the case of a text changes only in A to Z`() {
    #expect(ASCII.lowercased("ÀBC-Kz9[İ") == "Àbc-kz9[İ")
    #expect(ASCII.uppercased("àbc-kZ9{ı") == "àBC-KZ9{ı")
    #expect(ASCII.lowercased("") == "" && ASCII.uppercased("") == "")
  }

  @Test func `trimming removes spaces and tabs at both ends and nothing else`() {
    #expect(ASCII.trimmed(" \t a \t b\t ") == "a \t b")
    #expect(ASCII.trimmed(" \t ") == "" && ASCII.trimmed("") == "")
    for kept in ["\r\na\r\n", "\u{A0}a\u{A0}", "\u{3000}a", "\0a"] {
      #expect(ASCII.trimmed(" \(kept) ") == kept)
    }
    #expect(Array(ASCII.trimmed(" \u{301}a").utf8) == Array("\u{301}a".utf8))
  }
}
