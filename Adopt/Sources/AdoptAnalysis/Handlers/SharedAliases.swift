import SwiftParser
import SwiftSyntax

/// The type aliases that files of one module share, by name.
///
/// Files are checked without type information. A name therefore only counts if nothing else in any of the files has the
/// same name, in any scope, and only within the folder of its target.
package struct SharedAliases: Sendable {
  private var byModule: [String: [String: TypeAliasDeclSyntax]] = [:]

  package init(_ files: [ParsedFile] = []) {
    self.init(files.map { Contribution($0) })
  }

  init(_ contributions: [Contribution]) {
    var counts: [String: Int] = [:]
    for name in contributions.lazy.flatMap(\.declaredNames) { counts[name, default: 0] += 1 }
    for contribution in contributions {
      for alias in contribution.aliases where counts[alias.name.text] == 1 {
        byModule[contribution.module, default: [:]][alias.name.text] = alias
      }
    }
  }

  /// What one file adds.
  struct Contribution: Sendable {
    let module: String
    let declaredNames: [String]
    private(set) var aliases: [TypeAliasDeclSyntax]

    init(_ file: ParsedFile) {
      module = SharedAliases.module(of: file.path)
      declaredNames = SharedAliases.declaredNames(in: file)
      aliases = declaredNames.isEmpty ? [] : SharedAliases.visibleAliases(of: file)
    }

    /// Makes copies of the aliases that do not keep the tree of the file in memory.
    mutating func detach() {
      aliases = aliases.compactMap { alias in
        let tree = Parser.parse(source: alias.trimmedDescription)
        return tree.statements.first?.item.as(TypeAliasDeclSyntax.self)
      }
    }
  }

  func names(in module: String) -> Set<String> { Set(byModule[module]?.keys.map { $0 } ?? []) }

  func aliases(for file: ParsedFile) -> [String: TypeAliasDeclSyntax] {
    byModule[Self.module(of: file.path)] ?? [:]
  }

  /// Returns the words after keywords that declare types, also in comments. Extra names only exclude more aliases.
  fileprivate static func declaredNames(in file: ParsedFile) -> [String] {
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
  fileprivate static func visibleAliases(of file: ParsedFile) -> [TypeAliasDeclSyntax] {
    file.tree.statements.compactMap { item in
      guard let alias = item.item.as(TypeAliasDeclSyntax.self),
        !alias.modifiers.contains(where: { ["private", "fileprivate"].contains($0.name.text) })
      else { return nil }
      return alias
    }
  }

  /// Returns the module of a file, such as `Sources/Photos` for `Sources/Photos/Loading/a.swift`. Files outside of
  /// packages form one module.
  static func module(of path: String) -> String {
    let parts = path.split(separator: "/")
    guard let root = parts.lastIndex(where: { ["Sources", "Tests", "Plugins"].contains($0) }),
      root + 2 < parts.count
    else { return "" }
    return parts[...(root + 1)].joined(separator: "/")
  }
}
