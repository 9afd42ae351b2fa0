import Foundation

/// The package that a file belongs to.
enum PackageRoot {
  /// The nearest folder above with a manifest; nil if there is none.
  ///
  /// - Parameter path: absolute, all links resolved.
  static func around(_ path: String) -> String? {
    var folder = path
    while let slash = folder.lastIndex(of: "/") {
      folder = String(folder[..<slash])
      if FileIdentity.read(folder + "/Package.swift")?.kind == .file { return folder.isEmpty ? "/" : folder }
    }
    return nil
  }
}
