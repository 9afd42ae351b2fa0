import Glibc
import Testing

@testable import AdoptCommand

@Suite(.timeLimit(.minutes(4))) struct FixTests {
  private static let text = """
    func load(completion: @escaping (Int?, Error?) -> Void) {
      fetch { value, error in
        if let error {
          completion(nil, error)
        }
        completion(value, nil)
      }
    }

    """

  @Test func whatIsCertainIsChangedAndASecondTimeChangesNothing() async throws {
    let scratch = try Scratch()
    try scratch.write(Self.text, to: "a.swift")
    try scratch.write(CheckCommandTests.faulty, to: "b.swift")
    let first = try await scratch.adopt("check", "--fix", "--skip", "nothing")
    let fixed = try scratch.text("a.swift")
    #expect(fixed.contains("return"))
    #expect(first.errors.contains("; 1 fixed"))
    // What has no certain answer is left, and told.
    #expect(first.status == 1)
    #expect(try scratch.text("b.swift") == CheckCommandTests.faulty)
    let second = try await scratch.adopt("check", "--fix", "--skip", "nothing")
    #expect(try scratch.text("a.swift") == fixed)
    #expect(!second.errors.contains("fixed"))
    #expect(second.output == first.output)
  }

  @Test func aChangeThatDoesNotHelpIsTakenBack() async throws {
    let scratch = try Scratch()
    let text = """
      func load(completion: @escaping (Int) -> Void) {
        defer { completion(0) }
        DispatchQueue.main.async {
          completion(1)
        }
      }

      """
    try scratch.write(text, to: "a.swift")
    #expect(try await scratch.adopt("check", "--fix").status == 1)
    #expect(try scratch.text("a.swift") == text)
  }

  @Test func onlyWhatIsToldIsChanged() async throws {
    let scratch = try Scratch()
    try scratch.write(Self.text, to: "a.swift")
    _ = try await scratch.adopt("check", "--baseline", "b.json", "--write-baseline")
    #expect(try await scratch.adopt("check", "--baseline", "b.json", "--fix").status == 0)
    #expect(try scratch.text("a.swift") == Self.text)
    _ = try await scratch.adopt("check", "--fix", "--skip", "twice", "--skip", "after")
    #expect(try scratch.text("a.swift") == Self.text)
  }

  @Test func aFileThatCannotBeWrittenIsAProblem() async throws {
    // Root may write anywhere.
    guard geteuid() != 0 else { return }
    let scratch = try Scratch()
    try scratch.write(Self.text, to: "locked/a.swift")
    chmod(scratch.file("locked"), 0o500)
    defer { chmod(scratch.file("locked"), 0o700) }
    #expect(try await scratch.adopt("check", "--fix").status == 2)
  }
}
