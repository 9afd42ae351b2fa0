import HTTPService
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelWeb

@Suite struct AcceptedLanguagesTests {
  private func lookup(_ field: String, standard: String = "en") -> String? {
    AcceptedLanguages(["Accept-Language": field]).lookup(["en", "de"], standard: standard)
  }

  @Test(arguments: [
    ("de", "de"), ("de-AT", "de"), ("DE-at-1996;q=0.3", "de"), ("fr, de;q=0.8, en;q=0.7", "de"),
    ("en;q=0.5, de;q=0.6", "de"), ("en, de", "en"), ("de;q=0, *", "en"), ("*", "en"),
    ("*;q=0.5, de;q=0.4", "en"),
    ("fr, *;q=0.1", "en"), ("de-x-custom", "de"), ("de ; q=0.5 , en;q=0.4", "de"),
    ("de;q=0.001, en;q=0.002", "en"),
  ])
  func `a language is found by lookup`(field: String, language: String) {
    #expect(lookup(field) == language)
  }

  @Test(arguments: [
    "", "fr", "fr-DE", "deu", "d", "de_DE", "de;q=", "de;q=0,5", "de;level=1", "de;q=0",
    "ger man", ";q=1",
    "-de", "de-", "*-de", "\u{0}de", "dé", "de;q=0.5;q=0.4",
  ])
  func `a field without a language that there is chooses none`(field: String) {
    #expect(lookup(field) == nil)
  }

  @Test func `a star means the language of the kennel`() {
    #expect(lookup("fr, *", standard: "de") == "de")
    #expect(lookup("de;q=0, *", standard: "de") == "en")
    #expect(lookup("de;q=0, en;q=0, *", standard: "de") == nil)
  }

  @Test func `only the first 32 ranges count`() {
    let many = Array(repeating: "fr", count: 31)
    #expect(lookup((many + ["de"]).joined(separator: ",")) == "de")
    #expect(lookup((many + ["fr", "de"]).joined(separator: ",")) == nil)
    #expect(lookup(String(repeating: "a-", count: 100_000)) == nil)
    #expect(lookup(String(repeating: ",", count: 100_000) + "de") != "en")
  }

  @Test func `any bytes are accepted`() {
    SeededRandom.draw(3000, eventsOf: 1, seed: 3) { _, random in
      let pieces = ["de", "en", "*", "-", ";", "q=", "0.", "1", ",", " ", "\"", "é", "x"]
      let text = (0..<Int.random(in: 0..<20, using: &random)).map { _ in
        pieces[Int.random(in: 0..<pieces.count, using: &random)]
      }.joined()
      #expect([nil, "en", "de"].contains(lookup(text)))
    }
  }
}
