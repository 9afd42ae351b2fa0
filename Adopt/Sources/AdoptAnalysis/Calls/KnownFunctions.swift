import SwiftSyntax

/// Functions with known behavior: well-known ones, and those that the file declares.
struct KnownFunctions: Sendable {
  /// The names of functions that never return.
  private(set) var neverReturning: Set<String> = [
    "fatalError", "preconditionFailure", "exit", "_exit", "abort", "dispatchMain", "quick_exit",
  ]
  /// The names of functions of this file whose last parameter is a handler.
  private(set) var takesHandler: Set<String> = []
  /// Whether the file imports Alamofire or AlamofireImage.
  let importsAlamofire: Bool
  private let finder: WordFinder

  init(_ file: ParsedFile, handlerFunctions: Set<String>) {
    takesHandler = handlerFunctions
    importsAlamofire = Self.imports(["Alamofire", "AlamofireImage"], in: file)
    neverReturning.formUnion(Self.declaredNever(in: file))
    finder = WordFinder(
      ["return", "throw", "try", "break", "continue", "fallthrough", "defer", "while"] + Array(neverReturning)
    )
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

  private static func declaredNever(in file: ParsedFile) -> Set<String> {
    let mentions = WordFinder(["Never"]).find(in: file)
    guard !mentions.isEmpty else { return [] }
    var names: Set<String> = []
    var pending = [Syntax(file.tree)]
    while let node = pending.popLast() {
      if let function = node.as(FunctionDeclSyntax.self),
        function.signature.returnClause?.type.as(IdentifierTypeSyntax.self)?.name.text == "Never"
      {
        names.insert(function.name.text)
      }
      for child in node.children(viewMode: .sourceAccurate) where mentions.touch(child) {
        pending.append(child)
      }
    }
    return names
  }
}
