/// The earliest of many deadlines, each with what it belongs to. A binary heap; entries are not removed early:
/// whoever pops one asks its owner whether it still holds.
struct DeadlineHeap<Owner> {
  private var entries: [(due: Monotonic, owner: Owner)] = []

  var earliest: Monotonic? { entries.first?.due }
  var count: Int { entries.count }

  mutating func push(_ owner: Owner, due: Monotonic) {
    entries.append((due, owner))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].due < entries[parent].due else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  mutating func popEarliest(due limit: Monotonic) -> Owner? {
    guard let first = entries.first, first.due <= limit else { return nil }
    let last = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = last
      var parent = 0
      while true {
        var smallest = parent
        for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
          if entries[child].due < entries[smallest].due { smallest = child }
        }
        guard smallest != parent else { break }
        entries.swapAt(parent, smallest)
        parent = smallest
      }
    }
    return first.owner
  }
}
