import SwiftSyntax

/// The type aliases of a file and those shared by other files, by name. An alias that is declared twice is ambiguous
/// and left out.
struct TypeAliases: Sendable {
  private var declarations: [String: TypeAliasDeclSyntax] = [:]

  init(_ file: ParsedFile, shared: SharedAliases = SharedAliases()) {
    declarations = shared.aliases(for: file)
    var own: Set<String> = []
    let words = WordFinder(["typealias"])
    let offsets = words.find(in: file)
    guard !offsets.isEmpty else { return }
    var ambiguous: Set<String> = []
    var pending = [Syntax(file.tree)]
    while let node = pending.popLast() {
      if let alias = node.as(TypeAliasDeclSyntax.self) {
        let name = alias.name.text
        declarations[name] = alias
        if !own.insert(name).inserted { ambiguous.insert(name) }
        continue
      }
      for child in node.children(viewMode: .sourceAccurate) where offsets.touch(child) {
        pending.append(child)
      }
    }
    for name in ambiguous { declarations[name] = nil }
  }

  subscript(name: String) -> TypeAliasDeclSyntax? { declarations[name] }
}
