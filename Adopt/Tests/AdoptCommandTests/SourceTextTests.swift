import Foundation
import Testing

@testable import AdoptCommand

struct SourceTextTests {
  @Test func `a file is read completely`() throws {
    let scratch = try TemporaryPackage()
    let text = String(repeating: "// größer\r\n", count: 20_000)
    try scratch.write(text, to: "a.swift")
    #expect(try SourceText.read(scratch.file("a.swift")).utf8.elementsEqual(text.utf8))
    try scratch.write("", to: "empty.swift")
    #expect(try SourceText.read(scratch.file("empty.swift")).isEmpty)
  }

  @Test func `a file that is not UTF-8 is an error`() throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Data([0x2f, 0x2f, 0xe4]), to: "latin.swift")
    #expect(
      throws: FileProblem(
        scratch.file("latin.swift"), "The file is not valid UTF-8, which Swift source files must be.")
    ) {
      try SourceText.read(scratch.file("latin.swift"))
    }
  }

  @Test func `folders and very large files are errors`() throws {
    let scratch = try TemporaryPackage()
    #expect(throws: FileProblem.self) { try SourceText.read(scratch.path) }
    #expect(throws: FileProblem.self) { try SourceText.read("/dev/zero") }
  }

  @Test func `lines end as in the compiler`() {
    let lines = CheckedFile.lines([1, 2, 3, 4, 9], of: "a\r\nb\rc\nd")
    #expect(lines == [1: "a", 2: "b", 3: "c", 4: "d"])
  }
}
