import SwiftSyntax

/// Finds handlers and continuations that are not called exactly once on every path.
///
/// The same text and options always give the same findings. The function is thread-safe. Its time and memory are
/// bounded by the length of the file: a function that is too large to follow is declined.
///
/// - Parameter others: Files with extensions of the types in the file. Findings in them are included, and have the path
///   of the other file.
package func check(
  _ file: ParsedFile, options: CheckOptions = CheckOptions(), with others: [ParsedFile] = []
) -> FileCheck {
  var result = FileCheck()
  if file.isTooDeep {
    result.declined = [
      Decline(place: file.place(at: 0), reason: "the file is not checked: its brackets are nested too deeply")
    ]
    return result
  }
  var suppressions = [file.path: Suppressions(file)]
  var findings = suppressions[file.path]?.invalidSuppressions ?? []
  var combined = file
  var found = SubjectFinder(file, aliases: options.aliases)
  result.summary = FileSummary(file, found)
  result.handlerCount = found.subjects.count + found.stores.count
  if !others.isEmpty, !found.stores.isEmpty,
    let more = file.appending(
      extensionsOf: Set(found.stores.compactMap(\.typeName)),
      mentioning: found.stores.reduce(into: []) { $0.formUnion($1.sharedWords(in: file)) }, in: others)
  {
    combined = more
    found = SubjectFinder(more, aliases: options.aliases)
    for other in others { suppressions[other.path] = Suppressions(other) }
  }
  findings += check(found, in: combined, ownLength: file.text.utf8.count, options: options, &result.declined)
  if options.verifiesFixIts {
    findings = FixItVerification(file: file, others: others, options: options).verify(findings)
  }
  findings.sort { ($0.place.offset, $0.kind.rawValue) < ($1.place.offset, $1.kind.rawValue) }
  for finding in findings {
    if finding.kind != .suppression, suppressions[finding.place.path]?.covers(finding) == true {
      result.suppressed.append(finding)
    } else {
      result.findings.append(finding)
    }
  }
  return result
}

/// - Parameter ownLength: The length of the text without the extensions in other files. Handlers there are not checked.
private func check(
  _ found: SubjectFinder, in file: ParsedFile, ownLength: Int, options: CheckOptions,
  _ declines: inout [Decline]
) -> [Finding] {
  var findings: [Finding] = []
  var subjects = found.subjects.filter { $0.offset < ownLength }
  var overwrites: [Overwrite] = []
  for store in found.stores {
    if store.kind == .optional || store.kind == .state {
      for function in store.functions(in: file) { overwrites += store.overwrites(in: function, file: file) }
    }
    subjects += store.subjects(in: file)
    if let finding = store.forgotten(in: file) { findings.append(finding) }
  }
  guard !subjects.isEmpty || !overwrites.isEmpty else { return findings }
  // A continuation that may be overwritten is reported for that reason only.
  let overwritten = Set(overwrites.map(\.closure.startOffset))
  for index in subjects.indices where overwritten.contains(subjects[index].offset) {
    subjects[index].keepers = []
  }
  let known = KnownFunctions(file, handlerFunctions: found.handlerFunctions)
  let continuations = overwrites.isEmpty ? [:] : found.continuations
  for overwrite in overwrites {
    if let subject = continuations[overwrite.closure.startOffset],
      overwrite.isAlsoResumed(in: subject, file: file, options: options, known: known)
    {
      continue
    }
    findings.append(overwrite.finding)
  }
  for subject in subjects {
    switch inspect(subject, of: subjects, in: file, options: options, known: known) {
    case .success(let more): findings += more
    case .failure(let declined): declines.append(declined.decline)
    }
  }
  return findings
}

private struct Declined: Error {
  let decline: Decline
}

private func inspect(
  _ subject: Subject, of subjects: [Subject], in file: ParsedFile, options: CheckOptions,
  known: KnownFunctions
) -> Result<[Finding], Declined> {
  func declined(_ reason: String) -> Result<[Finding], Declined> {
    .failure(
      Declined(
        decline: Decline(
          place: file.place(at: subject.offset), reason: "'\(subject.function)' is not checked: \(reason)")))
  }
  if subject.statements.hasError, !options.readsDamagedCode { return declined("it does not parse") }
  var builder = GraphBuilder(subject, in: file, options: options, known: known)
  let graph = builder.build()
  if let obstacle = graph.obstacle { return declined(obstacle) }
  let exploration = Exploration(graph, isStored: subject.isStored)
  guard exploration.isComplete else { return declined("it has too many paths to follow") }
  guard exploration.hasFindings else { return .success([]) }
  let isAlone = !subjects.contains { $0.offset != subject.offset && $0.range.overlaps(subject.range) }
  let findings = FindingWriter(
    file: file, subject: subject, exploration: exploration, isAlone: isAlone
  ).findings()
  return .success(
    builder.names.mentions.isEmpty
      ? Array(findings.prefix(1)).map { unmentioned(subject, $0, file) } : findings)
}

/// Returns the only finding for a handler that its function does not mention, at the handler's declaration.
private func unmentioned(_ subject: Subject, _ finding: Finding, _ file: ParsedFile) -> Finding {
  let verb = subject.isContinuation ? "resumed" : "called"
  return Finding(
    kind: finding.kind, place: file.place(at: subject.offset), handler: subject.name,
    function: subject.function, message: "'\(subject.name)' is never \(verb)",
    fingerprint: Fingerprint.of(finding.kind, subject: subject, statementAt: subject.offset, in: file))
}
