import AdoptAnalysis
import Foundation

/// Findings that were there before somebody began to look, and are not told again.
struct Baseline: Sendable, Equatable {
  struct Entry: Codable, Sendable, Hashable {
    /// Relative to the folder of the baseline.
    var file: String
    var function: String
    var kind: String
    var fingerprint: String
    var count: Int
  }

  private struct Document: Codable {
    var version: Int
    var findings: [Entry]
  }

  private(set) var entries: [Entry]

  init(entries: [Entry] = []) { self.entries = entries }

  /// One that is not there is empty.
  static func read(_ path: String) throws(FileProblem) -> Baseline {
    guard FileIdentity.read(path) != nil else { throw .system(path, "cannot be read", errno) }
    let text = try SourceText.read(path)
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(text.utf8)) else {
      throw FileProblem(path, "is not a baseline; write one with --write-baseline")
    }
    guard document.version == 1 else {
      throw FileProblem(path, "is of version \(document.version), which this adopt does not know")
    }
    return Baseline(entries: document.findings)
  }

  /// - Parameter relative: the path of a file as seen from the baseline's folder.
  init(of findings: [Finding], relative: (String) -> String) {
    var counts: [Entry: Int] = [:]
    for finding in findings {
      counts[
        Entry(
          file: relative(finding.place.path), function: finding.function, kind: finding.kind.rawValue,
          fingerprint: finding.fingerprint, count: 0), default: 0] += 1
    }
    entries = counts.map { entry, count in
      var entry = entry
      entry.count = count
      return entry
    }
    sort()
  }

  /// Keeps of another one what is said of files that were not looked at this time.
  mutating func keep(from earlier: Baseline, where isKept: (String) -> Bool) {
    entries += earlier.entries.filter { isKept($0.file) }
    sort()
  }

  private mutating func sort() {
    entries.sort {
      ($0.file, $0.function, $0.kind, $0.fingerprint) < ($1.file, $1.function, $1.kind, $1.fingerprint)
    }
  }

  var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data = (try? encoder.encode(Document(version: 1, findings: entries))) ?? Data()
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  /// Which of the findings, which have to be in their order, are not in it.
  ///
  /// As many of a kind as there were are old; more are new. What is said of a file that is gone holds wherever its
  /// code went.
  func isNew(
    _ findings: [Finding], relative: (String) -> String, exists: (String) -> Bool
  ) -> [Bool] {
    struct Key: Hashable {
      var file: String?
      var fingerprint: String
    }
    var left: [Key: Int] = [:]
    var present: [String: Bool] = [:]
    for entry in entries {
      let isThere = present[entry.file] ?? exists(entry.file)
      present[entry.file] = isThere
      left[Key(file: isThere ? entry.file : nil, fingerprint: entry.fingerprint), default: 0] += max(
        0, min(entry.count, 1 << 30))
    }
    return findings.map { finding in
      for file in [relative(finding.place.path), nil] {
        let key = Key(file: file, fingerprint: finding.fingerprint)
        if let count = left[key], count > 0 {
          left[key] = count - 1
          return false
        }
      }
      return true
    }
  }
}
