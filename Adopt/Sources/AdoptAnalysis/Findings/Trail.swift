/// What there is to tell of the way to each visit of an exploration.
///
/// Ways share their beginnings, and there may be thousands of findings at the ends of long ones: each visit knows the one
/// before it that has something to tell, so that no way is walked from its start.
struct Trail {
  /// Of longer ways the beginning and the end are told.
  static let mostTold = 12
  private static let mostAtStart = 4

  private let exploration: Exploration
  /// For each visit the last one before it of which something is told, or -1.
  private var before: [Int32] = []
  /// How many those before it are.
  private var counts: [Int32] = []
  /// The last one before it that still belongs to the beginning, or -1.
  private var starts: [Int32] = []
  private var remarks: [Int32] = []
  private var calls: [Int32] = []

  init(_ exploration: Exploration) {
    self.exploration = exploration
    // A visit stands behind the one that led to it.
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
    let isTold = isTold(last)
    before.append(isTold ? index : before[parent])
    counts.append(counts[parent] + (isTold ? 1 : 0))
    starts.append(isTold && counts[parent] < Self.mostAtStart ? index : starts[parent])
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

  private func isTold(_ visit: Exploration.Visit) -> Bool {
    switch exploration.graph.steps[visit.step].event {
    case .note: true
    case .call: visit.state[Graph.handler] != .no
    default: false
    }
  }

  /// What is told of the way to a visit, in order.
  func told(to visit: Int) -> [Exploration.Visit] {
    let count = Int(counts[visit])
    guard count > Self.mostTold else { return walk(back: before[visit], count) }
    return walk(back: starts[visit], Self.mostAtStart)
      + walk(back: before[visit], Self.mostTold - Self.mostAtStart)
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

  /// The last remark on the way to a visit.
  func lastRemark(to visit: Int) -> Graph.Remark? {
    guard remarks[visit] >= 0,
      case .note(let remark) = exploration.graph.steps[exploration.visits[Int(remarks[visit])].step].event
    else { return nil }
    return remark
  }

  /// The call on the way to a visit before which there was none.
  func firstCall(to visit: Int) -> Exploration.Visit? {
    calls[visit] < 0 ? nil : exploration.visits[Int(calls[visit])]
  }
}
