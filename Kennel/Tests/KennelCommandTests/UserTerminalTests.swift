import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelCommand

/// Tests of the output on a terminal, for which they use `script`.
@Suite(.timeLimit(.minutes(5))) struct UserTerminalTests {
  private let kennel: Kennel

  init() throws { kennel = try Kennel() }

  private var screen: String {
    (try? String(contentsOf: kennel.directory.file("screen"), encoding: .utf8)) ?? ""
  }

  private func addAda(_ answers: [(question: String, answer: String)]) async throws -> Kennel.Result {
    try await converse("user add Ada", answers)
  }

  /// Runs a command, and types each answer when its question appears.
  private func converse(
    _ command: String, _ answers: [(question: String, answer: String)]
  ) async throws -> Kennel.Result {
    // Remove the questions of an earlier command.
    try? FileManager.default.removeItem(at: kennel.directory.file("screen"))
    let child = try ChildProcess(
      ["script", "-qefc", "'\(Kennel.path)' \(command)", kennel.directory.path("screen")],
      environment: kennel.environment, isConversing: true)
    for (question, answer) in answers {
      #expect(await eventually { screen.contains(question) })
      try child.send(line: answer)
    }
    let status = try await Kennel.end(of: child)
    return Kennel.Result(status: status, output: screen, errors: "")
  }

  @Test func `a password prompt asks twice and does not show the password`() async throws {
    let result = try await addAda([
      ("Password for Ada: ", "tennis ball"), ("Repeat the password: ", "tennis ball"),
    ])
    #expect(result.status == 0 && result.output.contains("Ada is an owner and can sign in."))
    // The terminal itself echoes early input, so this checks only the text after the question.
    let shown = result.output.components(separatedBy: "Password for Ada: ").last ?? ""
    #expect(!shown.contains("tennis"))
  }

  @Test func `an invalid password is reported before the second prompt`() async throws {
    let result = try await addAda([("Password for Ada: ", "short")])
    #expect(result.status == 2 && result.output.contains("at least 8 characters"))
    #expect(!result.output.contains("Repeat the password"))
    #expect(!FileManager.default.fileExists(atPath: kennel.data))
  }

  @Test func `a missing password at the prompt is an error`() async throws {
    let result = try await addAda([("Password for Ada: ", "\u{4}")])
    #expect(result.status == 2 && result.output.contains("kennel: No password was given."))
    #expect(!FileManager.default.fileExists(atPath: kennel.data))
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"))
  func `removing a user with posts needs a confirmation`() async throws {
    for (name, word) in [("Ada", "tennis ball"), ("Bruno", "squeaky toy")] {
      let added = try await kennel.run("user", "add", name, "--password-stdin", input: "\(word)\n")
      #expect(added.status == 0)
    }
    try kennel.writePhotos(2)
    #expect(try await kennel.run("import", kennel.directory.path("photos"), "--as", "Bruno").status == 0)
    let question = "Remove Bruno with 2 posts and 0 comments? This cannot be undone. [y/N] "
    for answer in ["", "n", "\u{4}"] {
      let kept = try await converse("user remove Bruno --with-posts", [(question, answer)])
      #expect(
        kept.status == 1 && kept.output.contains("kennel: The user Bruno was not removed."), "\(kept.output)")
      #expect(try await kennel.run("check").output == "2 photos: no problems found.\n")
    }
    let removed = try await converse("user remove Bruno --with-posts", [(question, "yes")])
    #expect(removed.status == 0 && removed.output.contains("Bruno was removed together with 2 posts"))
    #expect(try await kennel.run("user", "list").output.split(separator: "\n").count == 1)
  }
}
