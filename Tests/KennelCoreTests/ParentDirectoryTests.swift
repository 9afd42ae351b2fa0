import Testing

@testable import KennelCore

@Suite struct ParentDirectoryTests {
  /// A relative path of one character once ended the program.
  @Test(arguments: [
    ("r", "."), ("kennel", "."), ("kennel/", "."), ("a/b", "a"), ("a//b//", "a"), ("./r", "."),
    ("../r", ".."),
    ("/srv/kennel", "/srv"), ("/srv", "/"), ("/", "/"), ("//", "/"), ("", "."), ("hütte/ä", "hütte"),
  ])
  func theDirectoryAPathLeadsThroughLastIsFound(path: String, parent: String) {
    #expect(FileCalls.parent(of: path) == parent)
  }
}
