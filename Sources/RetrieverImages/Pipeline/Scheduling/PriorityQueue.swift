import Waiting

/// Work that waits for a slot: the most urgent first, and the oldest first for equal urgency.
///
/// Every sixteenth slot goes to the element that has waited longest, so that no element waits forever. The urgency may
/// change while an element waits. The time to find the next element depends on the number of hosts, not on the number
/// of elements.
struct PriorityQueue<Element: Hashable & Sendable>: Sendable {
  static var turnsBetweenOldest: Int { 16 }

  private struct Entry: Sendable {
    var host: String
    var urgency: Urgency
    /// The order in which elements joined. A change of urgency keeps it.
    var sequence: Int
    /// The generation of the valid item. Items of older generations in other queues are invalid.
    var generation: Int
  }

  private struct Item: Sendable {
    var element: Element
    var generation: Int
  }

  private typealias Queue = FIFO<Item>

  private var entries: [Element: Entry] = [:]
  private var hosts: [String: [Queue]] = [:]
  private var lastGeneration = 0
  private var itemCount = 0
  private var turns = 0

  var count: Int { entries.count }
  func contains(_ element: Element) -> Bool { entries[element] != nil }

  mutating func add(_ element: Element, host: String, urgency: Urgency) {
    guard entries[element] == nil else { return setUrgency(urgency, of: element) }
    lastGeneration += 1
    entries[element] = Entry(
      host: host, urgency: urgency, sequence: lastGeneration, generation: lastGeneration)
    enqueue(element)
  }

  mutating func setUrgency(_ urgency: Urgency, of element: Element) {
    guard let entry = entries[element], entry.urgency != urgency else { return }
    lastGeneration += 1
    entries[element]?.urgency = urgency
    entries[element]?.generation = lastGeneration
    enqueue(element)
  }

  mutating func remove(_ element: Element) {
    // The item stays in the queue and is skipped later.
    guard let entry = entries.removeValue(forKey: element) else { return }
    skipInvalid(host: entry.host, level: entry.urgency.level)
  }

  /// Removes and returns the next element for which there is room.
  mutating func next(where hasRoom: (_ host: String, _ isPrefetch: Bool) -> Bool) -> Element? {
    guard !entries.isEmpty else { return nil }
    let wantsOldest = (turns + 1).isMultiple(of: Self.turnsBetweenOldest)
    var best: (element: Element, entry: Entry)?
    for host in Array(hosts.keys) {
      for level in (0..<Urgency.levels).reversed() {
        guard let (element, entry) = front(host: host, level: level),
          hasRoom(host, entry.urgency.isPrefetch)
        else { continue }
        if let current = best {
          let isOlder = entry.sequence < current.entry.sequence
          let isBetter =
            wantsOldest || entry.urgency == current.entry.urgency
            ? isOlder : entry.urgency > current.entry.urgency
          if isBetter { best = (element, entry) }
        } else {
          best = (element, entry)
        }
        // The lower levels are less urgent; only the search for the oldest element needs them.
        if !wantsOldest { break }
      }
    }
    guard let best else { return nil }
    turns += 1
    remove(best.element)
    return best.element
  }

  private mutating func enqueue(_ element: Element) {
    guard let entry = entries[element] else { return }
    hosts[entry.host, default: Array(repeating: Queue(), count: Urgency.levels)][entry.urgency.level]
      .append(Item(element: element, generation: entry.generation))
    itemCount += 1
    if itemCount > 64 + 4 * entries.count { dropInvalid() }
  }

  private mutating func front(host: String, level: Int) -> (Element, Entry)? {
    skipInvalid(host: host, level: level)
    guard let item = hosts[host]?[level].first else { return nil }
    return entries[item.element].map { (item.element, $0) }
  }

  private mutating func skipInvalid(host: String, level: Int) {
    guard hosts[host] != nil else { return }
    while let item = hosts[host]?[level].first, !isValid(item) {
      hosts[host]?[level].popFirst()
      itemCount -= 1
    }
    if hosts[host]?.allSatisfy(\.isEmpty) == true { hosts[host] = nil }
  }

  private func isValid(_ item: Item) -> Bool { entries[item.element]?.generation == item.generation }

  /// Rebuilds the queues, so that invalid items do not accumulate. Earlier changes of urgency pay for the cost.
  private mutating func dropInvalid() {
    itemCount = 0
    for host in Array(hosts.keys) {
      for level in 0..<Urgency.levels {
        guard var queue = hosts[host]?[level] else { continue }
        queue.keep(where: isValid)
        hosts[host]?[level] = queue
        itemCount += queue.count
      }
      if hosts[host]?.allSatisfy(\.isEmpty) == true { hosts[host] = nil }
    }
  }
}
