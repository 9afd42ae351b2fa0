import Foundation
import Glibc

/// Converts paths for comparison and display.
struct Paths: Sendable {
  /// The current folder, with all links resolved.
  let current: String
  /// The top folder of the repository that contains the current folder, or the current folder.
  let root: String

  init() {
    current = Self.resolved(".") ?? FileManager.default.currentDirectoryPath
    var folder = current
    while !folder.isEmpty, FileIdentity.read(folder + "/.git") == nil {
      folder = String(folder[..<(folder.lastIndex(of: "/") ?? folder.startIndex)])
    }
    root = folder.isEmpty ? current : folder
  }

  init(current: String, root: String) {
    self.current = current
    self.root = root
  }

  /// Returns the absolute path with all links resolved, or only standardized if the file does not exist.
  func absolute(_ path: String) -> String {
    if let resolved = Self.resolved(path) { return resolved }
    let full = path.hasPrefix("/") ? path : current + "/" + path
    return URL(fileURLWithPath: full).standardizedFileURL.path
  }

  /// Returns the path of a file relative to the top of the repository, or an absolute path if it is outside. Standard
  /// input without a name is not a file, and counts as one in the current folder.
  func inRepository(_ path: String) -> String {
    let absolute = path.hasPrefix("<") ? current + "/" + path : absolute(path)
    let relative = Self.relative(absolute, to: root)
    return relative.hasPrefix("../") || relative == ".." ? absolute : relative
  }

  /// Returns a path relative to a folder. Both must be absolute.
  static func relative(_ path: String, to folder: String) -> String {
    let (parts, base) = (path.split(separator: "/"), folder.split(separator: "/"))
    let common = zip(parts, base).prefix { $0 == $1 }.count
    let up = Array(repeating: Substring(".."), count: base.count - common)
    let all = up + parts[common...]
    return all.isEmpty ? "." : all.joined(separator: "/")
  }

  private static func resolved(_ path: String) -> String? {
    guard let pointer = realpath(path, nil) else { return nil }
    defer { free(pointer) }
    return String(cString: pointer)
  }
}
