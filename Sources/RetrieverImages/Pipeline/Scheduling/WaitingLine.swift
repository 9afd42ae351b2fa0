/// Work that waits for a place: the most urgent first, and of the same urgency the one that came first.
///
/// So that nothing waits for ever behind what is always more urgent, every sixteenth place goes to the one that has
/// waited longest. Urgency may change while waiting; finding the next costs the number of lanes, not of those who wait.
struct WaitingLine<Element: Hashable & Sendable>: Sendable {
  static var turnsBetweenOldest: Int { 16 }

  private struct Entry: Sendable {
    var lane: String
    var urgency: Urgency
    /// When it joined; kept when its urgency changes.
    var sequence: Int
    /// Tells its one valid ticket from those it left behind in other queues.
    var ticket: Int
  }

  private struct Ticket: Sendable {
    var element: Element
    var number: Int
  }

  /// First in, first out; the front is skipped over, not moved.
  private struct Queue: Sendable {
    var tickets: [Ticket] = []
    var first = 0
    var isEmpty: Bool { first >= tickets.count }

    mutating func removeFirst() {
      first += 1
      guard first > 32, first * 2 > tickets.count else { return }
      tickets.removeFirst(first)
      first = 0
    }
  }

  private var entries: [Element: Entry] = [:]
  private var lanes: [String: [Queue]] = [:]
  private var tickets = 0
  private var ticketCount = 0
  private var turns = 0

  var count: Int { entries.count }
  func contains(_ element: Element) -> Bool { entries[element] != nil }

  mutating func add(_ element: Element, lane: String, urgency: Urgency) {
    guard entries[element] == nil else { return setUrgency(urgency, of: element) }
    tickets += 1
    entries[element] = Entry(lane: lane, urgency: urgency, sequence: tickets, ticket: tickets)
    enqueue(element)
  }

  mutating func setUrgency(_ urgency: Urgency, of element: Element) {
    guard let entry = entries[element], entry.urgency != urgency else { return }
    tickets += 1
    entries[element]?.urgency = urgency
    entries[element]?.ticket = tickets
    enqueue(element)
  }

  mutating func remove(_ element: Element) {
    // Its ticket stays in the queue and is skipped.
    guard let entry = entries.removeValue(forKey: element) else { return }
    skipInvalid(lane: entry.lane, level: entry.urgency.level)
  }

  /// Takes out the next for which there is room.
  mutating func next(where hasRoom: (_ lane: String, _ isPrefetch: Bool) -> Bool) -> Element? {
    guard !entries.isEmpty else { return nil }
    let wantsOldest = (turns + 1).isMultiple(of: Self.turnsBetweenOldest)
    var best: (element: Element, entry: Entry)?
    for lane in Array(lanes.keys) {
      for level in (0..<Urgency.levels).reversed() {
        guard let (element, entry) = front(lane: lane, level: level),
          hasRoom(lane, entry.urgency.isPrefetch)
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
        // Those below are less urgent; only age could speak for them.
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
    lanes[entry.lane, default: Array(repeating: Queue(), count: Urgency.levels)][entry.urgency.level]
      .tickets.append(Ticket(element: element, number: entry.ticket))
    ticketCount += 1
    if ticketCount > 64 + 4 * entries.count { dropInvalid() }
  }

  private mutating func front(lane: String, level: Int) -> (Element, Entry)? {
    skipInvalid(lane: lane, level: level)
    guard let queue = lanes[lane]?[level], !queue.isEmpty else { return nil }
    let ticket = queue.tickets[queue.first]
    return entries[ticket.element].map { (ticket.element, $0) }
  }

  private mutating func skipInvalid(lane: String, level: Int) {
    guard lanes[lane] != nil else { return }
    while let queue = lanes[lane]?[level], !queue.isEmpty, !isValid(queue.tickets[queue.first]) {
      lanes[lane]?[level].removeFirst()
      ticketCount -= 1
    }
    if lanes[lane]?.allSatisfy(\.isEmpty) == true { lanes[lane] = nil }
  }

  private func isValid(_ ticket: Ticket) -> Bool { entries[ticket.element]?.ticket == ticket.number }

  /// Many changes of urgency must not add up: rebuilt now and then, at a cost that the changes have paid for.
  private mutating func dropInvalid() {
    ticketCount = 0
    for lane in Array(lanes.keys) {
      for level in 0..<Urgency.levels {
        guard let queue = lanes[lane]?[level] else { continue }
        let valid = queue.tickets[queue.first...].filter(isValid)
        lanes[lane]?[level] = Queue(tickets: valid)
        ticketCount += valid.count
      }
      if lanes[lane]?.allSatisfy(\.isEmpty) == true { lanes[lane] = nil }
    }
  }
}
