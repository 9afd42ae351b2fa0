/// An object with at most one deadline, which remembers its index in the heap.
protocol DeadlineOwner: AnyObject {
  /// The owner's index in the heap; -1 if it is not in the heap.
  var deadlineIndex: Int { get set }
}

/// The earliest of many deadlines, with one deadline for each owner. It is a binary heap: setting, moving and removing
/// a deadline takes logarithmic time. Removed entries leave nothing that would keep their owner alive.
struct DeadlineHeap<Owner: DeadlineOwner> {
  private var entries: [(due: Monotonic, owner: Owner)] = []

  var earliest: Monotonic? { entries.first?.due }
  var count: Int { entries.count }

  /// Returns the owner's deadline, if it has one.
  func deadline(of owner: Owner) -> Monotonic? {
    owner.deadlineIndex >= 0 ? entries[owner.deadlineIndex].due : nil
  }

  /// Sets the owner's only deadline; nil removes it.
  mutating func set(_ owner: Owner, due: Monotonic?) {
    let index = owner.deadlineIndex
    guard let due else {
      if index >= 0 { remove(at: index) }
      return
    }
    guard index >= 0 else {
      owner.deadlineIndex = entries.count
      entries.append((due, owner))
      return rise(from: entries.count - 1)
    }
    let before = entries[index].due
    entries[index].due = due
    if due < before { rise(from: index) } else { sink(from: index) }
  }

  mutating func popEarliest(due limit: Monotonic) -> Owner? {
    guard let first = entries.first, first.due <= limit else { return nil }
    remove(at: 0)
    return first.owner
  }

  private mutating func remove(at index: Int) {
    entries[index].owner.deadlineIndex = -1
    let last = entries.removeLast()
    guard index < entries.count else { return }
    entries[index] = last
    last.owner.deadlineIndex = index
    rise(from: index)
    sink(from: last.owner.deadlineIndex)
  }

  private mutating func rise(from start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].due < entries[parent].due else { return }
      swap(child, parent)
      child = parent
    }
  }

  private mutating func sink(from start: Int) {
    var parent = start
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
        if entries[child].due < entries[smallest].due { smallest = child }
      }
      guard smallest != parent else { return }
      swap(parent, smallest)
      parent = smallest
    }
  }

  private mutating func swap(_ left: Int, _ right: Int) {
    entries.swapAt(left, right)
    entries[left].owner.deadlineIndex = left
    entries[right].owner.deadlineIndex = right
  }
}
