import HTTPSyntax
import Testing

@Suite struct EntityTagTests {
  /// The examples of RFC 9110, 8.8.3.2.
  @Test(arguments: [
    ("W/\"1\"", "W/\"1\"", true), ("W/\"1\"", "W/\"2\"", false), ("W/\"1\"", "\"1\"", true),
    ("\"1\"", "\"1\"", true),
  ])
  func `tags are compared weakly`(one: String, other: String, isEqual: Bool) {
    #expect(EntityTag.areWeaklyEqual(one, other) == isEqual)
    #expect(EntityTag.areWeaklyEqual(other, one) == isEqual)
  }

  @Test func `only a mark in upper case makes a tag weak`() {
    #expect(EntityTag.isWeak("W/\"1\"") && !EntityTag.isWeak("\"W/1\"") && !EntityTag.isWeak("w/\"1\""))
  }
}
