import SwiftSyntax

/// Functions with known behavior: well-known ones, and those that the file declares.
struct KnownFunctions: Sendable {
  /// The standard functions that never return.
  private static let neverReturning: Set<String> = [
    "fatalError", "preconditionFailure", "exit", "_exit", "abort", "dispatchMain", "quick_exit",
  ]
  /// The modules that declare or re-export these functions.
  private static let modules: Set<String> = [
    "Swift", "Foundation", "Dispatch", "Darwin", "Glibc", "Musl", "Android", "Bionic", "ucrt",
  ]
  /// The names of functions of this file that never return.
  private let declaredNever: Set<String>
  /// The names of standard functions that functions of this file have as well.
  private let redeclared: Set<String>
  /// The names of functions of this file whose last parameter is a handler.
  private(set) var takesHandler: Set<String> = []
  /// Whether the file imports Alamofire or AlamofireImage.
  let importsAlamofire: Bool
  private let finder: WordFinder

  init(_ file: ParsedFile, handlerFunctions: Set<String>) {
    takesHandler = handlerFunctions
    importsAlamofire = Self.imports(["Alamofire", "AlamofireImage"], in: file)
    (declaredNever, redeclared) = Self.declared(in: file)
    finder = WordFinder(
      ["return", "throw", "try", "break", "continue", "fallthrough", "defer", "while"]
        + Array(Self.neverReturning.union(declaredNever)))
  }

  /// Returns whether a function never returns.
  ///
  /// Many types have methods such as `abort()` and `exit()`, which return.
  ///
  /// - Parameters:
  ///   - base: The expression before the name, or nil for a call of the name alone.
  ///   - isLocal: Whether the name alone is the name of a local function or variable.
  func neverReturns(_ name: String, base: ExprSyntax?, isLocal: Bool) -> Bool {
    if declaredNever.contains(name) { return base == nil || base?.is(DeclReferenceExprSyntax.self) == true }
    guard Self.neverReturning.contains(name) else { return false }
    if let base { return base.plainName.map(Self.modules.contains) ?? false }
    return !isLocal && !redeclared.contains(name)
  }

  /// Returns the places of words that change the control flow, or may do so.
  func words(in file: ParsedFile, range: Range<Int>) -> Mentions {
    finder.find(in: file, range: range)
  }

  private static func imports(_ modules: Set<String>, in file: ParsedFile) -> Bool {
    let mentions = WordFinder(modules).find(in: file)
    var pending = mentions.isEmpty ? [] : [Syntax(file.tree)]
    while let node = pending.popLast() {
      if let statement = node.as(ImportDeclSyntax.self) {
        if let module = statement.path.first?.name.text, modules.contains(module) { return true }
      } else if !node.is(FunctionDeclSyntax.self) {
        for child in node.children(viewMode: .sourceAccurate) where mentions.touch(child) {
          pending.append(child)
        }
      }
    }
    return false
  }

  /// Returns the names of the functions in a file that never return, and of those that have the name of a standard
  /// function that never returns.
  private static func declared(in file: ParsedFile) -> (never: Set<String>, standard: Set<String>) {
    let mentions = WordFinder(neverReturning.union(["Never"])).find(in: file)
    guard !mentions.isEmpty else { return ([], []) }
    var (never, standard): (Set<String>, Set<String>) = ([], [])
    var pending = [Syntax(file.tree)]
    while let node = pending.popLast() {
      if let function = node.as(FunctionDeclSyntax.self) {
        if function.signature.returnClause?.type.as(IdentifierTypeSyntax.self)?.name.text == "Never" {
          never.insert(function.name.text)
        } else if neverReturning.contains(function.name.text) {
          standard.insert(function.name.text)
        }
      }
      for child in node.children(viewMode: .sourceAccurate) where mentions.touch(child) {
        pending.append(child)
      }
    }
    return (never, standard)
  }
}
