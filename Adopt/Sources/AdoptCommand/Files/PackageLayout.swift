import AdoptAnalysis
import SwiftParser
import SwiftSyntax

/// Finds the source folders of a package, as far as its manifest gives them as string literals.
enum PackageLayout {
  /// The folders that SwiftPM searches by default.
  private static let usual = ["Sources", "Source", "src", "srcs", "Tests", "Plugins"]

  /// Returns folders relative to the manifest's folder. Some may not exist.
  static func sourceFolders(manifest: String?) -> [String] {
    guard let manifest else { return usual }
    let finder = TargetPaths(viewMode: .sourceAccurate)
    finder.walk(ParsedFile(path: "Package.swift", text: manifest).tree)
    return usual + finder.paths.filter { !usual.contains($0) }
  }

  /// Collects the paths of targets. A computed path cannot be known without running the manifest.
  private final class TargetPaths: SyntaxVisitor {
    private static let kinds: Set<String> = [
      "target", "executableTarget", "testTarget", "plugin", "macro",
    ]
    var paths: [String] = []

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
      guard let member = node.calledExpression.as(MemberAccessExprSyntax.self),
        Self.kinds.contains(member.declName.baseName.text)
      else { return .visitChildren }
      for argument in node.arguments where argument.label?.text == "path" {
        let literal = argument.expression.as(StringLiteralExprSyntax.self)
        guard let path = literal?.representedLiteralValue else { continue }
        let parts = path.split(separator: "/").filter { $0 != "." }
        paths.append(parts.isEmpty ? "." : parts.joined(separator: "/"))
      }
      return .visitChildren
    }
  }
}

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
