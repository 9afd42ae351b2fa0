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

  /// For files of a package. Only what the compiler or the package manager may write to is copied, and what was
  /// downloaded; all else is linked to, as a package may lie in a large repository.
  ///
  /// The folders next to the package are linked to as well, so that it finds packages beside it.
  init(package path: String, files: [String]) throws(VerifierError) {
    folder = try TemporaryFolder()
    let source = Self.resolved(path)
    let copy = folder.path + "/" + source.lastPathComponent
    package = copy
    packageSource = source.path
    var written: Set<String> = []
    for file in files {
      let resolved = Self.resolved(file).path
      guard resolved.hasPrefix(source.path + "/") else { continue }
      copies[file] = copy + resolved.dropFirst(source.path.count)
      written.insert(resolved)
    }
    do {
      try Self.link(besides: source, in: folder.path)
      try Self.mirror(source, in: URL(fileURLWithPath: copy), written: written)
      try Self.copyDownloads(of: source, to: URL(fileURLWithPath: copy))
    } catch {
      folder.remove()
      throw VerifierError("Could not copy the package \(source.path): \(error.localizedDescription)")
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
    if resolved.hasPrefix(packageSource + "/") { return resolved }
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

  /// A package's folder, of which those folders are real in which files are to be written.
  private static func mirror(_ package: URL, in copy: URL, written: Set<String>) throws {
    let files = FileManager.default
    var real: Set<String> = [package.path]
    for path in written {
      var folder = URL(fileURLWithPath: path).deletingLastPathComponent()
      while folder.path.hasPrefix(package.path), real.insert(folder.path).inserted {
        folder.deleteLastPathComponent()
      }
    }
    for folder in real.sorted() {
      let target = URL(fileURLWithPath: copy.path + folder.dropFirst(package.path.count))
      try files.createDirectory(at: target, withIntermediateDirectories: true)
      for name in try files.contentsOfDirectory(atPath: folder) {
        let (path, entry) = (folder + "/" + name, target.appendingPathComponent(name))
        if real.contains(path) || written.contains(path) || [".build", ".git"].contains(name) { continue }
        let type = try files.attributesOfItem(atPath: path)[.type] as? FileAttributeType
        // A link says where its target is as seen from here. What lies beside the manifest the package manager may
        // write to, such as `Package.resolved`.
        let isOwn = type == .typeSymbolicLink || name == ".swiftpm"
        if isOwn || (folder == package.path && type == .typeRegular) {
          try files.copyItem(atPath: path, toPath: entry.path)
        } else {
          try files.createSymbolicLink(atPath: entry.path, withDestinationPath: path)
        }
      }
    }
  }

  private static func copyDownloads(of package: URL, to copy: URL) throws {
    let files = FileManager.default
    let built = package.appendingPathComponent(".build")
    let copied = copy.appendingPathComponent(".build")
    for name in ["checkouts", "repositories", "artifacts", "workspace-state.json"]
    where files.fileExists(atPath: built.appendingPathComponent(name).path) {
      try files.createDirectory(at: copied, withIntermediateDirectories: true)
      try files.copyItem(at: built.appendingPathComponent(name), to: copied.appendingPathComponent(name))
    }
  }
}
