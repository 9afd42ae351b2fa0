import Foundation
import TestSupport
import Testing

@testable import KennelCommand

/// What a person at a terminal sees: `script` is the terminal.
@Suite(.timeLimit(.minutes(1))) struct UserTerminalTests {
  private let kennel: Kennel

  init() throws { kennel = try Kennel() }

  private var screen: String {
    (try? String(contentsOf: kennel.directory.file("screen"), encoding: .utf8)) ?? ""
  }

  private func addAda(_ answers: [(question: String, answer: String)]) async throws -> Kennel.Result {
    try await converse("user add Ada", answers)
  }

  /// Each answer is typed when its question has been asked.
  private func converse(
    _ command: String, _ answers: [(question: String, answer: String)]
  ) async throws -> Kennel.Result {
    // Of a conversation before: its questions are not this one's.
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

  @Test func aPasswordIsAskedForTwiceAndNotShown() async throws {
    let result = try await addAda([("Password for Ada: ", "tennis ball"), ("Once more: ", "tennis ball")])
    #expect(result.status == 0 && result.output.contains("Ada is an owner, and can sign in."))
    // What is typed ahead of a program is shown by the terminal itself, so this looks behind the question.
    let shown = result.output.components(separatedBy: "Password for Ada: ").last ?? ""
    #expect(!shown.contains("tennis"))
  }

  @Test func aPasswordThatNobodyCanHaveIsToldAtOnce() async throws {
    let result = try await addAda([("Password for Ada: ", "short")])
    #expect(result.status == 2 && result.output.contains("at least 8 characters"))
    #expect(!result.output.contains("Once more"))
    #expect(!FileManager.default.fileExists(atPath: kennel.data))
  }

  @Test func whoGivesNoPasswordIsToldSo() async throws {
    let result = try await addAda([("Password for Ada: ", "\u{4}")])
    #expect(result.status == 2 && result.output.contains("kennel: no password was given"))
    #expect(!FileManager.default.fileExists(atPath: kennel.data))
  }

  @Test func postsAreRemovedWithTheirAuthorOnlyWhenSomebodySaysSo() async throws {
    for (name, word) in [("Ada", "tennis ball"), ("Bruno", "squeaky toy")] {
      let added = try await kennel.run("user", "add", name, "--password-stdin", input: "\(word)\n")
      #expect(added.status == 0)
    }
    try kennel.writePhotos(2)
    #expect(try await kennel.run("import", kennel.directory.path("photos"), "--as", "Bruno").status == 0)
    let question = "Remove Bruno with 2 posts and 0 comments? They cannot be had back. [y/N] "
    for answer in ["", "n", "\u{4}"] {
      let kept = try await converse("user remove Bruno --with-posts", [(question, answer)])
      #expect(kept.status == 1 && kept.output.contains("kennel: Bruno was not removed"), "\(kept.output)")
      #expect(try await kennel.run("check").output == "2 photos: all is well.\n")
    }
    let removed = try await converse("user remove Bruno --with-posts", [(question, "yes")])
    #expect(removed.status == 0 && removed.output.contains("Bruno is removed with 2 posts"))
    #expect(try await kennel.run("user", "list").output.split(separator: "\n").count == 1)
  }
}
