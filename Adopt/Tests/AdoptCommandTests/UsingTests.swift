import Testing

@testable import AdoptCommand

/// Ways to use adopt in other programs.
struct UsingTests {
  @Test func `explain shows an example and a fix for each kind`() async throws {
    let folder = try TemporaryPackage()
    let result = try await folder.adopt("explain", "lost")
    #expect(result.status == 0)
    #expect(
      result.output.hasPrefix("lost: ") && result.output.contains("Example:")
        && result.output.contains("Fix:"))
    let all = try await folder.adopt("explain")
    for kind in ["never", "twice", "nothing", "lost", "after", "suppression"] {
      #expect(all.output.contains("\(kind): "))
    }
    #expect(result.output.contains("    // " + "adopt:ignore lost - the reason\n"))
    for name in ["[lost]", "Lost", "HandlerLost"] {
      #expect(try await folder.adopt("explain", name).output == result.output)
    }
    #expect(try await folder.adopt("explain", "sometimes").status == 2)
  }

  @Test func `findings are written as annotations`() async throws {
    let folder = try TemporaryPackage()
    try folder.write(
      "func load(_ isOpen: Bool, completion: @escaping () -> Void) {\n  guard isOpen else { return }\n  completion()\n}\n",
      to: "a.swift")
    let result = try await folder.adopt("check", "--format", "github", "a.swift")
    #expect(result.status == 1)
    #expect(
      result.output
        == "::warning file=a.swift,line=2,col=23,title=adopt%3A never::returns without calling 'completion'"
        + "%0A2:9: this guard fails\n")
  }

  @Test func `annotations in a subfolder have paths from the top of the repository`() async throws {
    let folder = try TemporaryPackage()
    try await folder.git("init", "-q")
    try folder.write("func load(completion: @escaping () -> Void) {}\n", to: "App/a.swift")
    let result = try await folder.run([
      "/bin/sh", "-c", "cd App && '\(TemporaryPackage.program.path)' check --format github",
    ])
    #expect(result.output.hasPrefix("::warning file=App/a.swift,line=1,"), "\(result.output)")
  }

  @Test func `a file that does not parse is reported`() async throws {
    let folder = try TemporaryPackage()
    try folder.write("func load( {\n", to: "a.swift")
    let check = try await folder.adopt("check", "a.swift")
    #expect(check.errors.contains("a.swift:1:11: warning: the file does not parse"), "\(check.errors)")
    let alternatives = try await folder.adopt("alternatives", "a.swift")
    #expect(alternatives.errors.contains("The file does not parse"), "\(alternatives.errors)")
    #expect(alternatives.status == 2)
  }
}
