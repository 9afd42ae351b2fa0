import Testing

@testable import KennelStorage

@Suite struct ParentDirectoryTests {
  /// A regression test: a relative path of one character crashed the program.
  @Test(arguments: [
    ("r", "."), ("kennel", "."), ("kennel/", "."), ("a/b", "a"), ("a//b//", "a"), ("./r", "."),
    ("../r", ".."),
    ("/srv/kennel", "/srv"), ("/srv", "/"), ("/", "/"), ("//", "/"), ("", "."), ("hütte/ä", "hütte"),
  ])
  func `the parent directory of a path is found`(path: String, parent: String) {
    #expect(FileCalls.parent(of: path) == parent)
  }
}
