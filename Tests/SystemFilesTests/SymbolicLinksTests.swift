import Glibc
import SystemFiles
import TestSupport
import Testing

struct SymbolicLinksTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// Returns the end of the chain at a name in the directory, or nil if there is none.
  private func end(of name: String) -> String? {
    var path = directory.path(name)
    return SymbolicLinks.follow(&path) ? path : nil
  }

  /// Creates `name1`, which points to `name2`, and so on. The last one points to `end`.
  private func makeChain(_ count: Int, end: String) {
    for index in 1...count {
      symlink(index == count ? end : "name\(index + 1)", directory.path("name\(index)"))
    }
  }

  @Test func `a path that is not a link does not change`() throws {
    try directory.write([], to: "file")
    #expect(end(of: "file") == directory.path("file"))
    #expect(end(of: "missing") == directory.path("missing"))
    #expect(SymbolicLinks.target(of: directory.path("file")) == nil)
  }

  @Test func `a relative link starts at its own directory`() {
    mkdir(directory.path("folder"), 0o700)
    symlink("folder/middle", directory.path("link"))
    symlink("../file", directory.path("folder/middle"))
    #expect(SymbolicLinks.target(of: directory.path("link")) == "folder/middle")
    #expect(end(of: "link") == directory.path("folder") + "/../file")
  }

  @Test func `an absolute link replaces the path`() {
    symlink("/nowhere/at/all", directory.path("link"))
    #expect(end(of: "link") == "/nowhere/at/all")
  }

  @Test func `a link in the working directory needs no slash`() {
    var path = "a name without a slash that does not exist"
    #expect(SymbolicLinks.follow(&path))
    #expect(path == "a name without a slash that does not exist")
  }

  @Test(arguments: [1, 2, 40]) func `the end of a chain does not need to exist`(length: Int) {
    makeChain(length, end: "missing")
    #expect(end(of: "name1") == directory.path("missing"))
  }

  @Test func `a chain of more than 40 links is not followed to its end`() {
    makeChain(41, end: "missing")
    #expect(end(of: "name1") == nil)
    #expect(end(of: "name22") == directory.path("missing"))
  }

  @Test(arguments: [1, 2, 3]) func `a cycle has no end`(length: Int) {
    makeChain(length, end: "name1")
    #expect(end(of: "name1") == nil)
  }

  @Test func `a link to a directory is not followed if a slash comes after it`() {
    mkdir(directory.path("folder"), 0o700)
    symlink("folder", directory.path("link"))
    var path = directory.path("link") + "/"
    #expect(SymbolicLinks.follow(&path))
    #expect(path == directory.path("link") + "/")
  }
}
