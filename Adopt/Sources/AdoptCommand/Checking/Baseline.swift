import AdoptAnalysis
import Foundation

/// The findings that existed when the baseline was written. They are not reported again.
struct Baseline: Sendable, Equatable {
  struct Entry: Codable, Sendable, Hashable {
    /// The path relative to the folder of the baseline.
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

  /// Reads a baseline file.
  static func read(_ path: String) throws(FileProblem) -> Baseline {
    guard FileIdentity.read(path) != nil else { throw .system(path, "Could not read the file", errno) }
    let text = try SourceText.read(path)
    guard let document = try? JSONDecoder().decode(Document.self, from: Data(text.utf8)) else {
      throw FileProblem(path, "The file is not a valid baseline. Create one with --write-baseline.")
    }
    guard document.version == 1 else {
      throw FileProblem(
        path, "The file is a baseline of the unsupported version \(document.version). Update adopt.")
    }
    return Baseline(entries: document.findings)
  }

  /// - Parameter relative: Returns the path of a file relative to the baseline's folder.
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

  /// Keeps the entries of an earlier baseline for files that were not checked this time.
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

  /// Returns, for each finding, whether it is not in the baseline. The findings must be in order.
  ///
  /// An entry covers as many equal findings as it counted; further ones are new. The entries of a file that no longer
  /// exists apply to every file, because its code may have moved there.
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
      let isPresent = present[entry.file] ?? exists(entry.file)
      present[entry.file] = isPresent
      left[Key(file: isPresent ? entry.file : nil, fingerprint: entry.fingerprint), default: 0] += max(
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
