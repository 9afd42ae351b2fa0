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

/// Finds out which systems a package supports, as far as its manifest gives them as literals.
enum PackagePlatforms {
  /// The first versions with Swift concurrency.
  private static let needed: [String: Double] = ["macOS": 10.15, "iOS": 13, "tvOS": 13, "watchOS": 6]

  /// Returns whether the package also supports Apple systems without Swift concurrency. Without a list of platforms, it
  /// supports all that SwiftPM does, which include older ones.
  static func supportsOlderSystems(manifest: String) -> Bool {
    let finder = Finder(viewMode: .sourceAccurate)
    finder.walk(ParsedFile(path: "Package.swift", text: manifest).tree)
    guard finder.hasList else { return true }
    return finder.versions.contains { system, version in needed[system].map { version < $0 } ?? false }
  }

  private final class Finder: SyntaxVisitor {
    var hasList = false
    var versions: [(system: String, version: Double)] = []

    override func visit(_ node: LabeledExprSyntax) -> SyntaxVisitorContinueKind {
      guard node.label?.text == "platforms", let list = node.expression.as(ArrayExprSyntax.self) else {
        return .visitChildren
      }
      hasList = true
      for element in list.elements {
        guard let call = element.expression.as(FunctionCallExprSyntax.self),
          let system = call.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text,
          let argument = call.arguments.first?.expression
        else { continue }
        let text = argument.trimmedDescription.filter { $0.isNumber || $0 == "." || $0 == "_" }
        let parts = text.split { $0 == "." || $0 == "_" }.prefix(2)
        if let version = Double(parts.joined(separator: ".")) { versions.append((system, version)) }
      }
      return .skipChildren
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
