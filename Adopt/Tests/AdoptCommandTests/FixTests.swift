import Glibc
import Testing

@testable import AdoptCommand

@Suite(.timeLimit(.minutes(5))) struct FixTests {
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

  @Test func `only safe fixes are applied, and a second run changes nothing`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Self.text, to: "a.swift")
    let uncertain = CheckCommandTests.faulty.replacing("(Int?)", with: "(Int)")
    try scratch.write(uncertain, to: "b.swift")
    let first = try await scratch.adopt("check", "--fix", "--skip", "nothing")
    let fixed = try scratch.text("a.swift")
    #expect(fixed.contains("return"))
    #expect(first.errors.contains("; 1 fixed"))
    // Findings without a safe fix are left unchanged and reported.
    #expect(first.status == 1)
    #expect(try scratch.text("b.swift") == uncertain)
    let second = try await scratch.adopt("check", "--fix", "--skip", "nothing")
    #expect(try scratch.text("a.swift") == fixed)
    #expect(!second.errors.contains("fixed"))
    #expect(second.output == first.output)
  }

  @Test func `missing calls are added, and nothing else in the file changes`() async throws {
    let scratch = try TemporaryPackage()
    let text = """
      // A file with\ttabs, and two  spaces.
      func load(completion: @escaping (Result<Int, any Error>) -> Void) {
        do {
          completion(.success(try read()))
        } catch {
          print(error)
        }
      }

      func name(completion: @escaping (String?) -> Void) {
        guard isReady else { return }
        completion("a")
      }

      """
    try scratch.write(text, to: "a.swift")
    let first = try await scratch.adopt("check", "--fix")
    #expect(first.errors == "adopt: 2 handlers in 1 file, nothing found; 2 fixed\n")
    #expect(
      try scratch.text("a.swift")
        == text.replacing("    print(error)\n", with: "    print(error)\n    completion(.failure(error))\n")
        .replacing("{ return }", with: "{ completion(nil); return }"))
    #expect(
      try await scratch.adopt("check", "--fix").errors == "adopt: 2 handlers in 1 file, nothing found\n")
  }

  @Test func `lines that are added end like those of the file`() async throws {
    let scratch = try TemporaryPackage()
    let text = """
      func load(completion: @escaping (Result<Int, any Error>) -> Void) {
        do {
          completion(.success(try read()))
        } catch {
          print(error)
        }
      }

      """.replacing("\n", with: "\r\n")
    try scratch.write(text, to: "a.swift")
    _ = try await scratch.adopt("check", "--fix")
    let fixed = try scratch.text("a.swift")
    #expect(fixed.contains("    print(error)\r\n    completion(.failure(error))\r\n"))
    #expect(!fixed.replacing("\r\n", with: "").utf8.contains(UInt8(ascii: "\n")))
  }

  @Test func `a fix that does not help is reverted`() async throws {
    let scratch = try TemporaryPackage()
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

  @Test func `only reported findings are fixed`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Self.text, to: "a.swift")
    _ = try await scratch.adopt("check", "--baseline", "b.json", "--write-baseline")
    #expect(try await scratch.adopt("check", "--baseline", "b.json", "--fix").status == 0)
    #expect(try scratch.text("a.swift") == Self.text)
    _ = try await scratch.adopt("check", "--fix", "--skip", "twice", "--skip", "after")
    #expect(try scratch.text("a.swift") == Self.text)
  }

  @Test func `a file that cannot be written is an error`() async throws {
    // Root can write to any file.
    guard geteuid() != 0 else { return }
    let scratch = try TemporaryPackage()
    try scratch.write(Self.text, to: "locked/a.swift")
    chmod(scratch.file("locked"), 0o500)
    defer { chmod(scratch.file("locked"), 0o700) }
    #expect(try await scratch.adopt("check", "--fix").status == 2)
  }
}
