import SwiftSyntax

/// Writes the findings of an exploration as messages.
struct FindingWriter {
  private let file: ParsedFile
  private let subject: Subject
  private let exploration: Exploration
  private let path: FindingPath
  /// Whether no other handler or continuation is used in the code of the subject.
  private let isAlone: Bool

  init(file: ParsedFile, subject: Subject, exploration: Exploration, isAlone: Bool) {
    self.isAlone = isAlone
    self.file = file
    self.subject = subject
    self.exploration = exploration
    path = FindingPath(exploration)
  }

  private var graph: Graph { exploration.graph }
  private var verb: String { subject.isContinuation ? "resumed" : "called" }
  private var name: String { "'\(subject.shownName)'" }

  private struct ReportedKey: Hashable {
    let kind: Finding.Kind
    let offset: Int
  }

  func findings() -> [Finding] {
    // Code that is followed several times, such as `defer` and local functions, is reported once.
    var reported: Set<ReportedKey> = []
    return (silent() + dropped() + twice() + kept() + after() + thrown() + nothing()).filter {
      reported.insert(ReportedKey(kind: $0.kind, offset: $0.place.offset)).inserted
    }
  }

  // MARK: - Never and lost

  private func silent() -> [Finding] {
    let exits = exploration.exitsWithoutCall()
    let deferring = exits.count > 1 ? FixIt.deferring(subject, calls: graph.calls, file: file) : nil
    return exits.map { visit in
      let step = graph.steps[exploration.visits[visit].step]
      let gone: String? =
        switch path.lastRemark(to: visit) {
        case .selfIsGone: "self"
        case .isGone(let owner): owner
        default: nil
        }
      let branch = path.lastBranch(to: visit)
      let missing = MissingCall(of: subject, at: place(of: step, branch), in: file)
      var fixIts = [deferring].compactMap(\.self)
      if case .leave(let exit) = step.event,
        let fixIt = missing?.fixIt(for: exit, at: step.offset, branch: branch)
      {
        fixIts.append(fixIt)
      }
      var finding = finding(
        gone == nil ? .never : .lost, at: step.offset,
        message: gone.map { "\(name) is never \(verb) if '\($0)' is nil here" } ?? neverMessage(step.event),
        visit: visit, fixIts: fixIts)
      if let missing { finding.advice = (finding.place, "add a call, such as '\(missing.placeholder)'") }
      return finding
    }
  }

  /// Returns where a missing call belongs: where the path leaves, or in the last branch of a path that just ends.
  private func place(of step: Graph.Step, _ branch: (remark: Graph.Remark, offset: Int)?) -> Int {
    switch step.event {
    case .leave(.ends), .leave(.closureEnds): branch?.offset ?? step.offset
    default: step.offset
    }
  }

  /// Stored continuations that are removed from their property and forgotten.
  private func dropped() -> [Finding] {
    exploration.drops.sorted { $0.key < $1.key }.map { step, visit in
      let offset = graph.steps[step].offset
      let canFix = subject.ownership.map { $0.takesAnyError && $0.payload.members.isEmpty } ?? false
      return finding(
        .lost, at: offset,
        message: "if a continuation is still waiting in \(name), it is dropped here and never resumed",
        visit: visit,
        fixIts: canFix ? [FixIt.resuming(beforeAssignmentAt: offset, in: file)].compactMap(\.self) : [])
    }
  }

  /// Continuations that were resumed, although a property still stores them.
  private func kept() -> [Finding] {
    var steps: Set<Int> = []
    if let ownership = subject.ownership, !ownership.reportsKept { return [] }
    return exploration.keptEnds.compactMap { visit in
      guard let call = path.firstCall(to: visit), steps.insert(call.step).inserted else { return nil }
      let message =
        subject.isStored
        ? "\(name) still stores the continuation that is resumed here; if this runs again, it is resumed again"
        : "\(name) is resumed here, but '\(subject.keeper ?? "a property")' still stores it and may resume it again"
      return finding(.twice, at: graph.steps[call.step].offset, message: message, visit: visit)
    }
  }

  private func neverMessage(_ event: Graph.Event) -> String {
    guard case .leave(let exit) = event else { return "\(name) is never \(verb)" }
    if subject.isStored { return "the continuation that was taken out of \(name) is never resumed" }
    let act = subject.isContinuation ? "resuming" : "calling"
    switch exit {
    case .returns, .closureReturns: return "returns without \(act) \(name)"
    case .ends: return "the \(subject.isContinuation ? "closure" : "function") ends without \(act) \(name)"
    case .closureEnds: return "the closure ends without \(act) \(name)"
    case .throwsOut, .closureThrows: return "an error leaves the closure without \(act) \(name)"
    }
  }

  // MARK: - Twice, after and nothing

  private func twice() -> [Finding] {
    exploration.secondCalls.sorted { $0.key < $1.key }.compactMap { step, visit in
      let first = path.firstCall(to: visit)
      let isLoop = first?.step == step
      if isLoop, case .call(let index) = graph.steps[step].event, graph.calls[index].isForOneIterationOnly {
        return nil
      }
      var isEvent = false
      if case .call(let index) = graph.steps[step].event { isEvent = graph.calls[index].isForEachEvent }
      let message =
        isEvent
        ? "\(name) is \(verb) again when this closure runs for the next event"
        : isLoop ? "\(name) is \(verb) again in each iteration" : "\(name) is \(verb) again"
      return finding(
        .twice, at: graph.steps[step].offset, message: message, visit: visit,
        fixIts: isLoop || isEvent ? [] : fixIts(after: first, before: graph.steps[step].offset))
    }
  }

  private func after() -> [Finding] {
    exploration.passedOnAfterCall.sorted { $0.key < $1.key }.map { step, visit in
      finding(
        .after, at: graph.steps[step].offset,
        message: "\(name) was already \(verb), and is passed on here to be \(verb) again", visit: visit,
        fixIts: fixIts(after: path.firstCall(to: visit), before: graph.steps[step].offset))
    }
  }

  private func thrown() -> [Finding] {
    guard let visit = exploration.thrownAfterCall else { return [] }
    return [
      finding(
        .after, at: path.lastExit(to: visit) ?? subject.end,
        message: "an error is thrown after \(name) was \(verb)", visit: visit)
    ]
  }

  private func nothing() -> [Finding] {
    exploration.emptyCalls.sorted { $0.key < $1.key }.map { step, empty in
      let reason = empty.origin.map { " if \($0) is nil" } ?? ""
      let may = empty.origin == nil ? "is" : "may be"
      return finding(
        .nothing, at: graph.steps[step].offset,
        message: "\(name) \(may) called with neither a value nor an error\(reason)",
        visit: empty.visit)
    }
  }

  private func fixIts(after visit: Exploration.Visit?, before second: Int) -> [FixIt] {
    guard let visit, case .call(let index) = graph.steps[visit.step].event else { return [] }
    let call = graph.calls[index].syntax
    return FixIt.returning(after: call, before: second, isAlone: isAlone, file: file).map { [$0] }
      ?? []
  }

  // MARK: - Paths

  private func finding(
    _ kind: Finding.Kind, at offset: Int, message: String, visit: Int, fixIts: [FixIt] = []
  ) -> Finding {
    Finding(
      kind: kind, place: file.place(at: offset), handler: subject.shownName, function: subject.function,
      message: message, notes: path.reportedSteps(to: visit).compactMap(note),
      fixIts: fixIts.compactMap { $0.inItsFile(file, at: offset) },
      fingerprint: Fingerprint.of(kind, subject: subject, statementAt: offset, in: file))
  }

  private func note(_ visit: Exploration.Visit) -> Finding.Note? {
    let step = graph.steps[visit.step]
    switch step.event {
    case .note(let remark): return (file.place(at: step.offset), Self.text(remark))
    case .call: return (file.place(at: step.offset), "\(name) is \(verb) here first")
    default: return nil
    }
  }

  private static func text(_ remark: Graph.Remark) -> String {
    switch remark {
    case .isTrue: "this condition is true"
    case .isFalse: "this condition is false"
    case .guardFails: "this guard fails"
    case .isNil(let name): "'\(name)' is nil"
    case .isNotNil(let name): "'\(name)' is not nil"
    case .absent(let value): value.isEmpty ? "this value is nil" : "\(value.dropFirst()) is nil"
    case .taken: "this case is taken"
    case .loopSkipped: "the loop ends, or is never entered"
    case .loopEntered: "the loop is entered"
    case .loopAgain: "the loop runs again"
    case .throwsHere: "this throws an error"
    case .selfIsGone: "'self' is nil"
    case .entersCatch: "the error is caught here"
    case .called: "it is called here"
    case .isGone(let name): "'\(name)' is nil"
    case .leavesProperty: "it is removed from its property here"
    case .takenOut: "it is taken out here"
    case .isStored: "it is stored here"
    }
  }
}
