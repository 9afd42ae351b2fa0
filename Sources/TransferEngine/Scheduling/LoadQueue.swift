/// Decides which waiting load starts next: by priority, then in the order in which they came, with hosts taking turns.
/// Pure: loads and ends go in, the next load comes out.
///
/// Adding, starting and cancelling cost the same however many loads wait. A host has a place for each load that may run
/// at the same time; loads beyond that wait here, where nobody searches through them.
struct LoadQueue<Load> {
  /// A group of loads that share a limit: those that go to one server.
  struct HostID: Hashable, Sendable {
    fileprivate let index: Int
  }

  /// A load's place in the queue. It is used up when the load starts or leaves.
  struct Ticket: Hashable, Sendable {
    fileprivate let index: Int
    fileprivate let serial: UInt64
  }

  /// How many priorities are told apart.
  static var levelCount: Int { 16 }

  private struct Node {
    var load: Load?
    /// The number of the load that is here; 0 while there is none.
    var serial: UInt64 = 0
    var host = 0
    var level = 0
    var previous = -1
    var next = -1
  }

  private struct Host {
    var isKnown = true
    var limit: Int
    /// Whether each running load takes one of the places that all hosts share.
    var takesSharedPlaces: Bool
    var running = 0
    /// A bit for each level that has a waiting load.
    var occupied: UInt32 = 0
    var isInRotation = false
  }

  /// The first and the last waiting load of one level of one host.
  private struct Ends {
    var first = -1
    var last = -1
  }

  private var nodes: [Node] = []
  private var freeNodes: [Int] = []
  private var lastSerial: UInt64 = 0
  private var hosts: [Host] = []
  private var freeHosts: [Int] = []
  /// For each host, one for each level.
  private var ends: [Ends] = []
  /// Hosts that may start a load, each once, the next one first: those that need a shared place, and the others.
  private var rotation = HostRotation()
  private var rotationWithoutPlaces = HostRotation()

  /// How many loads may run at the same time on all hosts that take shared places.
  let sharedPlaces: Int
  private(set) var usedPlaces = 0
  private(set) var waitingCount = 0

  init(sharedPlaces: Int = .max) { self.sharedPlaces = max(1, sharedPlaces) }

  // MARK: Hosts

  mutating func addHost(limit: Int, takesSharedPlaces: Bool = true) -> HostID {
    let host = Host(limit: max(1, limit), takesSharedPlaces: takesSharedPlaces)
    if let index = freeHosts.popLast() {
      hosts[index] = host
      return HostID(index: index)
    }
    hosts.append(host)
    ends.append(contentsOf: repeatElement(Ends(), count: Self.levelCount))
    return HostID(index: hosts.count - 1)
  }

  /// Forgets a host; false when it has loads, running or waiting.
  mutating func removeHost(_ id: HostID) -> Bool {
    let host = hosts[id.index]
    guard host.isKnown, host.running == 0, host.occupied == 0, !host.isInRotation else { return false }
    hosts[id.index].isKnown = false
    freeHosts.append(id.index)
    return true
  }

  func runningCount(of id: HostID) -> Int { hosts[id.index].running }

  /// The host turned out to take another number of loads at the same time.
  mutating func setLimit(_ limit: Int, takesSharedPlaces: Bool, of id: HostID) {
    let host = hosts[id.index]
    hosts[id.index].limit = max(1, limit)
    if host.takesSharedPlaces != takesSharedPlaces {
      usedPlaces += takesSharedPlaces ? host.running : -host.running
      hosts[id.index].takesSharedPlaces = takesSharedPlaces
    }
    rotateIn(id.index)
  }

  // MARK: Loads

  /// Adds a load behind those of the same priority. Levels go from 0 to ``levelCount`` - 1, the highest first.
  mutating func add(_ load: Load, to id: HostID, level: Int) -> Ticket {
    let index: Int
    if let free = freeNodes.popLast() {
      index = free
    } else {
      index = nodes.count
      nodes.append(Node())
    }
    lastSerial += 1
    nodes[index].load = load
    nodes[index].serial = lastSerial
    nodes[index].host = id.index
    nodes[index].level = min(max(level, 0), Self.levelCount - 1)
    append(index)
    waitingCount += 1
    rotateIn(id.index)
    return Ticket(index: index, serial: lastSerial)
  }

  /// Takes a waiting load out; nil when it has started or left before.
  mutating func remove(_ ticket: Ticket) -> Load? {
    guard isWaiting(ticket) else { return nil }
    unlink(ticket.index)
    return release(ticket.index)
  }

  /// Gives a waiting load another priority, behind those that have it already.
  mutating func move(_ ticket: Ticket, toLevel level: Int) {
    let level = min(max(level, 0), Self.levelCount - 1)
    guard isWaiting(ticket), nodes[ticket.index].level != level else { return }
    unlink(ticket.index)
    nodes[ticket.index].level = level
    append(ticket.index)
  }

  private func isWaiting(_ ticket: Ticket) -> Bool {
    ticket.index < nodes.count && nodes[ticket.index].serial == ticket.serial
  }

  /// The next load that may run, which counts as running from now on.
  mutating func startNext() -> Load? {
    while let index = nextHost() {
      hosts[index].isInRotation = false
      let host = hosts[index]
      // Since it was put here, its loads may have left, or its limit may have sunk.
      guard host.occupied != 0, host.running < host.limit else { continue }
      guard !host.takesSharedPlaces || usedPlaces < sharedPlaces else {
        rotateIn(index)
        continue
      }
      let level = UInt32.bitWidth - 1 - host.occupied.leadingZeroBitCount
      let node = ends[index * Self.levelCount + level].first
      unlink(node)
      hosts[index].running += 1
      if host.takesSharedPlaces { usedPlaces += 1 }
      rotateIn(index)
      return release(node)
    }
    return nil
  }

  private mutating func nextHost() -> Int? {
    if let index = rotationWithoutPlaces.popFirst() { return index }
    return usedPlaces < sharedPlaces ? rotation.popFirst() : nil
  }

  /// A load that was started is over.
  mutating func ended(on id: HostID) {
    guard hosts[id.index].running > 0 else { return }
    hosts[id.index].running -= 1
    if hosts[id.index].takesSharedPlaces { usedPlaces -= 1 }
    rotateIn(id.index)
  }

  // MARK: Lists

  private mutating func rotateIn(_ index: Int) {
    let host = hosts[index]
    guard !host.isInRotation, host.occupied != 0, host.running < host.limit else { return }
    hosts[index].isInRotation = true
    if host.takesSharedPlaces { rotation.append(index) } else { rotationWithoutPlaces.append(index) }
  }

  private mutating func append(_ index: Int) {
    let (host, level) = (nodes[index].host, nodes[index].level)
    let slot = host * Self.levelCount + level
    let last = ends[slot].last
    nodes[index].previous = last
    nodes[index].next = -1
    if last >= 0 { nodes[last].next = index } else { ends[slot].first = index }
    ends[slot].last = index
    hosts[host].occupied |= 1 << UInt32(level)
  }

  private mutating func unlink(_ index: Int) {
    let (host, level) = (nodes[index].host, nodes[index].level)
    let (previous, next) = (nodes[index].previous, nodes[index].next)
    let slot = host * Self.levelCount + level
    if previous >= 0 { nodes[previous].next = next } else { ends[slot].first = next }
    if next >= 0 { nodes[next].previous = previous } else { ends[slot].last = previous }
    if ends[slot].first < 0 { hosts[host].occupied &= ~(1 << UInt32(level)) }
  }

  private mutating func release(_ index: Int) -> Load? {
    let load = nodes[index].load
    nodes[index].load = nil
    nodes[index].serial = 0
    freeNodes.append(index)
    waitingCount -= 1
    // A crowd is over: its room goes back.
    if waitingCount == 0, nodes.count > Self.keptNodes {
      nodes = []
      freeNodes = []
    }
    return load
  }

  private static var keptNodes: Int { 4096 }
}

/// Numbers in the order in which they were put in.
private struct HostRotation {
  private var incoming: [Int] = []
  private var outgoing: [Int] = []

  mutating func append(_ index: Int) { incoming.append(index) }

  mutating func popFirst() -> Int? {
    if outgoing.isEmpty {
      guard !incoming.isEmpty else { return nil }
      swap(&incoming, &outgoing)
      outgoing.reverse()
    }
    return outgoing.popLast()
  }
}
