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

  /// Adds Ada; each answer is typed when its question has been asked.
  private func addAda(_ answers: [(question: String, answer: String)]) async throws -> Kennel.Result {
    let child = try ChildProcess(
      ["script", "-qefc", "'\(Kennel.path)' user add Ada", kennel.directory.path("screen")],
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
}
