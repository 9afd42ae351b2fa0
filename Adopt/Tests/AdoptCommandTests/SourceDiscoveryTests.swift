import Foundation
import Testing

@testable import AdoptCommand

@Suite(.timeLimit(.minutes(5))) struct SourceDiscoveryTests {
  private func names(
    _ scratch: TemporaryPackage, _ operands: String..., excluding: [String] = []
  ) -> [String] {
    SourceDiscovery.find(operands.map { scratch.path + $0 }, excluding: excluding).files
      .map { String($0.dropFirst(scratch.path.count + 1)) }
  }

  @Test func `a folder stands for all Swift files in it, in order`() throws {
    let scratch = try TemporaryPackage()
    for name in ["b.swift", "a/z.swift", "a/c.txt", "a/deep/er/d.swift", "a.swiftinterface"] {
      try scratch.write("", to: name)
    }
    #expect(names(scratch, "") == ["a/deep/er/d.swift", "a/z.swift", "b.swift"])
    #expect(names(scratch, "/a/") == ["a/deep/er/d.swift", "a/z.swift"])
  }

  @Test func `hidden folders and folders of other tools are skipped`() throws {
    let scratch = try TemporaryPackage()
    for folder in [".build", ".git", ".hidden", "Pods", "Carthage", "DerivedData", "node_modules", "ok"] {
      try scratch.write("", to: "\(folder)/a.swift")
    }
    try scratch.write("", to: ".a.swift")
    #expect(names(scratch, "") == ["ok/a.swift"])
    // A hidden folder that is named explicitly is searched.
    #expect(names(scratch, "/.hidden") == [".hidden/a.swift"])
  }

  @Test func `a package stands for its sources, tests and plug-ins`() throws {
    let scratch = try TemporaryPackage()
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

  @Test func `a package with the path of its folder stands for that folder`() throws {
    let scratch = try TemporaryPackage()
    try scratch.write(
      "let package = Package(targets: [.target(name: \"A\", path: \".\")])", to: "Package.swift")
    try scratch.write("", to: "a.swift")
    #expect(names(scratch, "") == ["Package.swift", "a.swift"])
  }

  @Test func `circular links end the search`() throws {
    let scratch = try TemporaryPackage()
    try scratch.write("", to: "a/a.swift")
    try scratch.link("a/up", to: "..")
    try scratch.link("a/self", to: ".")
    try scratch.link("a/nowhere.swift", to: "gone")
    #expect(names(scratch, "") == ["a/a.swift"])
  }

  @Test func `a file with several paths is found once, with its own path`() throws {
    let scratch = try TemporaryPackage()
    try scratch.write("", to: "z/real.swift")
    try scratch.link("a.swift", to: "z/real.swift")
    try scratch.link("b", to: "z")
    #expect(names(scratch, "") == ["z/real.swift"])
    #expect(names(scratch, "/z", "", "/z/real.swift") == ["z/real.swift"])
    #expect(names(scratch, "/b") == ["b/real.swift"])
  }

  @Test func `links out of the folder are followed`() throws {
    let scratch = try TemporaryPackage()
    try scratch.write("", to: "shared/s.swift")
    try scratch.write("", to: "p/a.swift")
    try scratch.link("p/linked", to: "../shared")
    #expect(names(scratch, "/p") == ["p/a.swift", "p/linked/s.swift"])
  }

  @Test func `a file that is named explicitly is used regardless of its extension`() throws {
    let scratch = try TemporaryPackage()
    try scratch.write("", to: "a.txt")
    #expect(names(scratch, "/a.txt") == ["a.txt"])
    #expect(SourceDiscovery.find(["-", "-"]).files == ["-"])
  }

  @Test func `patterns exclude names and paths`() throws {
    let scratch = try TemporaryPackage()
    for name in ["a.swift", "aTests.swift", "Generated/g.swift", "x/Generated/h.swift", "x/b.swift"] {
      try scratch.write("", to: name)
    }
    #expect(names(scratch, "", excluding: ["Generated", "*Tests.swift"]) == ["a.swift", "x/b.swift"])
    #expect(names(scratch, "", excluding: ["*/x/*"]) == ["Generated/g.swift", "a.swift", "aTests.swift"])
  }

  @Test func `a missing file is an error`() throws {
    let scratch = try TemporaryPackage()
    let found = SourceDiscovery.find([scratch.file("gone")])
    #expect(found.files.isEmpty)
    #expect(
      found.problems == [
        FileProblem(
          scratch.file("gone"),
          "Could not read the file or folder: No such file or directory. Check the path.")
      ])
  }
}
