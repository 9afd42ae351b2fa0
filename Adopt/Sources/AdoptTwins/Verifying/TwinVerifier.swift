import AdoptAnalysis
import Foundation

/// Has the compiler look at twins before anyone else does.
///
/// Nothing of the sources is touched: the compiler sees copies. Twins that it takes no offence at are kept, the
/// others declined with what it said. A call blocks for as long as the compiler takes.
package struct TwinVerifier: Sendable {
  package enum Scope: Sendable {
    /// The files together are a module; they are checked, and not built.
    case files(arguments: [String])
    /// The files are part of the package in this folder, which is built.
    case package(directory: String, arguments: [String])
  }

  package let scope: Scope
  package var toolchain = Toolchain()
  /// How many times the compiler may be asked: it does not find all there is at once.
  package var rounds = 8

  package init(_ scope: Scope) {
    self.scope = scope
  }

  package typealias Pair = (file: ParsedFile, twins: TwinFile)

  /// Keeps the twins that compile, together with all the others that do.
  ///
  /// - Parameter separateFile: Where the twins are to go, if not beside their functions.
  package func verify(_ files: [Pair], separateFile: String? = nil) throws(VerifierError) -> [TwinFile] {
    guard files.contains(where: { !$0.twins.twins.isEmpty }) else { return files.map(\.twins) }
    let paths = files.map(\.file.path) + (separateFile.map { [$0] } ?? [])
    let workspace = try workspace(for: paths)
    defer { workspace.folder.remove() }
    for pair in files { try workspace.write(pair.file.text, as: pair.file.path) }
    if let first = try complaints(in: workspace, files: files.map(\.file.path)).first {
      let reason = "the sources do not compile as they are: \(first.message)"
      return files.map { Self.declining($0, because: reason) }
    }
    return try sift(files, separateFile: separateFile, in: workspace)
  }

  private func workspace(for paths: [String]) throws(VerifierError) -> Workspace {
    switch scope {
    case .files: try Workspace(files: paths)
    case .package(let directory, _): try Workspace(package: directory, files: paths)
    }
  }

  private func sift(
    _ files: [Pair], separateFile path: String?, in workspace: Workspace
  ) throws(VerifierError) -> [TwinFile] {
    var files = files
    for _ in 0..<max(rounds, 1) {
      var written: [VerifiedText] = []
      for pair in files {
        let edits = pair.twins.edits(of: pair.file, placement: path == nil ? .beside : .separate)
        written.append(VerifiedText(path: pair.file.path, text: applying(edits, to: pair.file.text)))
      }
      if let path { written.append(VerifiedText(path: path, text: separateFile(for: files) ?? "")) }
      for text in written { try workspace.write(text.text, as: text.path) }
      let complaints = try complaints(in: workspace, files: written.map(\.path))
      guard !complaints.isEmpty else { return files.map(\.twins) }
      let texts = written + Self.others(complaints, than: written)
      let blame = Blame(complaints: complaints, texts: texts, files: files)
      files = files.enumerated().map { index, pair in
        (pair.file, blame.applied(to: pair.twins, file: index))
      }
      guard files.contains(where: { !$0.twins.twins.isEmpty }) else { return files.map(\.twins) }
    }
    let reason = "the compiler was still not content after \(rounds) rounds"
    return files.map { Self.declining($0, because: reason) }
  }

  /// Files of the package that have no twins, but errors because of them.
  private static func others(
    _ complaints: [CompilerDiagnostic], than written: [VerifiedText]
  ) -> [VerifiedText] {
    Set(complaints.map(\.path)).subtracting(written.map(\.path)).compactMap { path in
      guard let data = FileManager.default.contents(atPath: path) else { return nil }
      return VerifiedText(path: path, text: String(decoding: data, as: UTF8.self), hasTwins: false)
    }
  }

  /// The compiler's errors, in terms of the files and not of their copies.
  private func complaints(
    in workspace: Workspace, files: [String]
  ) throws(VerifierError) -> [CompilerDiagnostic] {
    let outcome =
      switch scope {
      case .files(let arguments):
        try toolchain.run(
          "swiftc",
          Self.checking(files, in: workspace.folder) + arguments + files.compactMap { workspace.copies[$0] })
      case .package(_, let arguments):
        try toolchain.run("swift", ["build"] + arguments, in: workspace.package)
      }
    if outcome.succeeded { return [] }
    if outcome.isCutShort {
      throw VerifierError("The compiler took longer than \(toolchain.limit) seconds.")
    }
    let errors = CompilerDiagnostic.all(in: outcome.output).filter { $0.severity == .error }
    guard !errors.isEmpty else {
      let last = outcome.output.split(whereSeparator: \.isNewline).suffix(3).joined(separator: " ")
      throw VerifierError("The compiler failed without an error in a file: \(last)")
    }
    return errors.map { error in
      CompilerDiagnostic(
        path: workspace.original(of: error.path) ?? error.path, line: error.line, column: error.column,
        severity: error.severity, message: error.message)
    }
  }

  /// Type-checking alone does not see which values cross from one isolation to another.
  private static func checking(_ files: [String], in folder: TemporaryFolder) -> [String] {
    // A file by itself would be a script.
    let isLibrary = files.count == 1 && files.first?.split(separator: "/").last != "main.swift"
    // Not /dev/null: the compiler puts a file of its own in the place of what it is told to write.
    return ["-emit-sil", "-whole-module-optimization", "-o", folder.path + "/checked.sil"]
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
