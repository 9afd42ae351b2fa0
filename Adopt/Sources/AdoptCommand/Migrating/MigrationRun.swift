import AdoptAnalysis
import AdoptTwins

/// Determines which calls can move to async alternatives, package by package, and the resulting text of each file.
struct MigrationRun: Sendable {
  struct Change: Sendable {
    let path: String
    /// The folder of the package.
    let package: String
    let old: String
    let new: String
    /// The number of calls that move.
    let count: Int
  }

  struct Outcome: Sendable {
    var changes: [Change] = []
    var staying: [StayingCall] = []
    var problems: [FileProblem] = []
  }

  let options: MigrationOptions
  let jobs: Int
  let isVerifying: Bool
  /// Additional arguments for `swift build` and `swift test`.
  let arguments: [String]

  func run(_ files: [String], paths: Paths) async throws -> Outcome {
    var outcome = Outcome()
    var groups: [String: [String]] = [:]
    for file in files {
      guard let folder = PackageRoot.around(paths.absolute(file)) else {
        outcome.problems.append(
          FileProblem(
            file, "The file belongs to no package, which migrate needs to find and compile alternatives."))
        continue
      }
      groups[folder, default: []].append(file)
    }
    for (folder, files) in groups.sorted(by: { $0.key < $1.key }) {
      let part = try await Workers.run(returnsOnCancellation: false) { () throws(FileProblem) in
        try migrated(files, in: folder, paths)
      }
      outcome.changes += part.changes
      outcome.staying += part.staying
      outcome.problems += part.problems
    }
    return outcome
  }

  /// Migrates files of one package, and blocks until the compiler has finished.
  private func migrated(_ paths: [String], in folder: String, _ resolver: Paths) throws(FileProblem)
    -> Outcome
  {
    var outcome = Outcome()
    var files: [ParsedFile] = []
    for path in paths { files.append(ParsedFile(path: path, text: try SourceText.read(path))) }
    outcome.problems = files.compactMap(SyntaxErrors.problem)
    // The alternatives may be in files of the package that are not named.
    let named = Set(paths.map(resolver.absolute))
    var all = files
    for path in SourceDiscovery.find([folder]).files where !named.contains(resolver.absolute(path)) {
      if let text = try? SourceText.read(path) { all.append(ParsedFile(path: path, text: text)) }
    }
    var index = TwinIndex(all)
    var verifier = MigrationVerifier(directory: folder, arguments: arguments)
    defer { verifier.close() }
    var found: [MigrationFile]
    do throws(VerifierError) {
      try verifier.resolve(&index, for: files, of: all, isBuilding: isVerifying)
      found = files.map { migrations(in: $0, index: index, options: options) }
      if isVerifying { found = try verifier.verify(zip(files, found).map { (file: $0, migrations: $1) }) }
    } catch {
      throw FileProblem(folder, error.description)
    }
    for (file, migrations) in zip(files, found) {
      outcome.staying += migrations.staying
      guard !migrations.migrations.isEmpty else { continue }
      outcome.changes.append(
        Change(
          path: file.path, package: folder, old: file.text, new: applying(migrations.edits, to: file.text),
          count: migrations.migrations.reduce(0) { $0 + $1.count }))
    }
    return outcome
  }

  /// Runs the tests of a package, and returns why they failed, or nil.
  func failingTest(_ folder: String) throws(FileProblem) -> String? {
    do throws(VerifierError) {
      let outcome = try Toolchain().run("swift", ["test"] + arguments, in: folder)
      if outcome.succeeded { return nil }
      let lines = outcome.output.split(whereSeparator: \.isNewline)
      let failure = lines.first { $0.contains("error:") } ?? lines.last ?? ""
      return "the tests fail with it, so the file was put back: \(failure)"
    } catch {
      throw FileProblem(folder, error.description)
    }
  }
}
