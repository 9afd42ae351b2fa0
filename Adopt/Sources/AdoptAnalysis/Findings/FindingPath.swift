/// The steps to report on the path to each visit of an exploration.
///
/// Paths share their beginnings, and thousands of findings may be at the ends of long paths. Each visit therefore
/// stores the last reported visit before it, so that no path is walked from its start.
struct FindingPath {
  /// The maximum number of reported steps. For longer paths, only the beginning and the end are reported.
  static let maximumReportedSteps = 12
  private static let maximumStepsAtStart = 4

  private let exploration: Exploration
  /// For each visit, the last reported visit before it, or -1.
  private var before: [Int32] = []
  /// For each visit, the number of reported visits before it.
  private var counts: [Int32] = []
  /// For each visit, the last reported visit that belongs to the beginning, or -1.
  private var starts: [Int32] = []
  private var remarks: [Int32] = []
  private var calls: [Int32] = []

  init(_ exploration: Exploration) {
    self.exploration = exploration
    // A visit comes after the one that led to it.
    for visit in exploration.visits { append(visit) }
  }

  private mutating func append(_ visit: Exploration.Visit) {
    let parent = visit.parent
    guard parent >= 0 else {
      before.append(-1)
      counts.append(0)
      starts.append(-1)
      remarks.append(-1)
      calls.append(-1)
      return
    }
    let index = Int32(truncatingIfNeeded: parent)
    let last = exploration.visits[parent]
    let isReported = isReported(last)
    before.append(isReported ? index : before[parent])
    counts.append(counts[parent] + (isReported ? 1 : 0))
    starts.append(isReported && counts[parent] < Self.maximumStepsAtStart ? index : starts[parent])
    var isRemark = false
    var isFirstCall = false
    switch exploration.graph.steps[last.step].event {
    case .note: isRemark = true
    case .call: isFirstCall = !last.state.isCalled
    default: break
    }
    remarks.append(isRemark ? index : remarks[parent])
    calls.append(isFirstCall ? index : calls[parent])
  }

  private func isReported(_ visit: Exploration.Visit) -> Bool {
    switch exploration.graph.steps[visit.step].event {
    case .note: true
    case .call: visit.state[Graph.handler] != .no
    default: false
    }
  }

  /// Returns the reported visits on the path to a visit, in order.
  func reportedSteps(to visit: Int) -> [Exploration.Visit] {
    let count = Int(counts[visit])
    guard count > Self.maximumReportedSteps else { return walk(back: before[visit], count) }
    return walk(back: starts[visit], Self.maximumStepsAtStart)
      + walk(back: before[visit], Self.maximumReportedSteps - Self.maximumStepsAtStart)
  }

  private func walk(back last: Int32, _ count: Int) -> [Exploration.Visit] {
    var found: [Exploration.Visit] = []
    var index = Int(last)
    while index >= 0, found.count < count {
      found.append(exploration.visits[index])
      index = Int(before[index])
    }
    return found.reversed()
  }

  /// Returns the last remark on the path to a visit.
  func lastRemark(to visit: Int) -> Graph.Remark? {
    guard remarks[visit] >= 0,
      case .note(let remark) = exploration.graph.steps[exploration.visits[Int(remarks[visit])].step].event
    else { return nil }
    return remark
  }

  /// Returns the last remark on the path to a visit, and its place.
  func lastBranch(to visit: Int) -> (remark: Graph.Remark, offset: Int)? {
    guard remarks[visit] >= 0, let remark = lastRemark(to: visit) else { return nil }
    return (remark, exploration.graph.steps[exploration.visits[Int(remarks[visit])].step].offset)
  }

  /// Returns the place where the function is left on the path to a visit. Deferred blocks run after it.
  func lastExit(to visit: Int) -> Int? {
    var index = visit
    while index >= 0 {
      let visit = exploration.visits[index]
      if case .leave = exploration.graph.steps[visit.step].event {
        return exploration.graph.steps[visit.step].offset
      }
      index = visit.parent
    }
    return nil
  }

  /// Returns the first call on the path to a visit.
  func firstCall(to visit: Int) -> Exploration.Visit? {
    calls[visit] < 0 ? nil : exploration.visits[Int(calls[visit])]
  }
}
