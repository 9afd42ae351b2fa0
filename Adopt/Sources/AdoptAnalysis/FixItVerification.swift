/// Checks that fix-its remove their findings, by applying each to the text and checking it again.
struct FixItVerification {
  /// The maximum number of fix-its of a file that are checked. Further ones are dropped.
  private static let maximumChecks = 24

  let file: ParsedFile
  let others: [ParsedFile]
  let options: CheckOptions

  /// Drops fix-its that do not help. A finding with a fix-it keeps no advice.
  func verify(_ findings: [Finding]) -> [Finding] {
    guard findings.contains(where: { $0.fixIts.contains { !$0.isVerified } }) else { return findings }
    var checks = 0
    return findings.map { finding in
      var finding = finding
      let helping = finding.fixIts.first { fixIt in
        if fixIt.isVerified { return true }
        guard checks < Self.maximumChecks, finding.place.path == file.path else { return false }
        checks += 1
        return helps(fixIt, than: findings.count)
      }
      finding.fixIts = helping.map { [$0] } ?? []
      if helping != nil { finding.advice = nil }
      return finding
    }
  }

  private func helps(_ fixIt: FixIt, than count: Int) -> Bool {
    var bytes = Array(file.text.utf8)
    for edit in fixIt.edits.reversed() {
      guard edit.range.upperBound <= bytes.count else { return false }
      bytes.replaceSubrange(edit.range, with: Array(edit.replacement.utf8))
    }
    let changed = ParsedFile(path: file.path, text: String(decoding: bytes, as: UTF8.self))
    guard file.tree.hasError || !changed.tree.hasError else { return false }
    var options = options
    options.verifiesFixIts = false
    let result = check(changed, options: options, with: others)
    return result.findings.count + result.suppressed.count < count && result.declined.isEmpty
  }
}
