/// Checks what one listener receives: each event once, and in order. A pure value.
package struct EventCheck: Sendable, Equatable {
  /// A listener that receives more separate pieces than this is stopped, so that its memory has a limit.
  package static let maximumPieces = 100_000

  /// The id that the greeting stated. All events after it are expected.
  package let start: Int64
  private var last: Int64
  package private(set) var received = IdentifierRanges()
  package private(set) var repetitions = 0
  package private(set) var orderErrors = 0
  /// How often the server reported that it left out events.
  package private(set) var lossNotices = 0

  package init(after start: Int64) { (self.start, last) = (start, start) }

  /// Records an event. Returns false if the listener must stop, because too many events are missing.
  package mutating func receive(_ id: Int64) -> Bool {
    // An event that the listener knew when it started.
    guard id > start, received.insert(id) else {
      repetitions += 1
      return true
    }
    if id < last { orderErrors += 1 }
    last = max(last, id)
    return received.ranges.count <= Self.maximumPieces
  }

  package mutating func receiveLossNotice() { lossNotices += 1 }
}

/// What all listeners together received.
package struct EventSummary: Sendable, Equatable, Codable {
  package var listeners = 0
  /// The different events that at least one listener received.
  package var events = 0
  /// The events that all listeners together received, each as often as it came.
  package var deliveries = 0
  /// The events that other listeners received, and a listener did not.
  package var gaps = 0
  package var repetitions = 0
  package var orderErrors = 0
  package var lossNotices = 0
  /// The listeners whose stream ended or failed before the end of the load.
  package var ended = 0
  /// The accepted comments and photos that no event reported.
  package var unreportedChanges = 0
  /// The posts whose last reported number of hearts is not the final one.
  package var wrongCounts = 0

  /// - Parameter end: the last event that every listener must have; nil for the latest that any listener received.
  package init(_ checks: [EventCheck], through end: Int64? = nil) {
    var union = IdentifierRanges()
    for check in checks { union.formUnion(check.received) }
    let end = end ?? .max
    listeners = checks.count
    events = union.count
    for check in checks {
      deliveries += check.received.count + check.repetitions
      gaps +=
        union.count(after: check.start, through: end) - check.received.count(after: check.start, through: end)
      repetitions += check.repetitions
      orderErrors += check.orderErrors
      lossNotices += check.lossNotices
    }
  }

  /// Whether every listener received every event once and in order.
  package var isExact: Bool {
    gaps == 0 && repetitions == 0 && orderErrors == 0 && lossNotices == 0 && ended == 0
      && unreportedChanges == 0 && wrongCounts == 0
  }
}
