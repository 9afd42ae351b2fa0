import Foundation
import Glibc
import Testing

@testable import AdoptCommand

@Suite(.timeLimit(.minutes(5))) struct CheckCommandTests {
  static let faulty = """
    func load(completion: @escaping (Int?) -> Void) {
      guard isReady else { return }
      completion(1)
    }

    """
  static let clean = """
    func load(completion: @escaping (Int?) -> Void) {
      completion(1)
    }

    """

  @Test func `files are checked together with aliases and extensions in other files`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write("", to: "Package.swift")
    try scratch.write("typealias Loaded = (Result<Int, any Error>) -> Void\n", to: "Sources/A/types.swift")
    try scratch.write(
      """
      final class Locator {
        var waiting: CheckedContinuation<Int, Never>?
        func open() { waiting?.resume(returning: 1); waiting = nil }
      }

      """, to: "Sources/A/a.swift")
    let user = """
      extension Locator {
        func load(_ done: @escaping Loaded) {
          guard isOpen else { return }
          done(.success(1))
        }
        func cancel() { waiting = nil }
      }

      """
    try scratch.write(user, to: "Sources/A/b.swift")
    let found = try await scratch.adopt("check")
    #expect(found.status == 1)
    #expect(
      found.output.contains("Sources/A/b.swift:3:25: warning: returns without calling 'done' [never]\n"))
    #expect(
      found.output.contains(
        "Sources/A/b.swift:6:19: warning: if a continuation is still waiting in 'waiting', it is dropped here "
          + "and never resumed [lost]\n  func cancel() { waiting = nil }\n"))
    #expect(found.errors == "adopt: 2 findings on 2 handlers in 3 files\n")
    // Alone, the file shows neither.
    #expect(try await scratch.adopt("check", "Sources/A/b.swift").status == 0)
  }

  @Test func `the exit status is 1 with findings and 0 without`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Self.faulty, to: "Sources/a.swift")
    try scratch.write(Self.clean, to: "Sources/b.swift")
    try scratch.write("", to: "Package.swift")
    let found = try await scratch.adopt("check")
    #expect(found.status == 1)
    #expect(found.output.hasPrefix("Sources/a.swift:2:24: warning: "))
    #expect(found.output.contains(" [never]\n  guard isReady else { return }\n"))
    #expect(found.output.contains("Sources/a.swift:2:"))
    #expect(found.errors == "adopt: 1 finding on 2 handlers in 2 files\n")
    let clean = try await scratch.adopt("check", "Sources/b.swift")
    #expect(clean.status == 0)
    #expect(clean.output.isEmpty)
    #expect(clean.errors == "adopt: 1 handler in 1 file, nothing found\n")
    let quiet = try await scratch.adopt("check", "-q", "Sources/b.swift")
    #expect(quiet.errors.isEmpty)
  }

  @Test func `an unreadable file exits with 2, and other files are still checked`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Self.faulty, to: "a.swift")
    try scratch.write(Data([0xff, 0xfe]), to: "b.swift")
    let result = try await scratch.adopt("check", ".", "gone.swift")
    #expect(result.status == 2)
    #expect(result.output.contains("a.swift:2:24: warning: "))
    #expect(result.errors.contains("b.swift: error: The file is not valid UTF-8"))
    #expect(
      result.errors.contains(
        "gone.swift: error: Could not read the file or folder: No such file or directory."))
  }

  @Test func `invalid command lines exit with 2 and an error message`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Self.clean, to: "a/a.swift")
    try scratch.write("", to: "b/readme")
    let cases: [([String], String)] = [
      (["chek"], "Unknown command “chek”. Did you mean check?"),
      (["check", "--fromat=json"], "The command check has no option --fromat. Did you mean --format?"),
      (["check", "--skip", "sometimes", "a"], "--skip must be one of never, twice"),
      (["check", "--write-baseline", "a"], "--write-baseline requires --baseline FILE"),
      (["check", "--fix", "-"], "--fix changes files"),
      (["check", "--path", "x.swift", "a"], "--path names standard input"),
      (
        ["check", "--baseline", "gone.json", "a"],
        "gone.json: Could not read the file: No such file or directory."
      ),
      (["check", "b"], "No Swift files were found in b"),
      (["check", "--diff", "HEAD", "a"], "is not in a git repository"),
      (["check", "-j", "0", "a"], "--jobs must be a number from 1 to 1024, not “0”"),
    ]
    for (arguments, message) in cases {
      let result = try await scratch.run([TemporaryPackage.program.path] + arguments)
      #expect(result.status == 2, "\(arguments)")
      #expect(result.errors.contains(message), "\(arguments): \(result.errors)")
    }
  }

  @Test func `standard input is read and reported with the given name`() async throws {
    let scratch = try TemporaryPackage()
    let result = try await scratch.adopt("check", "-", "--path", "Editor.swift", input: Self.faulty)
    #expect(result.status == 1)
    #expect(result.output.hasPrefix("Editor.swift:2:24: warning: "))
    #expect(
      try await scratch.adopt("check", "-", input: Self.faulty).output.hasPrefix("<stdin>:2:24: warning: "))
  }

  @Test func `the order of findings does not depend on the number of threads`() async throws {
    let scratch = try TemporaryPackage()
    for number in 0..<200 {
      try scratch.write(
        String(repeating: "// \n", count: number * 7 % 50) + Self.faulty, to: "f\(number).swift")
    }
    let one = try await scratch.adopt("check", "-j", "1")
    let many = try await scratch.adopt("check", "-j", "16")
    #expect(one.output == many.output)
    let names = one.output.split(separator: "\n").filter { $0.contains("warning: ") }
      .map { $0.prefix { $0 != ":" } }
    #expect(names.count == 200)
    #expect(names == names.sorted())
  }

  @Test func `the JSON report can be decoded`() async throws {
    struct Report: Decodable {
      struct Entry: Decodable {
        struct Location: Decodable { let file: String, line: Int, column: Int }
        struct Note: Decodable { let location: Location }
        let kind: String, location: Location, path: [Note], function: String, fingerprint: String
      }
      struct Problem: Decodable { let file: String }
      let version: Int, findings: [Entry], counts: [String: Int], problems: [Problem]
    }
    let scratch = try TemporaryPackage()
    try scratch.write(Self.faulty, to: "a.swift")
    let result = try await scratch.adopt("check", "a.swift", "gone.swift", "--format", "json")
    let report = try JSONDecoder().decode(Report.self, from: Data(result.output.utf8))
    #expect(report.version == 1)
    #expect(report.findings.map(\.kind) == ["never"])
    #expect(report.findings.first?.function == "load(completion:)")
    #expect(report.findings.first?.path.first?.location.line == 2)
    #expect(report.counts["findings"] == 1)
    #expect(report.problems.map(\.file) == ["gone.swift"])
  }

  @Test func `the report can be written to a file`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Self.faulty, to: "a.swift")
    let result = try await scratch.adopt("check", "a.swift", "--format=sarif", "-o", "out.sarif")
    #expect(result.status == 1)
    #expect(result.output.isEmpty)
    #expect(try scratch.text("out.sarif").contains("\"version\" : \"2.1.0\""))
    #expect(scratch.names == ["a.swift", "out.sarif"])
  }

  @Test func `kinds can be skipped, and functions that call once can be declared`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Self.faulty, to: "a.swift")
    #expect(try await scratch.adopt("check", "--skip", "never", "--skip", "twice").status == 0)
    let twice = """
      func load(completion: @escaping () -> Void) {
        withLoan { completion() }
        completion()
      }

      """
    try scratch.write(twice, to: "a.swift")
    #expect(try await scratch.adopt("check").status == 0)
    let declared = try await scratch.adopt("check", "--calls-once", "withLoan")
    #expect(declared.status == 1)
    #expect(declared.output.contains("[twice]"))
  }

  @Test func `a suppression requires a reason`() async throws {
    let scratch = try TemporaryPackage()
    let text = Self.faulty.replacingOccurrences(
      of: "return }", with: "return } // adopt:ignore never - the caller asks again")
    try scratch.write(text, to: "a.swift")
    let result = try await scratch.adopt("check")
    #expect(result.status == 0)
    #expect(result.errors == "adopt: 1 handler in 1 file, nothing found; 1 suppressed\n")
    try scratch.write(text.replacingOccurrences(of: " - the caller asks again", with: ""), to: "a.swift")
    let without = try await scratch.adopt("check")
    #expect(without.status == 1)
    #expect(without.output.contains("[suppression]"))
  }

  @Test func `findings in the baseline are not reported`() async throws {
    let scratch = try TemporaryPackage()
    try scratch.write(Self.faulty, to: "Sources/a.swift")
    let written = try await scratch.adopt("check", "--baseline", "b.json", "--write-baseline")
    #expect(written.status == 0)
    #expect(written.errors == "adopt: 1 finding written to b.json\n")
    #expect(try scratch.text("b.json").contains("\"file\" : \"Sources/a.swift\""))
    try scratch.write("// moved down\n\n" + Self.faulty, to: "Sources/a.swift")
    let known = try await scratch.adopt("check", "--baseline", "b.json", "Sources")
    #expect(known.status == 0)
    #expect(known.errors == "adopt: 1 handler in 1 file, nothing found; 1 in the baseline\n")
    try scratch.write(Self.faulty.replacingOccurrences(of: "load", with: "store"), to: "Sources/b.swift")
    let new = try await scratch.adopt("check", "--baseline", "b.json")
    #expect(new.status == 1)
    #expect(new.output.hasPrefix("Sources/b.swift:2:24: "))
  }

  @Test func `Ctrl-C ends the program immediately, even while it waits for input`() async throws {
    let scratch = try TemporaryPackage()
    try #require(mkfifo(scratch.file("pipe.swift"), 0o600) == 0)
    // No process writes to the pipe; `timeout` sends the same signal as Ctrl-C.
    let result = try await scratch.run(
      ["/usr/bin/timeout", "--signal=INT", "1", TemporaryPackage.program.path, "check", "pipe.swift"])
    #expect(result.status == 124)
    #expect(result.output.isEmpty)
  }

  @Test func `a closed output pipe ends the program without an error message`() async throws {
    let scratch = try TemporaryPackage()
    for number in 0..<1500 { try scratch.write(Self.faulty, to: "f\(number).swift") }
    let script = "'\(TemporaryPackage.program.path)' check | head -1; exit ${PIPESTATUS[0]}"
    let result = try await scratch.run(["/bin/bash", "-c", script])
    #expect(result.status == 141)
    #expect(!result.errors.contains("error"))
  }

  @Test func `version, help and completions are printed`() async throws {
    let scratch = try TemporaryPackage()
    #expect(try await scratch.adopt("version").output == "adopt \(ProjectVersion.current)\n")
    #expect(try await scratch.adopt("help").output.contains("Commands:"))
    #expect(try await scratch.adopt("help", "check").output.contains("--diff REV"))
    #expect(try await scratch.adopt("completions", "fish").output.contains("complete -c adopt"))
  }
}
