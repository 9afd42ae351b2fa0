import AdoptAnalysis
import Foundation

/// Small functions and types with the answers that a check of them should give.
///
/// A text file contains cases, each after a line `=== NAME`. A comment `// finds never, twice` at the end of a line
/// says which findings are expected there. It is removed before the check.
package struct Corpus: Sendable {
  package struct Case: Sendable {
    package let name: String
    package let text: String
    /// The kinds that are correct, by line. A line with several kinds is found if one of them is reported.
    package let expected: [Int: Set<String>]
  }

  package private(set) var cases: [Case] = []

  /// Reads all text files in a folder.
  package init(folder: String) throws {
    for file in try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    where file.hasSuffix(".txt") {
      let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
      cases += Self.cases(in: text)
    }
  }

  private static func cases(in text: String) -> [Case] {
    text.components(separatedBy: "=== ").dropFirst().map { part in
      var lines = part.components(separatedBy: "\n")
      let name = lines.removeFirst()
      var expected: [Int: Set<String>] = [:]
      for (index, line) in lines.enumerated() {
        guard let mark = line.range(of: " // finds ") else { continue }
        expected[index + 1] = Set(line[mark.upperBound...].components(separatedBy: ", "))
        lines[index] = String(line[..<mark.lowerBound])
      }
      return Case(name: name, text: lines.joined(separator: "\n"), expected: expected)
    }
  }

  /// How well a check answers the cases.
  package struct Score: Sendable {
    package var faulty = 0
    package var correct = 0
    package var found = 0
    package var reported = 0
    package var falseFindings: [String] = []
    package var missed: [String] = []

    /// The share of cases with a fault of which one was found.
    package var recall: Double { faulty == 0 ? 1 : Double(found) / Double(faulty) }
    /// The share of findings that are expected.
    package var precision: Double {
      reported == 0 ? 1 : Double(reported - falseFindings.count) / Double(reported)
    }
  }

  package func score() -> Score {
    var score = Score()
    for one in cases {
      let findings = check(ParsedFile(path: one.name, text: one.text)).findings
      var isFound = false
      for finding in findings {
        score.reported += 1
        if one.expected[finding.place.line]?.contains(finding.kind.rawValue) == true {
          isFound = true
        } else {
          score.falseFindings.append("\(one.name):\(finding.place.line): \(finding.kind): \(finding.message)")
        }
      }
      if one.expected.isEmpty {
        score.correct += 1
      } else {
        score.faulty += 1
        if isFound { score.found += 1 } else { score.missed.append(one.name) }
      }
    }
    return score
  }
}
