import Foundation

/// Finds the package that a file belongs to.
enum PackageRoot {
  /// Returns the nearest enclosing folder with a manifest, or nil if there is none.
  ///
  /// - Parameter path: An absolute path with all links resolved.
  static func around(_ path: String) -> String? {
    var folder = path
    while let slash = folder.lastIndex(of: "/") {
      folder = String(folder[..<slash])
      if FileIdentity.read(folder + "/Package.swift")?.kind == .file { return folder.isEmpty ? "/" : folder }
    }
    return nil
  }
}
