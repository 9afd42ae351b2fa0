import AdoptAnalysis
import Foundation
import Testing

@testable import AdoptTwins

@Suite(.timeLimit(.minutes(5)))
struct CorpusTests {
  @Test(arguments: ["5", "6"], [false, true])
  func `twins return and throw what the handlers received`(mode: String, separate: Bool) async throws {
    try await check(mode: mode, separate: separate, options: TwinOptions(), isolation: "")
  }

  /// Without inherited isolation, an actor could not pass its closures or `inout` arguments to twins.
  @Test func `twins that inherit isolation accept non-Sendable values from an actor`() async throws {
    var options = TwinOptions()
    options.inheritsIsolation = true
    try await check(mode: "6", separate: false, options: options, isolation: "@MainActor")
  }

  private func check(mode: String, separate: Bool, options: TwinOptions, isolation: String) async throws {
    let file = ParsedFile(path: "Functions.swift", text: Corpus.functions)
    var found = twins(in: file, options: options)
    #expect(found.declined.isEmpty, "\(found.declined)")
    if separate { found = found.separable() }
    #expect(found.declined.map(\.function.base) == (separate ? ["hidden"] : []))
    let verifier = TwinVerifier(.files(arguments: ["-swift-version", mode]))
    let other = separate ? "Twins.swift" : nil
    let checked = try await Blocking.run { [found] in
      try verifier.verify([(file, found)], separateFile: other).files
    }
    let kept = try #require(checked.first)
    #expect(
      kept.declined.count == found.declined.count,
      "\(kept.declined.map { "\($0.function): \($0.reason)" }.joined(separator: "\n"))")
    #expect(kept.twins.count == found.twins.count)
    // Values are only passed this way if the compiler requires it.
    #expect(kept.twins.filter(\.passesUnsendableValues).count <= 8)

    let folder = try TemporaryFolder()
    defer { folder.remove() }
    var sources = [
      "Functions.swift": applying(
        kept.edits(of: file, placement: separate ? .separate : .inline), to: file.text)
    ]
    sources["Driver.swift"] = Corpus.driver.replacing("ISOLATION", with: isolation)
    if separate {
      sources["Twins.swift"] = separateFile(for: [(file, kept)])
    }
    for (name, text) in sources {
      try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
    }
    let names = sources.keys.map { folder.path + "/" + $0 }
    let built = try await Blocking.tool(
      "swiftc", ["-parse-as-library", "-swift-version", mode, "-o", folder.path + "/run"] + names)
    try #require(built.succeeded, "\(built.output.suffix(3000))")
    let ran = try await Blocking.tool(folder.path + "/run", [])
    #expect(ran.output.contains("all as expected"), "\(ran.output)")
  }
}
