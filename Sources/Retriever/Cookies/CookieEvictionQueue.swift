#if !canImport(Darwin)
/// Sites in the order in which a full jar examines them for eviction, so that it does not examine all cookies.
///
/// Each site has a lower bound of when its least recently used cookie was used. Uses only increase, so a bound stays
/// valid when cookies are sent, replaced or removed. The jar corrects the bound of the first site when it needs it.
struct CookieEvictionQueue: Sendable {
  /// A binary heap with the smallest bound first.
  private var heap: [(bound: UInt64, site: String)] = []
  private var members: Set<String> = []

  var count: Int { heap.count }
  var first: (bound: UInt64, site: String)? { heap.first }

  /// Adds a site with the smallest bound, unless it is already in the queue.
  mutating func insert(_ site: String) {
    guard members.insert(site).inserted else { return }
    heap.append((0, site))
    var child = heap.count - 1
    while child > 0, heap[child].bound < heap[(child - 1) / 2].bound {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func removeFirst() {
    guard let first = heap.first, let last = heap.popLast() else { return }
    members.remove(first.site)
    guard !heap.isEmpty else { return }
    heap[0] = last
    moveFirstDown()
  }

  mutating func raiseFirst(to bound: UInt64) {
    guard !heap.isEmpty else { return }
    heap[0].bound = bound
    moveFirstDown()
  }

  private mutating func moveFirstDown() {
    var parent = 0
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2]
      where child < heap.count && heap[child].bound < heap[smallest].bound {
        smallest = child
      }
      guard smallest != parent else { return }
      heap.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
#endif
