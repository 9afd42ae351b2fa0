import AdoptAnalysis
import Foundation

/// Verifies twins with the compiler.
///
/// The compiler works on copies, so the sources are not changed. Twins that compile are kept, and the others are
/// declined with the compiler's error. A call blocks until the compiler has finished.
package struct TwinVerifier: Sendable {
  package enum Scope: Sendable {
    /// The files together form a module. They are checked, but not built.
    case files(arguments: [String])
    /// The files belong to the package in this folder, which is built with its tests. If `needsTests` is false and the
    /// tests do not build even without changes, only the rest is built.
    case package(directory: String, arguments: [String], needsTests: Bool)
  }

  /// The twins of each file that are kept, and what could not be verified.
  package struct Verified: Sendable {
    package let files: [TwinFile]
    /// Why the tests were not built, if they do not build even without changes.
    package let obstacleToTests: String?
  }

  package let scope: Scope
  package var toolchain = Toolchain()
  /// The maximum number of times to compile. The compiler does not report all errors in one run.
  package var maximumCompilations = 8

  package init(_ scope: Scope) {
    self.scope = scope
  }

  package typealias Pair = (file: ParsedFile, twins: TwinFile)

  /// Keeps the twins that compile together.
  ///
  /// - Parameter separateFile: The path for the twins if they are not next to their functions.
  package func verify(_ files: [Pair], separateFile: String? = nil) throws(VerifierError) -> Verified {
    guard files.contains(where: { !$0.twins.twins.isEmpty }) else {
      return Verified(files: files.map(\.twins), obstacleToTests: nil)
    }
    let paths = files.map(\.file.path) + (separateFile.map { [$0] } ?? [])
    let workspace = try workspace(for: paths)
    defer { workspace.folder.remove() }
    for pair in files { try workspace.write(pair.file.text, as: pair.file.path) }
    let names = files.map(\.file.path)
    var obstacle: String?
    do throws(VerifierError) {
      try checkCompiles(workspace, names, buildsTests: true)
    } catch {
      guard case .package(_, _, needsTests: false) = scope else { throw error }
      try checkCompiles(workspace, names, buildsTests: false)
      obstacle = error.description
    }
    let kept = try removeFailingTwins(
      files, separateFile: separateFile, in: workspace, buildsTests: obstacle == nil)
    return Verified(files: kept, obstacleToTests: obstacle)
  }

  private func checkCompiles(
    _ workspace: Workspace, _ files: [String], buildsTests: Bool
  ) throws(VerifierError) {
    guard let first = try errors(in: workspace, files: files, buildsTests: buildsTests).first else { return }
    throw VerifierError(
      "The sources do not compile even without changes: \(first.path):\(first.line):\(first.column): \(first.message)."
    )
  }

  private func workspace(for paths: [String]) throws(VerifierError) -> Workspace {
    switch scope {
    case .files: try Workspace(files: paths)
    case .package(let directory, _, _): try Workspace(package: directory, files: paths)
    }
  }

  private func removeFailingTwins(
    _ files: [Pair], separateFile path: String?, in workspace: Workspace, buildsTests: Bool
  ) throws(VerifierError) -> [TwinFile] {
    var files = files
    for _ in 0..<max(maximumCompilations, 1) {
      var written: [VerifiedText] = []
      for pair in files {
        let edits = pair.twins.edits(of: pair.file, placement: path == nil ? .inline : .separate)
        written.append(VerifiedText(path: pair.file.path, text: applying(edits, to: pair.file.text)))
      }
      if let path { written.append(VerifiedText(path: path, text: separateFile(for: files) ?? "")) }
      for text in written { try workspace.write(text.text, as: text.path) }
      let errors = try errors(in: workspace, files: written.map(\.path), buildsTests: buildsTests)
      guard !errors.isEmpty else { return files.map(\.twins) }
      let texts = written + Self.filesWithoutTwins(in: errors, excluding: written)
      let attribution = TwinErrorAttribution(errors: errors, texts: texts, files: files)
      files = files.enumerated().map { index, pair in
        (pair.file, attribution.applied(to: pair.twins, file: index))
      }
      guard files.contains(where: { !$0.twins.twins.isEmpty }) else { return files.map(\.twins) }
    }
    let reason = "there are still errors after compiling \(maximumCompilations) times"
    return files.map { Self.declining($0, because: reason) }
  }

  /// Returns files of the package that have no twins, but errors caused by twins.
  private static func filesWithoutTwins(
    in errors: [CompilerDiagnostic], excluding written: [VerifiedText]
  ) -> [VerifiedText] {
    Set(errors.map(\.path)).subtracting(written.map(\.path)).compactMap { path in
      guard let data = FileManager.default.contents(atPath: path) else { return nil }
      return VerifiedText(path: path, text: String(decoding: data, as: UTF8.self), hasTwins: false)
    }
  }

  /// Returns the compiler's errors, with the paths of the files instead of those of their copies.
  private func errors(
    in workspace: Workspace, files: [String], buildsTests: Bool
  ) throws(VerifierError) -> [CompilerDiagnostic] {
    let outcome =
      switch scope {
      case .files(let arguments):
        try toolchain.run(
          "swiftc",
          Self.checking(files, in: workspace.folder) + arguments + files.compactMap { workspace.copies[$0] })
      case .package(_, let arguments, _):
        try toolchain.run(
          "swift", ["build"] + (buildsTests ? ["--build-tests"] : []) + arguments, in: workspace.package)
      }
    if outcome.succeeded { return [] }
    if outcome.timedOut {
      throw VerifierError("The compiler took longer than \(toolchain.maximumSeconds) seconds.")
    }
    let errors = CompilerDiagnostic.all(in: outcome.output).filter { $0.severity == .error }
    guard !errors.isEmpty else {
      let last = outcome.output.split(whereSeparator: \.isNewline).suffix(3).joined(separator: " ")
      throw VerifierError("The compiler failed without reporting an error in a file: \(last)")
    }
    return errors.map { error in
      CompilerDiagnostic(
        path: workspace.original(of: error.path) ?? error.path, line: error.line, column: error.column,
        severity: error.severity, message: error.message)
    }
  }

  /// Returns the arguments for checking files.
  ///
  /// Type-checking alone does not find values that cross isolation boundaries.
  private static func checking(_ files: [String], in folder: TemporaryFolder) -> [String] {
    // Without this option, the compiler treats a single file as a script.
    let isLibrary = files.count == 1 && files.first?.split(separator: "/").last != "main.swift"
    // Not /dev/null, because the compiler replaces the output file.
    return ["-emit-sil", "-whole-module-optimization", "-o", folder.path + "/checked.sil"]  // prose: allowed
      + (isLibrary ? ["-parse-as-library"] : [])
  }

  private static func declining(_ pair: Pair, because reason: String) -> TwinFile {
    var result = pair.twins
    result.twins = []
    result.declined += pair.twins.twins.map {
      Declined(place: $0.place, function: $0.function, reason: reason)
    }
    result.declined.sort { $0.place.offset < $1.place.offset }
    return result
  }
}
