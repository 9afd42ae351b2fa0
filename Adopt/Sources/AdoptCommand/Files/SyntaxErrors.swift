import AdoptAnalysis
import SwiftDiagnostics
import SwiftParserDiagnostics
import SwiftSyntax

/// Finds the first place at which a file does not parse.
enum SyntaxErrors {
  /// Returns the place and the parser's message, or nil if the file parses.
  static func first(in file: ParsedFile) -> (place: Place, message: String)? {
    guard file.tree.hasError else { return nil }
    let diagnostic = ParseDiagnosticsGenerator.diagnostics(for: file.tree).first {
      $0.diagMessage.severity == .error
    }
    guard let diagnostic else { return (file.place(at: 0), "the file does not parse") }
    return (file.place(at: diagnostic.position.utf8Offset), diagnostic.message)
  }

  /// Returns the problem to report for a file that is changed only where it parses.
  static func problem(in file: ParsedFile) -> FileProblem? {
    first(in: file).map { place, message in
      FileProblem(
        "\(place.path):\(place.line):\(place.column)",
        "The file does not parse: \(message). Functions with errors are left out.")
    }
  }
}
