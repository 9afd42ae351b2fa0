import SwiftSyntax
import Testing

@testable import AdoptAnalysis

/// Checks functions whose comments list the findings that are expected on their line: `// expect: never, twice`.
func expectFindings(
  in text: String, options: CheckOptions = CheckOptions(),
  sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  let file = ParsedFile(path: "fixture.swift", text: text)
  #expect(!file.tree.hasError, "the fixture parses", sourceLocation: sourceLocation)
  let result = check(file, options: options)
  #expect(result.declined.isEmpty, sourceLocation: sourceLocation)
  var found: [Int: [String]] = [:]
  for finding in result.findings { found[finding.place.line, default: []].append(finding.kind.rawValue) }
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  for (index, line) in lines.enumerated() {
    let expected = expectations(String(line)).sorted()
    let actual = (found[index + 1] ?? []).sorted()
    #expect(
      actual == expected, "line \(index + 1): \(line)\n\(describe(result, line: index + 1))",
      sourceLocation: sourceLocation)
  }
}

/// Checks functions that are correct, so that no finding is expected.
func expectNoFindings(
  in text: String, options: CheckOptions = CheckOptions(),
  sourceLocation: Testing.SourceLocation = #_sourceLocation
) {
  #expect(!text.contains("// expect:"), sourceLocation: sourceLocation)
  let handlers = check(ParsedFile(path: "fixture.swift", text: text), options: options).handlerCount
  #expect(handlers > 0, "the fixture has a handler", sourceLocation: sourceLocation)
  expectFindings(in: text, options: options, sourceLocation: sourceLocation)
}

private func expectations(_ line: String) -> [String] {
  guard let range = line.range(of: "// expect: ") else { return [] }
  return line[range.upperBound...].split { $0 == "," || $0 == " " }.map(String.init)
}

private func describe(_ result: FileCheck, line: Int) -> String {
  result.findings.filter { $0.place.line == line }
    .map { finding in
      "\(finding.kind): \(finding.message)\n"
        + finding.notes.map { "  \($0.place.line):\($0.place.column) \($0.message)" }.joined(separator: "\n")
    }
    .joined(separator: "\n")
}

extension String {
  fileprivate func range(of other: String) -> Range<String.Index>? {
    var index = startIndex
    while index < endIndex {
      if self[index...].hasPrefix(other) { return index..<self.index(index, offsetBy: other.count) }
      index = self.index(after: index)
    }
    return nil
  }
}
