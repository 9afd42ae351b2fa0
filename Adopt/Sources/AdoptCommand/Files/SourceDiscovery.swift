import Foundation
import Glibc

/// Finds the Swift files that the operands of a command line refer to.
///
/// A file stands for itself. A folder with a `Package.swift` stands for the sources, tests and plug-ins of that
/// package; any other folder stands for all Swift files in it. A file that several paths or links lead to is found
/// once.
package struct SourceDiscovery {
  /// The folders that other tools create: build products and downloaded dependencies.
  private static let skippedFolders: Set<String> = ["Pods", "Carthage", "DerivedData", "node_modules"]

  private let excluded: [String]
  private var seenFiles: Set<FileIdentity> = []
  private var seenFolders: Set<FileIdentity> = []
  private var links: [String] = []

  package private(set) var files: [String] = []
  package private(set) var problems: [FileProblem] = []

  private init(excluded: [String]) { self.excluded = excluded }

  /// Finds the files of the operands, in the order of the operands and sorted by path within each.
  package static func find(_ operands: [String], excluding excluded: [String] = []) -> SourceDiscovery {
    var discovery = SourceDiscovery(excluded: excluded)
    for operand in operands { discovery.add(operand) }
    return discovery
  }

  private mutating func add(_ operand: String) {
    guard operand != "-" else {
      if !files.contains("-") { files.append("-") }
      return
    }
    guard let (identity, kind) = FileIdentity.read(operand) else {
      problems.append(.system(operand, "Could not read the file or folder", errno))
      return
    }
    guard kind == .folder else {
      // A file that is named explicitly is used regardless of its extension, even if it is a pipe.
      if kind == .other || seenFiles.insert(identity).inserted { files.append(operand) }
      return
    }
    let before = files.count
    let folder = operand == "." || operand == "./" ? "" : operand.hasSuffix("/") ? operand : operand + "/"
    for root in Self.roots(of: folder) { walk(root) }
    // Links come last, so that a file that is also in the tree itself is shown with its own path.
    while let link = links.popLast() { follow(link) }
    files[before...].sort()
  }

  /// Returns the folders to search, each with a trailing slash, or empty for the current folder.
  private static func roots(of folder: String) -> [String] {
    let manifest = folder + "Package.swift"
    guard FileIdentity.read(manifest)?.kind == .file else { return [folder] }
    let paths = PackageLayout.sourceFolders(manifest: try? SourceText.read(manifest))
    let roots = paths.map { $0 == "." ? folder : folder + $0 + "/" }
      .filter { FileIdentity.read($0.isEmpty ? "." : $0)?.kind == .folder }
    return roots.isEmpty ? [folder] : roots
  }

  private mutating func walk(_ root: String) {
    var waiting = [root]
    while let folder = waiting.popLast() {
      let path = folder.isEmpty ? "." : folder
      guard let (identity, _) = FileIdentity.read(path), seenFolders.insert(identity).inserted else {
        continue
      }
      guard let stream = opendir(path) else {
        problems.append(.system(path, "Could not read the folder", errno))
        continue
      }
      defer { closedir(stream) }
      while let entry = readdir(stream) {
        guard let name = Self.name(of: entry) else {
          problems.append(
            FileProblem(path, "The folder contains a file whose name is not UTF-8. The file was skipped."))
          continue
        }
        // Hidden files, and the entries `.` and `..`.
        if name.hasPrefix(".") { continue }
        let type = Int(entry.pointee.d_type)
        take(folder + name, name: name, type: type, &waiting)
      }
    }
  }

  private mutating func take(_ path: String, name: String, type: Int, _ waiting: inout [String]) {
    let isLink = type == Int(DT_LNK)
    let isFolder = type == Int(DT_DIR)
    let isSwift = name.hasSuffix(".swift")
    // Some file systems do not report the type of an entry.
    let isUnknown = type == Int(DT_UNKNOWN)
    guard isLink || isFolder || isSwift || isUnknown else { return }
    if isFolder || isLink, Self.skippedFolders.contains(name) { return }
    if isExcluded(path, name: name) { return }
    if isLink {
      links.append(path)
    } else if isFolder {
      waiting.append(path + "/")
    } else if let (identity, kind) = FileIdentity.read(path) {
      if kind == .folder {
        waiting.append(path + "/")
      } else if kind == .file, isSwift, seenFiles.insert(identity).inserted {
        files.append(path)
      }
    }
  }

  private mutating func follow(_ link: String) {
    // A broken link is ignored.
    guard let (identity, kind) = FileIdentity.read(link) else { return }
    if kind == .folder {
      walk(link + "/")
    } else if kind == .file, link.hasSuffix(".swift"), seenFiles.insert(identity).inserted {
      files.append(link)
    }
  }

  private func isExcluded(_ path: String, name: String) -> Bool {
    excluded.contains { fnmatch($0, name, 0) == 0 || fnmatch($0, path, 0) == 0 }
  }

  private static func name(of entry: UnsafeMutablePointer<dirent>) -> String? {
    withUnsafePointer(to: &entry.pointee.d_name) { pointer in
      pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(validatingCString: $0) }
    }
  }
}
