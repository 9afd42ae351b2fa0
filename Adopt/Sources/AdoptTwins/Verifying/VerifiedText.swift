import AdoptAnalysis
import SwiftSyntax

/// The text of a file as it was compiled, and the lines of its async functions if some of them are twins.
struct VerifiedText {
  let path: String
  let text: String
  let functions: [(name: AsyncFunction, lines: ClosedRange<Int>)]
  private let lines: [Substring]

  init(path: String, text: String, hasTwins: Bool = true) {
    self.path = path
    self.text = text
    lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    functions = hasTwins ? Collector(ParsedFile(path: path, text: text)).functions : []
  }

  /// - Parameter number: The line number, counted from 1 as the compiler does.
  func line(_ number: Int) -> Substring { lines.indices.contains(number - 1) ? lines[number - 1] : "" }

  private final class Collector: SyntaxVisitor {
    let file: ParsedFile
    var functions: [(name: AsyncFunction, lines: ClosedRange<Int>)] = []

    init(_ file: ParsedFile) {
      self.file = file
      super.init(viewMode: .sourceAccurate)
      walk(file.tree)
    }

    override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
      guard node.isAsync || node.returnsStream else { return .visitChildren }
      let start = file.place(of: node).line
      let end = file.place(at: node.endPositionBeforeTrailingTrivia.utf8Offset).line
      let name = AsyncFunction(type: Scope(of: node).type, name: node.fullName)
      functions.append((name, start...max(start, end)))
      return .visitChildren
    }
  }
}
