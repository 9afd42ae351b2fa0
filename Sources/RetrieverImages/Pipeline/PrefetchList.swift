/// The prefetches. If there are too many, the oldest is cancelled.
struct PrefetchList: Sendable {
  static var maximumCount: Int { 2_000 }

  private var loads: [ImageRequest: LoadState] = [:]
  private var requests: [ObjectIdentifier: ImageRequest] = [:]
  /// The oldest first; entries that have ended are skipped.
  private var order: [(request: ImageRequest, load: LoadState)] = []
  private var first = 0

  var count: Int { loads.count }

  mutating func add(_ request: ImageRequest, _ load: LoadState) -> (isNew: Bool, pushedOut: LoadState?) {
    guard loads[request] == nil else { return (false, nil) }
    loads[request] = load
    requests[ObjectIdentifier(load)] = request
    order.append((request, load))
    var pushedOut: LoadState?
    while loads.count > Self.maximumCount, first < order.count {
      let oldest = order[first]
      first += 1
      if loads[oldest.request] === oldest.load { pushedOut = remove(oldest.request) }
    }
    if order.count > 64 + 2 * loads.count {
      order = order[first...].filter { loads[$0.request] === $0.load }
      first = 0
    }
    return (true, pushedOut)
  }

  @discardableResult
  mutating func remove(_ request: ImageRequest) -> LoadState? {
    guard let load = loads.removeValue(forKey: request) else { return nil }
    requests[ObjectIdentifier(load)] = nil
    return load
  }

  mutating func remove(_ load: LoadState) {
    if let request = requests[ObjectIdentifier(load)] { remove(request) }
  }

  mutating func removeAll() -> [LoadState] {
    defer { self = PrefetchList() }
    return Array(loads.values)
  }
}
