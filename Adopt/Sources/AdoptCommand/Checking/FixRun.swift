import AdoptAnalysis
import Foundation
import SwiftSyntax

/// Makes the changes that findings propose, in the files themselves.
struct FixRun: Sendable {
  struct Outcome: Sendable {
    /// The files that are different now.
    var changed: Set<String> = []
    /// How many findings' changes were made.
    var count = 0
    var problems: [FileProblem] = []
  }

  private struct Work: Sendable {
    var path: String
    var wanted: Set<String>
  }

  let options: CheckOptions
  let jobs: Int

  func fix(_ findings: [Finding]) async throws(CancellationError) -> Outcome {
    let fixable = findings.filter { !$0.fixIts.isEmpty }
    let work = Dictionary(grouping: fixable, by: \.place.path).map { path, findings in
      Work(path: path, wanted: Set(findings.map(Self.key)))
    }
    let options = options
    let results = try await Workers.map(work.sorted { $0.path < $1.path }, jobs: jobs, isAbandonable: false) {
      work in
      Self.fix(work, options)
    }
    var outcome = Outcome()
    for (path, result) in results {
      switch result {
      case .success(0): break
      case .success(let count):
        outcome.changed.insert(path)
        outcome.count += count
      case .failure(let problem): outcome.problems.append(problem)
      }
    }
    return outcome
  }

  /// The file is read and looked at once more: what is changed is what is there now.
  private static func fix(_ work: Work, _ options: CheckOptions) -> (String, Result<Int, FileProblem>) {
    do throws(FileProblem) {
      let text = try SourceText.read(work.path)
      let file = ParsedFile(path: work.path, text: text)
      let groups = check(file, options: options).findings
        .filter { work.wanted.contains(key(of: $0)) }
        .compactMap(\.fixIts.first)
        .map { fixIt in
          EditGroup(edits: fixIt.edits.map { TextEdit(range: $0.range, replacement: $0.replacement) })
        }
      let (changed, count) = TextEdits.apply(groups, to: text)
      guard count > 0, changed != text else { return (work.path, .success(0)) }
      guard file.tree.hasError || !ParsedFile(path: work.path, text: changed).tree.hasError else {
        throw FileProblem(work.path, "is left as it is: it would not parse after the changes")
      }
      try AtomicFile.write(changed, to: work.path)
      return (work.path, .success(count))
    } catch {
      return (work.path, .failure(error))
    }
  }

  private static func key(of finding: Finding) -> String {
    "\(finding.kind.rawValue) \(finding.place.offset) \(finding.fingerprint)"
  }
}
