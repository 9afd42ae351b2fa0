import Foundation
import Testing

@testable import AdoptCommand

struct SourceTextTests {
  @Test func aFileIsReadWhole() throws {
    let scratch = try Scratch()
    let text = String(repeating: "// größer\r\n", count: 20_000)
    try scratch.write(text, to: "a.swift")
    #expect(try SourceText.read(scratch.file("a.swift")).utf8.elementsEqual(text.utf8))
    try scratch.write("", to: "empty.swift")
    #expect(try SourceText.read(scratch.file("empty.swift")).isEmpty)
  }

  @Test func whatIsNotUTF8IsRefused() throws {
    let scratch = try Scratch()
    try scratch.write(Data([0x2f, 0x2f, 0xe4]), to: "latin.swift")
    #expect(
      throws: FileProblem(scratch.file("latin.swift"), "is not UTF-8, as Swift's source files have to be")
    ) {
      try SourceText.read(scratch.file("latin.swift"))
    }
  }

  @Test func foldersAndHugeFilesAreRefused() throws {
    let scratch = try Scratch()
    #expect(throws: FileProblem.self) { try SourceText.read(scratch.path) }
    #expect(throws: FileProblem.self) { try SourceText.read("/dev/zero") }
  }

  @Test func linesEndAsTheCompilerHasIt() {
    let lines = CheckedFile.lines([1, 2, 3, 4, 9], of: "a\r\nb\rc\nd")
    #expect(lines == [1: "a", 2: "b", 3: "c", 4: "d"])
  }
}
