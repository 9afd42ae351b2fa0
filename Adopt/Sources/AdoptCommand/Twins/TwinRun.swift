import AdoptAnalysis
import AdoptTwins

/// Determines which alternatives can be written, package by package, and the resulting text of each file.
struct TwinRun: Sendable {
  struct Pair: Sendable {
    var file: ParsedFile
    var twins: TwinFile
  }

  /// A file to write.
  struct Change: Sendable {
    var path: String
    /// The current text, or nil for a new file.
    var old: String?
    var new: String
  }

  struct Outcome: Sendable {
    var pairs: [Pair] = []
    var changes: [Change] = []
    var warnings: [TwinWarning] = []
    var problems: [FileProblem] = []
    /// What was not verified, and why.
    var notes: [String] = []
  }

  var options: TwinOptions
  var jobs: Int
  var isVerifying: Bool
  /// The file for all alternatives, or nil to place them next to their functions.
  var separatePath: String?
  /// Additional arguments for the compiler.
  var arguments: [String]

  func run(
    _ paths: [String], absolute: Paths, progress: @escaping @Sendable (Int) -> Void
  ) async throws -> Outcome {
    var outcome = Outcome()
    var files: [ParsedFile] = []
    for result in try await Workers.map(paths, jobs: jobs, done: progress, Self.read) {
      switch result {
      case .success(let file): files.append(file)
      case .failure(let problem): outcome.problems.append(problem)
      }
    }
    outcome.problems += files.compactMap(SyntaxErrors.problem)
    outcome.pairs = try await pairs(files, absolute)
    guard outcome.pairs.contains(where: { !$0.twins.twins.isEmpty }) else { return outcome }
    if isVerifying {
      let (run, pairs) = (self, outcome.pairs)
      (outcome.pairs, outcome.notes) = try await Workers.run(returnsOnCancellation: false) {
        () throws(FileProblem) in
        try run.verified(pairs, absolute)
      }
    }
    outcome.changes = changes(outcome.pairs)
    outcome.warnings = try await Workers.map(outcome.pairs, jobs: jobs) { TwinWarning.all(for: $0) }
      .flatMap { $0 }
    return outcome
  }

  private static func read(_ path: String) -> Result<ParsedFile, FileProblem> {
    Result { () throws(FileProblem) in ParsedFile(path: path, text: try SourceText.read(path)) }
  }

  private func pairs(_ files: [ParsedFile], _ paths: Paths) async throws(CancellationError) -> [Pair] {
    var options = options
    var supportsOlder: [String: Bool] = [:]
    for file in files {
      guard let folder = PackageRoot.around(paths.absolute(file.path)), supportsOlder[folder] == nil else {
        continue
      }
      let manifest = try? SourceText.read(folder + "/Package.swift")
      supportsOlder[folder] = manifest.map(PackagePlatforms.supportsOlderSystems) ?? false
    }
    options.aliases = SharedAliases(files)
    // An async function in another file can be the twin as well.
    for known in try await Workers.map(files, jobs: jobs, { asyncFunctions(in: $0) }) {
      options.known.formUnion(known)
    }
    return try await Workers.map(files, jobs: jobs) { [options, separatePath, supportsOlder] file in
      var options = options
      let folder = PackageRoot.around(paths.absolute(file.path))
      options.marksAvailability = folder.flatMap { supportsOlder[$0] } ?? false
      let found = twins(in: file, options: options)
      return Pair(file: file, twins: separatePath == nil ? found : found.separable())
    }
  }

  /// Verifies the twins, and blocks until the compiler has finished.
  private func verified(_ pairs: [Pair], _ paths: Paths) throws(FileProblem) -> ([Pair], notes: [String]) {
    var pairs = pairs
    var notes: [String] = []
    let folders = pairs.map { PackageRoot.around(paths.absolute($0.file.path)) }
    let groups = Dictionary(grouping: pairs.indices) { folders[$0] }
    for (folder, indices) in groups.sorted(by: { ($0.key ?? "") < ($1.key ?? "") }) {
      guard indices.contains(where: { !pairs[$0].twins.twins.isEmpty }) else { continue }
      let files = indices.map { (file: pairs[$0].file, twins: pairs[$0].twins) }
      let changed = files.filter { !$0.twins.twins.isEmpty }.map { paths.absolute($0.file.path) }
      let verifier = TwinVerifier(scope(folder, changed))
      do throws(VerifierError) {
        let verified = try verifier.verify(files, separateFile: separatePath)
        for (index, twins) in zip(indices, verified.files) { pairs[index].twins = twins }
        if let obstacle = verified.obstacleToTests {
          notes.append(
            "\(folder ?? "."): warning: the alternatives were verified without the tests, which do not build. "
              + obstacle)
        }
      } catch {
        throw FileProblem(
          folder ?? "the files",
          "Could not compile the result to verify it. \(error.description) Use --verify off to skip this.")
      }
    }
    return (pairs, notes)
  }

  /// - Parameter changed: The absolute paths of the files that get alternatives.
  private func scope(_ folder: String?, _ changed: [String]) -> TwinVerifier.Scope {
    guard let folder else { return .files(arguments: arguments) }
    let changesTests = changed.contains { $0.dropFirst(folder.count).hasPrefix("/Tests/") }
    return .package(directory: folder, arguments: arguments, needsTests: changesTests)
  }

  private func changes(_ pairs: [Pair]) -> [Change] {
    var changes = pairs.compactMap { pair -> Change? in
      let edits = pair.twins.edits(of: pair.file, placement: separatePath == nil ? .inline : .separate)
      let new = applying(edits, to: pair.file.text)
      return edits.isEmpty ? nil : Change(path: pair.file.path, old: pair.file.text, new: new)
    }
    if let separatePath, let text = separateFile(for: pairs.map { ($0.file, $0.twins) }) {
      changes.append(Change(path: separatePath, old: nil, new: text))
    }
    return changes
  }
}
