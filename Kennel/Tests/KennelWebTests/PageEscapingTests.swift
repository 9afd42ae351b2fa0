import Testing

@testable import KennelWeb

@Suite struct PageEscapingTests {
  @Test func `outside text is never markup`() {
    let hostile = "<script>alert(\"1\" + '2')</script> & so on"
    let html: HTML = "<p title=\"\(hostile)\">\(hostile)</p>"
    let harmless = "&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39;)&lt;/script&gt; &amp; so on"
    #expect(html.text == "<p title=\"\(harmless)\">\(harmless)</p>")
  }

  @Test func `escaped text is escaped again`() {
    let html: HTML = "\("&lt;")"
    #expect(html.text == "&amp;lt;")
  }

  @Test func `markup in markup is not escaped`() {
    let nested: HTML = "<b>\("a<b")</b>"
    let absent: HTML? = nil
    let outer: HTML = "<p>\(nested)\(absent)\([nested, nested]) \(42)</p>"
    let expected = "<b>a&lt;b</b>"
    #expect(outer.text == "<p>\(expected)\(expected)\(expected) 42</p>")
    #expect(HTML([nested, nested]).text == expected + expected)
  }

  @Test(arguments: [true]) func `a string in a condition is escaped`(isHostile: Bool) {
    let html: HTML = "<p>\(isHostile ? "<b>" : "")</p>"
    #expect(html.text == "<p>&lt;b&gt;</p>")
  }

  @Test(arguments: ["\u{0}", "\u{8}", "\u{1B}", "\u{7F}"])
  func `characters that HTML does not allow are replaced`(character: String) {
    let html: HTML = "a\(character)b"
    #expect(html.text == "a\u{FFFD}b")
  }

  @Test func `line breaks and letters of all scripts are kept`() {
    let text = "Líne one\n\tzwei 🐕‍🦺 שלום"
    let html: HTML = "\(text)"
    #expect(html.text == text)
  }
}
