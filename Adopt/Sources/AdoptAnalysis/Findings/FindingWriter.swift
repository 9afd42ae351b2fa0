import SwiftSyntax

/// Puts what an exploration found into words.
struct FindingWriter {
  /// The most notes of one finding; of longer paths the beginning and the end are told.
  static let mostNotes = 12

  let file: ParsedFile
  let subject: Subject
  let exploration: Exploration

  private var graph: Graph { exploration.graph }
  private var verb: String { subject.isContinuation ? "resumed" : "called" }
  private var name: String { "'\(subject.name)'" }

  private struct Told: Hashable {
    let kind: Finding.Kind
    let offset: Int
  }

  func findings() -> [Finding] {
    // What is looked into several times, as `defer` and local functions are, is told of once.
    var told: Set<Told> = []
    return (silent() + twice() + after() + nothing()).filter {
      told.insert(Told(kind: $0.kind, offset: $0.place.offset)).inserted
    }
  }

  // MARK: - Never and lost

  private func silent() -> [Finding] {
    exploration.silentLeaves().map { visit in
      let path = exploration.path(to: visit)
      let step = graph.steps[exploration.visits[visit].step]
      var isLost = false
      if case .note(.selfIsGone)? = path.dropLast().last(where: { isNote($0) }).map({
        graph.steps[$0.step].event
      }) {
        isLost = true
      }
      return finding(
        isLost ? .lost : .never, at: step.offset, message: isLost ? lostMessage : neverMessage(step.event),
        path: path)
    }
  }

  private func isNote(_ visit: Exploration.Visit) -> Bool {
    if case .note = graph.steps[visit.step].event { return true }
    return false
  }

  private var lostMessage: String {
    "\(name) is lost here if 'self' is gone: it is never \(verb) then"
  }

  private func neverMessage(_ event: Graph.Event) -> String {
    guard case .leave(let leave) = event else { return "\(name) is never \(verb)" }
    let act = subject.isContinuation ? "resuming" : "calling"
    switch leave {
    case .returns, .closureReturns: return "returns without \(act) \(name)"
    case .ends: return "the \(subject.isContinuation ? "closure" : "function") ends without \(act) \(name)"
    case .closureEnds: return "the closure ends without \(act) \(name)"
    case .throwsOut, .closureThrows: return "an error leaves the closure without \(act) \(name)"
    }
  }

  // MARK: - Twice, after and nothing

  private func twice() -> [Finding] {
    exploration.secondCalls.sorted { $0.key < $1.key }.compactMap { step, visit in
      let path = exploration.path(to: visit)
      let first = firstCall(of: path)
      let isLoop = first?.step == step
      if isLoop, case .call(let index) = graph.steps[step].event, graph.calls[index].isForOneRoundOnly {
        return nil
      }
      let message = isLoop ? "\(name) is \(verb) again each time around" : "\(name) is \(verb) again"
      return finding(
        .twice, at: graph.steps[step].offset, message: message, path: path,
        fixIts: isLoop ? [] : fixIts(after: first))
    }
  }

  private func after() -> [Finding] {
    exploration.lateHandOns.sorted { $0.key < $1.key }.map { step, visit in
      let path = exploration.path(to: visit)
      return finding(
        .after, at: graph.steps[step].offset,
        message: "goes on after \(name) was \(verb), and hands it on to be \(verb) again", path: path,
        fixIts: fixIts(after: firstCall(of: path)))
    }
  }

  private func nothing() -> [Finding] {
    exploration.emptyCalls.sorted { $0.key < $1.key }.map { step, empty in
      let reason = empty.origin.map { " if \($0) is nil" } ?? ""
      let may = empty.origin == nil ? "is" : "may be"
      return finding(
        .nothing, at: graph.steps[step].offset,
        message: "\(name) \(may) called with neither a value nor an error\(reason)",
        path: exploration.path(to: empty.visit))
    }
  }

  private func firstCall(of path: [Exploration.Visit]) -> Exploration.Visit? {
    path.dropLast().last { visit in
      guard case .call = graph.steps[visit.step].event else { return false }
      return !visit.state.isCalled
    }
  }

  private func fixIts(after visit: Exploration.Visit?) -> [FixIt] {
    guard let visit, case .call(let index) = graph.steps[visit.step].event else { return [] }
    return FixIt.returning(after: graph.calls[index].syntax, in: subject, file: file).map { [$0] } ?? []
  }

  // MARK: - Paths

  private func finding(
    _ kind: Finding.Kind, at offset: Int, message: String, path: [Exploration.Visit], fixIts: [FixIt] = []
  ) -> Finding {
    var notes = path.dropLast().compactMap(note)
    if notes.count > Self.mostNotes { notes = Array(notes.prefix(4) + notes.suffix(Self.mostNotes - 4)) }
    return Finding(
      kind: kind, place: file.place(at: offset), handler: subject.name, function: subject.function,
      message: message, notes: notes, fixIts: fixIts,
      fingerprint: Fingerprint.of(kind, subject: subject, statementAt: offset, in: file))
  }

  private func note(_ visit: Exploration.Visit) -> Finding.Note? {
    let step = graph.steps[visit.step]
    switch step.event {
    case .note(let remark): return (file.place(at: step.offset), Self.text(remark))
    case .call:
      if visit.state[Graph.handler] == .no { return nil }
      return (file.place(at: step.offset), "\(name) is \(verb) here first")
    default: return nil
    }
  }

  private static func text(_ remark: Graph.Remark) -> String {
    switch remark {
    case .isTrue: "this condition is true"
    case .isFalse: "this condition is false"
    case .guardFails: "this guard fails"
    case .isNil(let name): "'\(name)' is nil"
    case .isThere(let name): "'\(name)' is not nil"
    case .absent(let value): value.isEmpty ? "nothing is bound here" : "\(value.dropFirst()) is nil"
    case .taken: "this case is taken"
    case .loopSkipped: "the loop ends, or is never entered"
    case .loopEntered: "the loop is entered"
    case .loopAgain: "the loop goes round again"
    case .throwsHere: "this throws an error"
    case .selfIsGone: "'self' is gone"
    case .entersCatch: "the error is caught here"
    case .called: "it is called here"
    }
  }
}
