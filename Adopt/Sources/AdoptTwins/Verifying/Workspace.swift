import Foundation

/// Copies of files, for the compiler to look at instead of the files.
struct Workspace {
  let folder: TemporaryFolder
  /// Where the copies of the files are, by the files' own paths.
  private(set) var copies: [String: String] = [:]
  /// The copy of the package, and what it is a copy of.
  private(set) var package: String?
  private var packageSource: String?

  /// For files that make up a module, by themselves.
  init(files: [String]) throws(VerifierError) {
    folder = try TemporaryFolder()
    for (index, path) in files.enumerated() {
      // Files of one name may come from several folders; the compiler wants different names.
      let name = URL(fileURLWithPath: path).lastPathComponent
      let isTaken = copies.values.contains(folder.path + "/" + name)
      copies[path] = folder.path + "/" + (isTaken ? "\(index)-\(name)" : name)
    }
  }

  /// For files of a package, which is copied without what was built.
  ///
  /// The folders next to the package are linked to, so that it finds packages beside it.
  init(package path: String, files: [String]) throws(VerifierError) {
    folder = try TemporaryFolder()
    let source = Self.resolved(path)
    let copy = folder.path + "/" + source.lastPathComponent
    package = copy
    packageSource = source.path
    do {
      try Self.link(besides: source, in: folder.path)
      try Self.copy(package: source, to: URL(fileURLWithPath: copy))
    } catch {
      folder.remove()
      throw VerifierError("Could not copy the package \(source.path): \(error.localizedDescription)")
    }
    for file in files {
      let resolved = Self.resolved(file).path
      guard resolved.hasPrefix(source.path + "/") else { continue }
      copies[file] = copy + resolved.dropFirst(source.path.count)
    }
  }

  func write(_ text: String, as path: String) throws(VerifierError) {
    guard let copy = copies[path] else { throw VerifierError("\(path) does not belong to the package.") }
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: copy))
    } catch {
      throw VerifierError("Could not write \(copy): \(error.localizedDescription)")
    }
  }

  /// The file whose copy the compiler speaks of.
  func original(of path: String) -> String? {
    let resolved = Self.resolved(path).path
    if let path = copies.first(where: { Self.resolved($0.value).path == resolved })?.key { return path }
    guard let package, let packageSource else { return nil }
    let copied = Self.resolved(package).path + "/"
    return resolved.hasPrefix(copied) ? packageSource + "/" + resolved.dropFirst(copied.count) : nil
  }

  private static func resolved(_ path: String) -> URL {
    URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath()
  }

  private static func link(besides package: URL, in folder: String) throws {
    let files = FileManager.default
    let parent = package.deletingLastPathComponent()
    for name in try files.contentsOfDirectory(atPath: parent.path) where name != package.lastPathComponent {
      try? files.createSymbolicLink(
        atPath: folder + "/" + name, withDestinationPath: parent.appendingPathComponent(name).path)
    }
  }

  /// All but the repository's data and what was built; what was downloaded comes along.
  private static func copy(package: URL, to copy: URL) throws {
    let files = FileManager.default
    try files.createDirectory(at: copy, withIntermediateDirectories: true)
    for name in try files.contentsOfDirectory(atPath: package.path) where ![".build", ".git"].contains(name) {
      try files.copyItem(at: package.appendingPathComponent(name), to: copy.appendingPathComponent(name))
    }
    let built = package.appendingPathComponent(".build")
    let copied = copy.appendingPathComponent(".build")
    for name in ["checkouts", "repositories", "artifacts", "workspace-state.json"]
    where files.fileExists(atPath: built.appendingPathComponent(name).path) {
      try files.createDirectory(at: copied, withIntermediateDirectories: true)
      try files.copyItem(at: built.appendingPathComponent(name), to: copied.appendingPathComponent(name))
    }
  }
}
