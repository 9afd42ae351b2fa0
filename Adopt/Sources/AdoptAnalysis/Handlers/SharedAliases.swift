import SwiftSyntax

/// The type aliases that files of one module share, by name.
///
/// Files are checked without type information. A name therefore only counts if nothing else in any of the files has the
/// same name, in any scope, and only within the folder of its target.
package struct SharedAliases: Sendable {
  private var byModule: [String: [String: TypeAliasDeclSyntax]] = [:]

  package init(_ files: [ParsedFile] = []) {
    var counts: [String: Int] = [:]
    var found: [(module: String, alias: TypeAliasDeclSyntax)] = []
    for file in files {
      for name in Self.declaredNames(in: file) { counts[name, default: 0] += 1 }
      found += Self.visibleAliases(of: file).map { (Self.module(of: file), $0) }
    }
    for (module, alias) in found where counts[alias.name.text] == 1 {
      byModule[module, default: [:]][alias.name.text] = alias
    }
  }

  func aliases(for file: ParsedFile) -> [String: TypeAliasDeclSyntax] {
    byModule[Self.module(of: file)] ?? [:]
  }

  /// Returns the words after keywords that declare types, also in comments. Extra names only exclude more aliases.
  private static func declaredNames(in file: ParsedFile) -> [String] {
    let keywords = ["typealias", "struct", "class", "enum", "actor", "protocol", "associatedtype"].map {
      Array($0.utf8)
    }
    var names: [String] = []
    var isNext = false
    file.forEachWord { bytes, word in
      if isNext { names.append(String(decoding: bytes[word], as: UTF8.self)) }
      isNext = keywords.contains { bytes[word].elementsEqual($0) }
    }
    return names
  }

  /// Returns the top-level aliases that other files of the module can use, except those inside `#if`.
  private static func visibleAliases(of file: ParsedFile) -> [TypeAliasDeclSyntax] {
    file.tree.statements.compactMap { item in
      guard let alias = item.item.as(TypeAliasDeclSyntax.self),
        !alias.modifiers.contains(where: { ["private", "fileprivate"].contains($0.name.text) })
      else { return nil }
      return alias
    }
  }

  /// Returns the module of a file, such as `Sources/Photos` for `Sources/Photos/Loading/a.swift`. Files outside of
  /// packages form one module.
  private static func module(of file: ParsedFile) -> String {
    let parts = file.path.split(separator: "/")
    guard let root = parts.lastIndex(where: { ["Sources", "Tests", "Plugins"].contains($0) }),
      root + 2 < parts.count
    else { return "" }
    return parts[...(root + 1)].joined(separator: "/")
  }
}
