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
    checked.addLines(for: checked.result.findings, of: file)
    return checked
  }

  /// Checks a file again, together with others that extend its types.
  ///
  /// - Returns: What is found in each of these files. Nil if one of them cannot be read any more.
  static func checking(_ link: FileLinks.Link, options: CheckOptions) -> [CheckedFile]? {
    var files: [ParsedFile] = []
    for path in [link.path] + link.others {
      guard let text = try? SourceText.read(path) else { return nil }
      files.append(ParsedFile(path: path, text: text))
    }
    let result = check(files[0], options: options, with: Array(files.dropFirst()))
    return files.map { file in
      var checked = CheckedFile(path: file.path)
      if file.path == link.path { checked.result = result }
      checked.result.findings = result.findings.filter { $0.place.path == file.path }
      checked.result.suppressed = result.suppressed.filter { $0.place.path == file.path }
      for finding in result.findings { checked.addLines(for: [finding], of: file) }
      return checked
    }
  }

  /// Records the lines of a file that findings show.
  private mutating func addLines(for findings: [Finding], of file: ParsedFile) {
    guard !findings.isEmpty else { return }
    for edit in findings.filter({ $0.place.path == file.path }).flatMap(\.fixIts).flatMap(\.edits) {
      for offset in [edit.range.lowerBound, edit.range.upperBound] { places[offset] = file.place(at: offset) }
    }
    let shown = findings.flatMap { [$0.place] + $0.notes.map(\.place) } + places.values
    let wanted = Set(shown.filter { $0.path == file.path }.map(\.line))
    lines.merge(Self.lines(wanted, of: file.text)) { first, _ in first }
  }

  /// Adds what was found by checking another file together with this one.
  mutating func add(_ other: CheckedFile) {
    result.findings = (result.findings + other.result.findings).sorted { $0.place.offset < $1.place.offset }
    result.suppressed += other.result.suppressed
    lines.merge(other.lines) { first, _ in first }
    places.merge(other.places) { first, _ in first }
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
