import Foundation
import Testing

@testable import AdoptCommand

@Suite(.timeLimit(.minutes(4))) struct SourceDiscoveryTests {
  private func names(_ scratch: Scratch, _ operands: String..., excluding: [String] = []) -> [String] {
    SourceDiscovery.find(operands.map { scratch.path + $0 }, excluding: excluding).files
      .map { String($0.dropFirst(scratch.path.count + 1)) }
  }

  @Test func aFolderIsAllSwiftFilesInItInOrder() throws {
    let scratch = try Scratch()
    for name in ["b.swift", "a/z.swift", "a/c.txt", "a/deep/er/d.swift", "a.swiftinterface"] {
      try scratch.write("", to: name)
    }
    #expect(names(scratch, "") == ["a/deep/er/d.swift", "a/z.swift", "b.swift"])
    #expect(names(scratch, "/a/") == ["a/deep/er/d.swift", "a/z.swift"])
  }

  @Test func whatOtherProgramsPutThereIsLeftOut() throws {
    let scratch = try Scratch()
    for folder in [".build", ".git", ".hidden", "Pods", "Carthage", "DerivedData", "node_modules", "ok"] {
      try scratch.write("", to: "\(folder)/a.swift")
    }
    try scratch.write("", to: ".a.swift")
    #expect(names(scratch, "") == ["ok/a.swift"])
    // Unless it is asked for by name.
    #expect(names(scratch, "/.hidden") == [".hidden/a.swift"])
  }

  @Test func aPackageIsItsSourcesAndTests() throws {
    let scratch = try Scratch()
    let manifest = """
      import PackageDescription
      let package = Package(
        name: "p",
        targets: [
          .target(name: "A"), .executableTarget(name: "B", path: "Elsewhere/./B"),
          .testTarget(name: "C", path: folder + "x"), .package(path: "../Other"),
        ])
      """
    try scratch.write(manifest, to: "Package.swift")
    for name in [
      "Sources/A/a.swift", "Tests/T/t.swift", "Plugins/P/p.swift", "Elsewhere/B/b.swift", "Examples/e.swift",
    ] {
      try scratch.write("", to: name)
    }
    #expect(
      names(scratch, "") == [
        "Elsewhere/B/b.swift", "Plugins/P/p.swift", "Sources/A/a.swift", "Tests/T/t.swift",
      ])
  }

  @Test func aPackageOfOneFolderIsThatFolder() throws {
    let scratch = try Scratch()
    try scratch.write(
      "let package = Package(targets: [.target(name: \"A\", path: \".\")])", to: "Package.swift")
    try scratch.write("", to: "a.swift")
    #expect(names(scratch, "") == ["Package.swift", "a.swift"])
  }

  @Test func linksThatLeadInCirclesEnd() throws {
    let scratch = try Scratch()
    try scratch.write("", to: "a/a.swift")
    try scratch.link("a/up", to: "..")
    try scratch.link("a/self", to: ".")
    try scratch.link("a/nowhere.swift", to: "gone")
    #expect(names(scratch, "") == ["a/a.swift"])
  }

  @Test func aFileThatSeveralPathsLeadToIsFoundOnceAndByItsOwn() throws {
    let scratch = try Scratch()
    try scratch.write("", to: "z/real.swift")
    try scratch.link("a.swift", to: "z/real.swift")
    try scratch.link("b", to: "z")
    #expect(names(scratch, "") == ["z/real.swift"])
    #expect(names(scratch, "/z", "", "/z/real.swift") == ["z/real.swift"])
    #expect(names(scratch, "/b") == ["b/real.swift"])
  }

  @Test func linksOutOfTheFolderAreFollowed() throws {
    let scratch = try Scratch()
    try scratch.write("", to: "shared/s.swift")
    try scratch.write("", to: "p/a.swift")
    try scratch.link("p/linked", to: "../shared")
    #expect(names(scratch, "/p") == ["p/a.swift", "p/linked/s.swift"])
  }

  @Test func aFileThatIsNamedIsTakenWhateverItsName() throws {
    let scratch = try Scratch()
    try scratch.write("", to: "a.txt")
    #expect(names(scratch, "/a.txt") == ["a.txt"])
    #expect(SourceDiscovery.find(["-", "-"]).files == ["-"])
  }

  @Test func patternsLeaveOutNamesAndPaths() throws {
    let scratch = try Scratch()
    for name in ["a.swift", "aTests.swift", "Generated/g.swift", "x/Generated/h.swift", "x/b.swift"] {
      try scratch.write("", to: name)
    }
    #expect(names(scratch, "", excluding: ["Generated", "*Tests.swift"]) == ["a.swift", "x/b.swift"])
    #expect(names(scratch, "", excluding: ["*/x/*"]) == ["Generated/g.swift", "a.swift", "aTests.swift"])
  }

  @Test func whatIsNotThereIsAProblem() throws {
    let scratch = try Scratch()
    let found = SourceDiscovery.find([scratch.file("gone")])
    #expect(found.files.isEmpty)
    #expect(
      found.problems == [FileProblem(scratch.file("gone"), "cannot be read: No such file or directory")])
  }
}
