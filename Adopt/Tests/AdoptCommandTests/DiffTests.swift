import Foundation
import Testing

@testable import AdoptCommand

@Suite(.timeLimit(.minutes(5))) struct DiffTests {
  /// Two functions with the same error, a few lines apart.
  private static let text = """
    func first(completion: @escaping () -> Void) {
      guard isReady else { return }
      completion()
    }

    // A line between the functions can be changed without affecting them.
    //

    func second(completion: @escaping () -> Void) {
      guard isReady else { return }
      completion()
    }

    """

  private func repository() async throws -> TemporaryPackage {
    let scratch = try TemporaryPackage()
    try await scratch.git("init", "-q")
    try scratch.write(Self.text, to: "Sources/größe one.swift")
    try await scratch.git("add", ".")
    try await scratch.git("commit", "-qm", "First")
    return scratch
  }

  private func functions(_ scratch: TemporaryPackage, _ arguments: String...) async throws -> [String] {
    let result = try await scratch.run(
      [TemporaryPackage.program.path, "check", "--format", "json"] + arguments)
    #expect(result.status < 2, "\(result.errors)")
    return result.output.split(separator: "\n").filter { $0.contains("\"function\"") }
      .map { String($0.split(separator: "\"")[3].prefix { $0 != "(" }) }
  }

  @Test func `only findings on changed lines are reported`() async throws {
    let scratch = try await repository()
    #expect(try await functions(scratch) == ["first", "second"])
    #expect(try await functions(scratch, "--diff", "HEAD") == [])
    try scratch.write(
      Self.text.replacingOccurrences(of: "    //\n", with: "// other\n"), to: "Sources/größe one.swift")
    let changed = Self.text.replacing("second", with: "zweite").replacing(
      "zweite(completion: @escaping () -> Void) {\n  guard isReady",
      with: "zweite(completion: @escaping () -> Void) {\n  guard isReallyReady")
    try scratch.write(changed, to: "Sources/größe one.swift")
    #expect(try await functions(scratch, "--diff", "HEAD") == ["zweite"])
    let result = try await scratch.adopt("check", "--diff", "HEAD")
    #expect(result.errors.contains("1 outside the changed lines"))
  }

  @Test func `a removed line counts as a change at its place`() async throws {
    let scratch = try TemporaryPackage()
    try await scratch.git("init", "-q")
    let before =
      "func f(completion: @escaping () -> Void) {\n  if isOld {\n    completion()\n    return\n  }\n  completion()\n}\n"
    try scratch.write(before, to: "a.swift")
    try await scratch.git("add", ".")
    try await scratch.git("commit", "-qm", "First")
    try scratch.write(before.replacing("    completion()\n    return", with: "    return"), to: "a.swift")
    #expect(try await functions(scratch, "--diff", "HEAD") == ["f"])
  }

  @Test func `untracked files are completely new`() async throws {
    let scratch = try await repository()
    try scratch.write(Self.text, to: "Sources/new.swift")
    try scratch.write(Self.text, to: "Ignored/i.swift")
    try scratch.write("Ignored\n", to: ".gitignore")
    #expect(try await functions(scratch, "--diff", "HEAD") == ["first", "second"])
  }

  @Test func `a renamed file is not new`() async throws {
    let scratch = try await repository()
    try await scratch.git("mv", "Sources/größe one.swift", "Sources/renamed.swift")
    #expect(try await functions(scratch, "--diff", "HEAD") == [])
    try scratch.write(
      Self.text.replacing(
        "func second(completion: @escaping () -> Void) {\n  guard isReady",
        with: "func second(completion: @escaping () -> Void) {\n  guard isOpen"),
      to: "Sources/renamed.swift")
    #expect(try await functions(scratch, "--diff", "HEAD") == ["second"])
  }

  @Test func `a branch is compared with its starting point`() async throws {
    let scratch = try await repository()
    try await scratch.git("branch", "trunk")
    try await scratch.git("checkout", "-q", "-b", "topic")
    try scratch.write(
      "func third(completion: @escaping () -> Void) {\n  if x { completion() }\n}\n", to: "t.swift")
    try await scratch.git("add", ".")
    try await scratch.git("commit", "-qm", "Topic")
    try await scratch.git("checkout", "-q", "trunk")
    try scratch.write(Self.text.replacing("second", with: "other"), to: "Sources/größe one.swift")
    try await scratch.git("commit", "-qam", "Trunk")
    try await scratch.git("checkout", "-q", "topic")
    #expect(try await functions(scratch, "--diff", "trunk...") == ["third"])
  }

  @Test func `types and aliases of unchanged files count for changed files`() async throws {
    let scratch = try TemporaryPackage()
    try await scratch.git("init", "-q")
    try scratch.write("typealias Done = (Int) -> Void\n", to: "Sources/App/Types.swift")
    try scratch.write("let answer = 42\n", to: "Sources/App/Work.swift")
    try scratch.write(
      """
      final class Gate {
        var waiting: CheckedContinuation<Void, Never>?
        func enter() async {
          if waiting != nil { return }
          await withCheckedContinuation { waiting = $0 }
        }
      }

      """, to: "Sources/App/Gate.swift")
    try await scratch.git("add", ".")
    try await scratch.git("commit", "-qm", "First")
    try scratch.write(
      "func work(completion: @escaping Done) {\n  guard isReady else { return }\n  completion(1)\n}\n",
      to: "Sources/App/Work.swift")
    #expect(try await functions(scratch, "--diff", "HEAD") == ["work"])
    try scratch.write(
      """
      extension Gate {
        func open(_ isReady: Bool) {
          guard let waiting else { return }
          self.waiting = nil
          if isReady { waiting.resume() }
        }
      }

      """, to: "Sources/App/Gate+Open.swift")
    #expect(try await functions(scratch, "--diff", "HEAD") == ["open", "work"])
  }

  @Test func `check --diff works in a subfolder and with a path outside of it`() async throws {
    let scratch = try await repository()
    try scratch.write(Self.text + "\n", to: "Sources/new.swift")
    let result = try await scratch.run([
      "/bin/sh", "-c",
      "cd Sources && '\(TemporaryPackage.program.path)' check --diff HEAD ../Sources/new.swift .",
    ])
    #expect(result.status == 1)
    #expect(result.output.contains("../Sources/new.swift:2:"))
  }

  @Test func `an unknown revision is an error and never an option of git`() async throws {
    let scratch = try await repository()
    for revision in ["nowhere", "--output=x", "nowhere..."] {
      let result = try await scratch.adopt("check", "--diff=\(revision)")
      #expect(result.status == 2)
      #expect(result.errors.contains("There is no git revision"))
    }
    #expect(scratch.names == [".git", "Sources"])
  }

  @Test func `SARIF paths are relative to the top of the repository`() async throws {
    let scratch = try await repository()
    let result = try await scratch.run([
      "/bin/sh", "-c", "cd Sources && '\(TemporaryPackage.program.path)' check --format sarif .",
    ])
    #expect(result.output.contains("\"uri\" : \"Sources/gr%C3%B6%C3%9Fe%20one.swift\""))
  }
}
