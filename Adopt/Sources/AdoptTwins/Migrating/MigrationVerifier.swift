import AdoptAnalysis
import Foundation

/// Verifies migrations by building the package with them, and drops those that do not compile.
package struct MigrationVerifier {
  package typealias Pair = (file: ParsedFile, migrations: MigrationFile)

  private let directory: String
  private let arguments: [String]
  private let toolchain = Toolchain()
  /// The copy of the package, which has been built without changes.
  private var workspace: Workspace?
  private static let maximumBuilds = 8

  /// - Parameter directory: The folder of the package.
  package init(directory: String, arguments: [String]) {
    self.directory = directory
    self.arguments = arguments
  }

  /// Removes the copy of the package.
  package func close() { workspace?.folder.remove() }

  /// Builds a copy of the package, unless that has happened. Nothing in the package changes.
  private mutating func buildCopy(_ files: [ParsedFile]) throws(VerifierError) -> Workspace {
    if let workspace { return workspace }
    let workspace = try Workspace(package: directory, files: files.map(\.path))
    self.workspace = workspace
    for file in files { try workspace.write(file.text, as: file.path) }
    if let first = try errors(workspace).first {
      throw VerifierError(
        "The package does not build before the migration: \(first.path):\(first.line):\(first.column): \(first.message)."
      )
    }
    return workspace
  }

  /// Finds out which functions the unclear calls of some files call. The index notes if that is not possible.
  ///
  /// - Parameters:
  ///   - files: The files to migrate.
  ///   - all: All files of the package.
  ///   - isBuilding: Whether to build a copy of the package. Otherwise, the index of its last build is used.
  package mutating func resolve(
    _ index: inout TwinIndex, for files: [ParsedFile], of all: [ParsedFile], isBuilding: Bool
  ) throws(VerifierError) {
    let unclear = files.filter { index.hasUnclearCalls($0) }
    guard !unclear.isEmpty else { return }
    let workspace: Workspace? = try isBuilding ? buildCopy(files) : nil
    let paths = Dictionary(
      all.map { ($0.path, Workspace.resolved($0.path).path) }, uniquingKeysWith: { first, _ in first })
    let wanted = index.declaringFiles.union(unclear.map(\.path)).compactMap { paths[$0] }
    do throws(VerifierError) {
      let compiled = try CompilerIndex(package: workspace?.package ?? directory, toolchain: toolchain)
      let names = try compiled.names(
        in: Set(wanted), original: workspace?.originals ?? { Workspace.resolved($0).path },
        requiresCurrent: workspace == nil)
      index.use(names, paths: paths)
    } catch {
      index.noteObstacle(error.description)
    }
  }

  /// Returns the files with the migrations that compile together. Nothing in the package changes.
  package mutating func verify(_ files: [Pair]) throws(VerifierError) -> [MigrationFile] {
    guard files.contains(where: { !$0.migrations.migrations.isEmpty }) else { return files.map(\.migrations) }
    let workspace = try buildCopy(files.map(\.file))
    var files = files
    for _ in 0..<Self.maximumBuilds {
      for pair in files {
        try workspace.write(applying(pair.migrations.edits, to: pair.file.text), as: pair.file.path)
      }
      let errors = try errors(workspace)
      if errors.isEmpty { return files.map(\.migrations) }
      files = Self.withoutFailing(files, errors)
    }
    return files.map {
      Self.dropping($0, "there are still errors after \(Self.maximumBuilds) builds") { _ in true }
    }
  }

  private func errors(_ workspace: Workspace) throws(VerifierError) -> [CompilerDiagnostic] {
    let outcome = try toolchain.run("swift", ["build", "--build-tests"] + arguments, in: workspace.package)
    if outcome.succeeded { return [] }
    let errors = CompilerDiagnostic.all(in: outcome.output).filter { $0.severity == .error }
    guard !errors.isEmpty else {
      let last = outcome.output.split(whereSeparator: \.isNewline).suffix(3).joined(separator: " ")
      throw VerifierError("The build failed without reporting an error in a file: \(last)")
    }
    return errors.map { error in
      CompilerDiagnostic(
        path: workspace.original(of: error.path) ?? error.path, line: error.line, column: error.column,
        severity: error.severity, message: error.message)
    }
  }

  /// Drops the migrations of the functions with errors, else those of the files with errors, else all.
  private static func withoutFailing(_ files: [Pair], _ errors: [CompilerDiagnostic]) -> [Pair] {
    let lines = files.map { Self.lines(of: $0) }
    var failing: Set<[Int]> = []
    for error in errors {
      for (number, pair) in files.enumerated() where same(pair.file.path, error.path) {
        for (index, range) in lines[number].enumerated() where range.contains(error.line) {
          failing.insert([number, index])
        }
      }
    }
    let isKnown = !failing.isEmpty
    return files.enumerated().map { number, pair in
      let isOwn = errors.contains { same(pair.file.path, $0.path) }
      let message = errors.first { same(pair.file.path, $0.path) }?.message ?? errors[0].message
      let result = dropping(pair, "the result does not compile: \(message)") { index in
        isKnown
          ? failing.contains([number, index])
          : isOwn || !errors.contains { error in files.contains { same($0.file.path, error.path) } }
      }
      return (pair.file, result)
    }
  }

  private static func same(_ path: String, _ other: String) -> Bool {
    path == other || URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath().path == other
  }

  private static func dropping(_ pair: Pair, _ reason: String, where isFailing: (Int) -> Bool)
    -> MigrationFile
  {
    var result = pair.migrations
    result.migrations = []
    for (index, migration) in pair.migrations.migrations.enumerated() {
      if isFailing(index) {
        result.staying.append(
          StayingCall(place: migration.place, function: migration.function, reason: reason))
      } else {
        result.migrations.append(migration)
      }
    }
    return result
  }

  /// Returns the lines of the changed functions in the new text.
  private static func lines(of pair: Pair) -> [ClosedRange<Int>] {
    let edits = pair.migrations.edits
    func newOffset(_ offset: Int) -> Int {
      edits.reduce(offset) { sum, edit in
        edit.range.upperBound <= offset ? sum + edit.replacement.utf8.count - edit.range.count : sum
      }
    }
    let new = ParsedFile(path: pair.file.path, text: applying(edits, to: pair.file.text))
    return pair.migrations.migrations.map { migration in
      let first = new.place(at: newOffset(migration.range.lowerBound)).line
      return first...max(first, new.place(at: newOffset(migration.range.upperBound)).line)
    }
  }
}
