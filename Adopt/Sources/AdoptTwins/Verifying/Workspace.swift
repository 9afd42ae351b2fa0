import Foundation

/// Copies of files for the compiler to read instead of the files themselves.
struct Workspace {
  let folder: TemporaryFolder
  /// The paths of the copies, by the paths of the files.
  private(set) var copies: [String: String] = [:]
  /// The path of the copy of the package.
  private(set) var package: String?
  /// The path of the original package.
  private var packageSource: String?

  /// Creates a workspace for files that form a module.
  init(files: [String]) throws(VerifierError) {
    folder = try TemporaryFolder()
    for (index, path) in files.enumerated() {
      // Files in different folders may have the same name, but the compiler needs different names.
      let name = URL(fileURLWithPath: path).lastPathComponent
      let isTaken = copies.values.contains(folder.path + "/" + name)
      copies[path] = folder.path + "/" + (isTaken ? "\(index)-\(name)" : name)
    }
  }

  /// Creates a workspace for files of a package.
  ///
  /// Only the downloads and the files that the compiler or the package manager may write are copied. Everything else
  /// is linked, because a package may be in a large repository. The folders next to the package are linked as well, so
  /// that relative dependencies are found.
  init(package path: String, files: [String]) throws(VerifierError) {
    folder = try TemporaryFolder()
    let source = Self.resolved(path)
    // Relative dependencies may be some folders above, and have such dependencies themselves.
    let parents = source.deletingLastPathComponent().pathComponents.dropFirst().suffix(Self.linkedParents)
    let around = ([folder.path] + parents).joined(separator: "/")
    let copy = around + "/" + source.lastPathComponent
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
      try FileManager.default.createDirectory(atPath: around, withIntermediateDirectories: true)
      var (original, linked) = (source, around)
      for _ in 0...parents.count where original.path != "/" {
        try Self.linkSiblings(of: original, in: linked)
        original.deleteLastPathComponent()
        linked = String(linked[..<(linked.lastIndex(of: "/") ?? linked.startIndex)])
      }
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

  /// Returns the original of a path in the workspace.
  func original(of path: String) -> String? {
    let resolved = Self.resolved(path).path
    if let path = copies.first(where: { Self.resolved($0.value).path == resolved })?.key { return path }
    guard let package, let packageSource else { return nil }
    if resolved.hasPrefix(packageSource + "/") { return resolved }
    let copied = Self.resolved(package).path + "/"
    return resolved.hasPrefix(copied) ? packageSource + "/" + resolved.dropFirst(copied.count) : nil
  }

  /// A function that returns the absolute path of the original of a path in the workspace, with all links resolved.
  var originals: (String) -> String {
    var resolved: [String: String] = [:]
    for (path, copy) in copies { resolved[Self.resolved(copy).path] = Self.resolved(path).path }
    return { path in
      let path = Self.resolved(path).path
      return resolved[path] ?? path
    }
  }

  static func resolved(_ path: String) -> URL {
    URL(fileURLWithPath: path).standardizedFileURL.resolvingSymlinksInPath()
  }

  /// The number of folders above the package whose contents are linked.
  private static let linkedParents = 4

  private static func linkSiblings(of package: URL, in folder: String) throws {
    let files = FileManager.default
    let parent = package.deletingLastPathComponent()
    for name in try files.contentsOfDirectory(atPath: parent.path) where name != package.lastPathComponent {
      try? files.createSymbolicLink(
        atPath: folder + "/" + name, withDestinationPath: parent.appendingPathComponent(name).path)
    }
  }

  /// Copies a package's folder with links. Only folders in which files are written become real folders.
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
        // The targets of relative links depend on their folder. The package manager may write files next to the
        // manifest, such as `Package.resolved`.
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
