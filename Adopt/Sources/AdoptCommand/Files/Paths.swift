import Foundation
import Glibc

/// Paths as they are compared and shown.
struct Paths: Sendable {
  /// All links resolved.
  let current: String
  /// Of the repository that the current folder is in, else the current folder.
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

  /// All links resolved; of what is not there, as far as can be.
  func absolute(_ path: String) -> String {
    if let resolved = Self.resolved(path) { return resolved }
    let full = path.hasPrefix("/") ? path : current + "/" + path
    return URL(fileURLWithPath: full).standardizedFileURL.path
  }

  /// Both absolute.
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
