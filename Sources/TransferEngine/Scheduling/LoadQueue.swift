/// Decides which waiting load starts next: by priority, then in order of arrival, with hosts taking turns. It has no
/// side effects: loads and ends go in, and the next load comes out.
///
/// The cost of adding, starting and cancelling does not depend on the number of waiting loads. Each host has a limit on
/// the number of loads that run at the same time. Loads beyond the limit wait here and are never searched.
struct LoadQueue<Load> {
  /// A group of loads that share a limit: the loads for one server.
  struct HostID: Hashable, Sendable {
    fileprivate let index: Int
  }

  /// The position of a load in the queue. A ticket becomes invalid when the load starts or is removed.
  struct Ticket: Hashable, Sendable {
    fileprivate let index: Int
    fileprivate let serial: UInt64
  }

  /// The number of distinct priorities.
  static var levelCount: Int { 16 }

  private struct Node {
    var load: Load?
    /// The serial number of the load in this node; 0 if there is none.
    var serial: UInt64 = 0
    var host = 0
    var level = 0
    var previous = -1
    var next = -1
  }

  private struct Host {
    var isKnown = true
    var limit: Int
    /// Whether each running load uses one of the places shared by all hosts.
    var takesSharedPlaces: Bool
    var running = 0
    /// One bit for each level that has a waiting load.
    var occupied: UInt32 = 0
    var isInRotation = false
    /// The neighbors in the rotation.
    var previous = -1
    var next = -1
  }

  /// The first and last element of a list: the waiting loads of one level of one host, or a rotation.
  private struct Ends {
    var first = -1
    var last = -1
  }

  private var nodes: [Node] = []
  private var freeNodes: [Int] = []
  private var lastSerial: UInt64 = 0
  private var hosts: [Host] = []
  private var freeHosts: [Int] = []
  /// One entry for each level of each host.
  private var ends: [Ends] = []
  /// The hosts that have a load they may start, with the next host first: hosts that need a shared place, and the
  /// others.
  private var rotation = Ends()
  private var rotationWithoutPlaces = Ends()

  /// The maximum number of loads that run at the same time on all hosts that use shared places.
  let sharedPlaces: Int
  private(set) var usedPlaces = 0
  private(set) var waitingCount = 0
  /// The number of loads that memory is allocated for.
  var room: Int { nodes.count }

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

  /// Forgets a host. Returns false if the host has running or waiting loads.
  mutating func removeHost(_ id: HostID) -> Bool {
    let host = hosts[id.index]
    guard host.isKnown, host.running == 0, host.occupied == 0 else { return false }
    hosts[id.index].isKnown = false
    freeHosts.append(id.index)
    return true
  }

  func runningCount(of id: HostID) -> Int { hosts[id.index].running }

  func hasWaiting(on id: HostID) -> Bool { hosts[id.index].occupied != 0 }

  /// Changes the number of loads that the host can run at the same time.
  mutating func setLimit(_ limit: Int, takesSharedPlaces: Bool, of id: HostID) {
    let host = hosts[id.index]
    hosts[id.index].limit = max(1, limit)
    if host.takesSharedPlaces != takesSharedPlaces {
      // The host must not wait for a place that it no longer needs.
      leaveRotation(id.index)
      usedPlaces += takesSharedPlaces ? host.running : -host.running
      hosts[id.index].takesSharedPlaces = takesSharedPlaces
    }
    updateRotation(id.index)
  }

  // MARK: Loads

  /// Adds a load after those of the same priority. Levels go from 0 to ``levelCount`` - 1, with the highest first.
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
    updateRotation(id.index)
    return Ticket(index: index, serial: lastSerial)
  }

  /// Removes a waiting load. Returns nil if it has already started or been removed.
  mutating func remove(_ ticket: Ticket) -> Load? {
    guard isWaiting(ticket) else { return nil }
    unlink(ticket.index)
    updateRotation(nodes[ticket.index].host)
    return release(ticket.index)
  }

  /// Changes the priority of a waiting load and puts it after the loads that already have this priority.
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

  /// Removes and returns the next load that may run. It counts as running from now on.
  mutating func startNext() -> Load? {
    var index = rotationWithoutPlaces.first
    if index < 0, usedPlaces < sharedPlaces { index = rotation.first }
    guard index >= 0 else { return nil }
    let level = UInt32.bitWidth - 1 - hosts[index].occupied.leadingZeroBitCount
    let node = ends[index * Self.levelCount + level].first
    unlink(node)
    hosts[index].running += 1
    if hosts[index].takesSharedPlaces { usedPlaces += 1 }
    // Now the other hosts come first.
    leaveRotation(index)
    updateRotation(index)
    return release(node)
  }

  /// Records that a running load has ended.
  mutating func ended(on id: HostID) {
    guard hosts[id.index].running > 0 else { return }
    hosts[id.index].running -= 1
    if hosts[id.index].takesSharedPlaces { usedPlaces -= 1 }
    updateRotation(id.index)
  }

  // MARK: Lists

  /// Adds a host at the end of the rotation if it has a load that it may start; otherwise removes it.
  private mutating func updateRotation(_ index: Int) {
    let host = hosts[index]
    guard host.occupied != 0, host.running < host.limit else { return leaveRotation(index) }
    guard !host.isInRotation else { return }
    let last = host.takesSharedPlaces ? rotation.last : rotationWithoutPlaces.last
    hosts[index].isInRotation = true
    link(last, to: index, takesSharedPlaces: host.takesSharedPlaces)
    link(index, to: -1, takesSharedPlaces: host.takesSharedPlaces)
  }

  private mutating func leaveRotation(_ index: Int) {
    let host = hosts[index]
    guard host.isInRotation else { return }
    hosts[index].isInRotation = false
    link(host.previous, to: host.next, takesSharedPlaces: host.takesSharedPlaces)
  }

  /// Makes two hosts neighbors; -1 is the end of the rotation.
  private mutating func link(_ left: Int, to right: Int, takesSharedPlaces: Bool) {
    if left >= 0 {
      hosts[left].next = right
    } else if takesSharedPlaces {
      rotation.first = right
    } else {
      rotationWithoutPlaces.first = right
    }
    if right >= 0 {
      hosts[right].previous = left
    } else if takesSharedPlaces {
      rotation.last = left
    } else {
      rotationWithoutPlaces.last = left
    }
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
    // After a large number of waiting loads, the memory is freed.
    if waitingCount == 0, nodes.count > Self.keptNodes {
      nodes = []
      freeNodes = []
    }
    return load
  }

  private static var keptNodes: Int { 4096 }
}
