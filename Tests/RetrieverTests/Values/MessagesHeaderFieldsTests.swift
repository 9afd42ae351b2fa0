#if !canImport(Darwin)
import Retriever
import Testing

@Suite struct MessagesHeaderFieldsTests {
  @Test func `a name matches ignoring case`() {
    var fields = HeaderFields()
    fields.set("text/html", for: "Content-Type")
    #expect(fields["content-TYPE"] == "text/html")
    #expect(fields.contains("CONTENT-TYPE"))
    #expect(fields["Content-Typo"] == nil)
  }

  @Test func `setting a field keeps its position and removes others with its name`() {
    var fields = HeaderFields([("A", "1"), ("B", "2"), ("a", "3"), ("C", "4")])
    fields.set("5", for: "a")
    #expect(fields.entries.map(\.name) == ["A", "B", "C"])
    #expect(fields.entries.map(\.value) == ["5", "2", "4"])
  }

  @Test func `several values are available joined and separately`() {
    var fields = HeaderFields()
    fields.add("a=1; expires=Wed, 01 Jan 2020 12:30:00 GMT", for: "Set-Cookie")
    fields.add("b=2", for: "set-cookie")
    #expect(fields["Set-Cookie"] == "a=1; expires=Wed, 01 Jan 2020 12:30:00 GMT, b=2")
    #expect(fields.values(for: "SET-COOKIE") == ["a=1; expires=Wed, 01 Jan 2020 12:30:00 GMT", "b=2"])
  }

  @Test func `removing a field removes all its values`() {
    var fields = HeaderFields([("A", "1"), ("B", "2"), ("a", "3")])
    fields["A"] = nil
    #expect(fields.entries.map(\.name) == ["B"])
  }

  @Test func equalityIgnoresTheOrderOfNamesButNotThatOfValues() {
    let fields = HeaderFields([("A", "1"), ("B", "2"), ("a", "3")])
    let reordered = HeaderFields([("b", "2"), ("a", "1"), ("A", "3")])
    #expect(fields == reordered)
    #expect(fields.hashValue == reordered.hashValue)
    #expect(fields != HeaderFields([("A", "3"), ("B", "2"), ("a", "1")]))
  }
}
#endif
