import AdoptAnalysis
import SwiftSyntax

/// The imports of a file of twins: all imports of the functions' files.
struct Imports {
  private var statements: [String] = []
  /// Blocks such as `#if canImport(FoundationNetworking)` that contain only imports.
  private var conditional: [String] = []

  var isEmpty: Bool { statements.isEmpty && conditional.isEmpty }

  mutating func add(from file: ParsedFile) {
    for statement in file.tree.statements {
      if let declaration = statement.item.as(ImportDeclSyntax.self) {
        // Only the original file re-exports the module.
        Self.add(declaration.trimmedDescription.replacing("@_exported ", with: ""), to: &statements)
      } else if let block = statement.item.as(IfConfigDeclSyntax.self), Self.onlyImports(block) {
        Self.add(block.trimmedDescription.replacing("\r\n", with: "\n"), to: &conditional)
      }
    }
  }

  mutating func addFoundation() {
    guard !statements.contains(where: { $0.split(separator: " ").last == "Foundation" }) else { return }
    statements.append("import Foundation")
  }

  func text(lineEnd: String) -> String {
    let sorted = statements.sorted { Self.module($0) < Self.module($1) }
    let blocks = conditional.map { $0.replacing("\n", with: lineEnd) }
    return (sorted.isEmpty ? blocks : [sorted.joined(separator: lineEnd)] + blocks)
      .joined(separator: lineEnd + lineEnd)
  }

  private static func add(_ text: String, to list: inout [String]) {
    if !list.contains(text) { list.append(text) }
  }

  private static func module(_ statement: String) -> Substring { statement.split(separator: " ").last ?? "" }

  private static func onlyImports(_ block: IfConfigDeclSyntax) -> Bool {
    block.clauses.allSatisfy { clause in
      guard case .statements(let statements)? = clause.elements else { return clause.elements == nil }
      return statements.allSatisfy { statement in
        if let nested = statement.item.as(IfConfigDeclSyntax.self) { return onlyImports(nested) }
        return statement.item.is(ImportDeclSyntax.self)
      }
    }
  }
}
