import AdoptAnalysis
import SwiftSyntax

/// Adds the helper declarations that the twins of a file share.
struct SupportWriter {
  let file: ParsedFile
  let support: Set<TwinSupport>

  func edits() -> [FixIt.Edit] {
    let missing = TwinSupport.allCases.filter { kind in
      support.contains(kind) && !file.text.contains(kind.lines()[0].text)
    }
    guard !missing.isEmpty else { return [] }
    let style = FileStyle(of: file.text)
    var edits: [FixIt.Edit] = []
    let found = CandidateFinder(file)
    if missing.contains(.startedWork), !found.importsFoundation {
      edits.append(importing(found, style: style))
    }
    let length = file.text.utf8.count
    let endsLine = file.text.unicodeScalars.last == "\n"
    var text = ""
    for kind in missing {
      text += (text.isEmpty && endsLine ? "" : style.lineEnd) + style.lineEnd
      text += kind.lines().text(base: "", style: style)
    }
    // A file that ends with a line ending keeps it.
    if endsLine { text += style.lineEnd }
    edits.append((length..<length, text))
    return edits
  }

  private func importing(_ found: CandidateFinder, style: FileStyle) -> FixIt.Edit {
    if let last = found.lastImport {
      let offset = last.endPositionBeforeTrailingTrivia.utf8Offset
      return (offset..<offset, style.lineEnd + "import Foundation")
    }
    let first = file.tree.statements.first?.positionAfterSkippingLeadingTrivia.utf8Offset ?? 0
    // After a file header, and before the comment of the first declaration.
    var offset = first
    if let trivia = file.tree.statements.first?.leadingTrivia {
      let doc = trivia.pieces.firstIndex {
        if case .docLineComment = $0 { true } else if case .docBlockComment = $0 { true } else { false }
      }
      if let doc { offset = first - trivia.pieces[doc...].reduce(0) { $0 + $1.sourceLength.utf8Length } }
    }
    return (offset..<offset, "import Foundation" + style.lineEnd + style.lineEnd)
  }
}
