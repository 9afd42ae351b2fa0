import Foundation
import Glibc
import SystemFiles
import TestSupport
import Testing

struct PrivateDirectoryTests {
  private let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  private func permissions(_ name: String) -> mode_t? {
    var status = stat()
    return stat(directory.path(name), &status) == 0 ? status.st_mode & 0o7777 : nil
  }

  @Test func `a directory and its parents are private`() {
    #expect(PrivateDirectory.make(directory.path("a/b/c")))
    for name in ["a", "a/b", "a/b/c"] { #expect(permissions(name) == 0o700) }
  }

  @Test func `existing directories keep their permissions`() throws {
    #expect(mkdir(directory.path("a"), 0o755) == 0)
    chmod(directory.path("a"), 0o755)
    #expect(PrivateDirectory.make(directory.path("a/b")))
    #expect(PrivateDirectory.make(directory.path("a")))
    #expect(permissions("a") == 0o755)
    #expect(permissions("a/b") == 0o700)
  }

  @Test func `a file in the place of a parent is an error`() throws {
    try directory.write(Data(), to: "file")
    let (isMade, code) = (PrivateDirectory.make(directory.path("file/a")), errno)
    #expect(!isMade && code == ENOTDIR)
    #expect(permissions("file/a") == nil)
  }
}
