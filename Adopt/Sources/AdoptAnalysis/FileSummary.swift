import SwiftSyntax

/// What other files have to know about a file to be checked together with it.
package struct FileSummary: Sendable {
  let path: String
  let aliases: SharedAliases.Contribution
  /// The names of the types that the file extends.
  let extendedTypes: Set<String>
  /// The names of the types in the file that store continuations.
  let storingTypes: Set<String>
  /// The names of the types of possible handlers that other files declare.
  let unresolvedTypes: Set<String>

  /// The module of the file, such as `Sources/Photos`.
  package var module: String { aliases.module }
  /// Whether other files of the module may decide what is found in the file.
  package var mayNeedOthers: Bool {
    !unresolvedTypes.isEmpty || !storingTypes.isEmpty || !extendedTypes.isEmpty
  }

  init(_ file: ParsedFile, _ found: SubjectFinder) {
    path = file.path
    var aliases = SharedAliases.Contribution(file)
    aliases.detach()
    self.aliases = aliases
    extendedTypes = Set(
      file.tree.statements.compactMap {
        $0.item.as(ExtensionDeclSyntax.self)?.extendedType.trimmedDescription
      })
    storingTypes = Set(found.stores.compactMap(\.typeName))
    unresolvedTypes = found.unresolvedTypes
  }
}

extension FileSummary {
  /// Returns the module of a file, as its path shows it.
  package static func module(of path: String) -> String { SharedAliases.module(of: path) }
}

/// Finds the files that have to be checked again together with others.
package struct FileLinks: Sendable {
  /// A file to check again.
  package struct Link: Sendable {
    package let path: String
    /// The files that extend a type which stores continuations in this file.
    package let others: [String]
  }

  /// The type aliases that the files share.
  package let aliases: SharedAliases
  package let links: [Link]

  package init(_ summaries: [FileSummary]) {
    let aliases = SharedAliases(summaries.map(\.aliases))
    self.aliases = aliases
    var extending: [String: [FileSummary]] = [:]
    let storing = summaries.reduce(into: Set<String>()) { $0.formUnion($1.storingTypes) }
    for summary in summaries {
      for type in summary.extendedTypes where storing.contains(type) {
        extending[type, default: []].append(summary)
      }
    }
    links = summaries.compactMap { summary in
      let others = summary.storingTypes.flatMap { extending[$0] ?? [] }.filter {
        $0.path != summary.path && $0.aliases.module == summary.aliases.module
      }
      let usesAlias = !summary.unresolvedTypes.isDisjoint(with: aliases.names(in: summary.aliases.module))
      guard usesAlias || !others.isEmpty else { return nil }
      return Link(path: summary.path, others: Set(others.map(\.path)).sorted())
    }
  }
}
