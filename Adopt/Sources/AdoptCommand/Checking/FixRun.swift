import AdoptAnalysis
import AdoptTwins
import Foundation
import SwiftSyntax

/// Applies the fix-its of findings to the source files.
struct FixRun: Sendable {
  struct Outcome: Sendable {
    /// The files that were changed.
    var changed: Set<String> = []
    /// The number of findings whose fix-it was applied.
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
    let results = try await Workers.map(
      work.sorted { $0.path < $1.path }, jobs: jobs, returnsOnCancellation: false
    ) { work in
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

  /// Reads and checks the file again, so that the fixes apply to its current text.
  private static func fix(_ work: Work, _ options: CheckOptions) -> (String, Result<Int, FileProblem>) {
    do throws(FileProblem) {
      let text = try SourceText.read(work.path)
      let (changed, count) = fixed(text, work, options)
      if count > 0 { try AtomicFile.write(changed, to: work.path) }
      return (work.path, .success(count))
    } catch {
      return (work.path, .failure(error))
    }
  }

  /// Applies one fix-it after the other. A fix-it that does not reduce the number of findings, or that leaves code that
  /// does not parse, is reverted: otherwise a second run would apply it again.
  private static func fixed(_ text: String, _ work: Work, _ options: CheckOptions) -> (String, Int) {
    var text = text
    var file = ParsedFile(path: work.path, text: text)
    var findings = check(file, options: options).findings
    var tried: Set<String> = []
    var count = 0
    let lineEnd = FileStyle(of: text).lineEnd
    while let finding = findings.first(where: {
      !$0.fixIts.isEmpty && work.wanted.contains(key(of: $0)) && !tried.contains(key(of: $0))
    }), let fixIt = finding.fixIts.first {
      tried.insert(key(of: finding))
      let group = EditGroup(
        edits: fixIt.edits.map { edit in
          TextEdit(range: edit.range, replacement: edit.replacement.replacing("\n", with: lineEnd))
        })
      let (changed, made) = TextEdits.apply([group], to: text)
      guard made == 1, changed != text else { continue }
      let changedFile = ParsedFile(path: work.path, text: changed)
      let left = check(changedFile, options: options).findings
      guard left.count < findings.count, file.tree.hasError || !changedFile.tree.hasError else { continue }
      (text, file, findings) = (changed, changedFile, left)
      count += 1
      // Another finding may have the same key.
      tried = []
    }
    return (text, count)
  }

  private static func key(of finding: Finding) -> String {
    "\(finding.kind.rawValue) \(finding.fingerprint)"
  }
}
