import Foundation

/// Reads the index that the compiler wrote while it built a package.
struct CompilerIndex {
  /// The folder of the index.
  let store: String
  /// The path of libIndexStore.
  let library: String

  /// - Parameter package: The folder of a package that was built in the debug configuration.
  init(package: String, toolchain: Toolchain) throws(VerifierError) {
    store = package + "/.build/debug/index/store"
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: store, isDirectory: &isFolder), isFolder.boolValue else {
      throw VerifierError("there is none in .build/debug of the package")
    }
    library = try toolchain.indexLibrary()
  }

  /// Returns the names that occur in some files.
  ///
  /// - Parameters:
  ///   - files: The absolute paths of the files, with all links resolved.
  ///   - original: Returns the path of a file, for the path under which the compiler read it.
  ///   - requiresCurrent: Whether to fail if a file was changed after it was compiled.
  func names(
    in files: Set<String>, original: (String) -> String, requiresCurrent: Bool
  ) throws(VerifierError) -> ResolvedNames {
    let functions = try IndexLibrary(path: library)
    return try functions.withStore(store) { store throws(VerifierError) in
      // A store keeps the units of earlier builds. The newest one of each file counts.
      var newest: [String: IndexLibrary.Unit] = [:]
      for name in functions.units(in: store) {
        guard let unit = functions.unit(name, in: store) else { continue }
        let path = original(unit.mainFile)
        if files.contains(path), newest[path].map({ $0.time < unit.time }) ?? true { newest[path] = unit }
      }
      var names = ResolvedNames()
      for (path, unit) in newest {
        if requiresCurrent, Self.isChanged(path, since: unit.time) {
          throw VerifierError("it is older than \(path)")
        }
        for record in unit.records {
          for occurrence in try functions.occurrences(in: record, of: store) {
            if let occurrence = Self.occurrence(occurrence, in: path) { names.add(occurrence) }
          }
        }
      }
      return names
    }
  }

  /// `INDEXSTORE_SYMBOL_ROLE_DECLARATION` and the following ones.
  private enum Role {
    static let declaration: UInt64 = 1 << 0
    static let definition: UInt64 = 1 << 1
    static let reference: UInt64 = 1 << 2
    static let implicit: UInt64 = 1 << 8
  }

  private static func occurrence(
    _ occurrence: IndexLibrary.Occurrence, in path: String
  ) -> ResolvedNames.Occurrence? {
    guard occurrence.roles & Role.implicit == 0, !occurrence.symbol.isEmpty else { return nil }
    let isDeclaration = occurrence.roles & (Role.declaration | Role.definition) != 0
    guard isDeclaration || occurrence.roles & Role.reference != 0 else { return nil }
    return ResolvedNames.Occurrence(
      point: ResolvedNames.Point(path: path, line: occurrence.line, column: occurrence.column),
      symbol: occurrence.symbol, isDeclaration: isDeclaration)
  }

  private static func isChanged(_ path: String, since time: Double) -> Bool {
    let date = try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    return date.map { $0.timeIntervalSince1970 > time } ?? true
  }
}

extension Toolchain {
  /// Returns the path of the library that reads the compiler's index.
  func indexLibrary() throws(VerifierError) -> String {
    struct Target: Decodable {
      struct Paths: Decodable { let runtimeResourcePath: String }
      let paths: Paths
    }
    let outcome = try run("swiftc", ["-print-target-info"])
    // Other lines, such as warnings, may come before it.
    guard outcome.succeeded, let start = outcome.output.firstIndex(of: "{"),
      let end = outcome.output.lastIndex(of: "}"),
      let target = try? JSONDecoder().decode(
        Target.self, from: Data(outcome.output[start...end].utf8))
    else { throw VerifierError("the toolchain could not be found: swiftc -print-target-info failed") }
    let folder = URL(fileURLWithPath: target.paths.runtimeResourcePath).deletingLastPathComponent()
    let path = folder.appendingPathComponent("libIndexStore.so").path
    guard FileManager.default.fileExists(atPath: path) else {
      throw VerifierError("the toolchain has no \(path), which reads it")
    }
    return path
  }
}
