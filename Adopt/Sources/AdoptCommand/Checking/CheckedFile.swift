import AdoptAnalysis

/// The result of checking one file.
struct CheckedFile: Sendable {
  let path: String
  var result = FileCheck()
  /// The source lines that findings refer to, by line number, for reports that show them.
  var lines: [Int: String] = [:]
  /// The places of the edits of fix-its, by offset.
  var places: [Int: Place] = [:]
  var problem: FileProblem?
  /// The first place at which the file does not parse. What is wrong there may hide findings.
  var syntaxError: (place: Place, message: String)?

  /// Reads and checks a file.
  ///
  /// - Parameter name: The file name to show for standard input.
  static func checking(_ path: String, name: String? = nil, options: CheckOptions) -> CheckedFile {
    do throws(FileProblem) {
      return checking(
        try SourceText.read(path), path: path == "-" ? name ?? "<stdin>" : path, options: options)
    } catch {
      return CheckedFile(path: path, problem: error)
    }
  }

  static func checking(_ text: String, path: String, options: CheckOptions) -> CheckedFile {
    let file = ParsedFile(path: path, text: text)
    var checked = CheckedFile(path: path, result: check(file, options: options))
    checked.syntaxError = SyntaxErrors.first(in: file)
    let findings = checked.result.findings
    guard !findings.isEmpty else { return checked }
    for edit in findings.flatMap(\.fixIts).flatMap(\.edits) {
      for offset in [edit.range.lowerBound, edit.range.upperBound] {
        checked.places[offset] = file.place(at: offset)
      }
    }
    let places = findings.flatMap { [$0.place] + $0.notes.map(\.place) } + checked.places.values
    checked.lines = lines(Set(places.map(\.line)), of: text)
    return checked
  }

  /// Returns the requested lines, without their line endings.
  static func lines(_ wanted: Set<Int>, of text: String) -> [Int: String] {
    var lines: [Int: String] = [:]
    var number = 1
    var rest = text.utf8[...]
    while lines.count < wanted.count {
      let end = rest.firstIndex { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
      if wanted.contains(number) { lines[number] = String(Substring(rest[..<(end ?? rest.endIndex)])) }
      guard let end else { break }
      let next = rest.index(after: end)
      // A carriage return and a line feed together are one line ending.
      let isPair = rest[end] == UInt8(ascii: "\r") && next < rest.endIndex && rest[next] == UInt8(ascii: "\n")
      rest = rest[(isPair ? rest.index(after: next) : next)...]
      number += 1
    }
    return lines
  }
}
