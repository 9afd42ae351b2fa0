/// All running work, in the order it began. A value type: events change it, and it renders lines.
public struct ProgressTable: Sendable {
  private struct Entry: Sendable {
    var identifier: Int
    var label: String
    var completed: Int64
    var total: Int64?
    var unit: ProgressLine.Unit
    var start: Duration
    var meter: RateMeter
  }

  private var entries: [Entry] = []
  private var lastIdentifier = 0

  /// Creates a table without any work.
  public init() {}

  /// Whether no work is running.
  public var isEmpty: Bool { entries.isEmpty }

  /// Adds a piece of work and returns its identifier.
  public mutating func begin(
    _ label: String, unit: ProgressLine.Unit = .bytes, completed: Int64 = 0, total: Int64? = nil,
    at now: Duration
  ) -> Int {
    lastIdentifier += 1
    entries.append(
      Entry(
        identifier: lastIdentifier, label: DisplayText.safe(label), completed: completed, total: total,
        unit: unit, start: now, meter: RateMeter(startingAt: now, count: completed)))
    return lastIdentifier
  }

  /// Sets the name and the size of a piece of work. Bytes that exist already do not count toward the rate.
  public mutating func describe(
    _ identifier: Int, label: String, completed: Int64, total: Int64?, at now: Duration
  ) {
    change(identifier) { entry in
      entry.label = DisplayText.safe(label)
      entry.completed = completed
      entry.total = total
      entry.meter = RateMeter(startingAt: now, count: completed)
    }
  }

  /// Sets the completed amount (not an increment). Does nothing if the work has already ended.
  public mutating func advance(_ identifier: Int, to completed: Int64, at now: Duration) {
    change(identifier) { entry in
      entry.completed = completed
      entry.meter.note(completed, at: now)
    }
  }

  /// Sets the total amount; nil if it is not known. Does nothing if the work has already ended.
  public mutating func expect(_ identifier: Int, total: Int64?) {
    change(identifier) { $0.total = total }
  }

  /// Removes the line of a finished piece of work.
  public mutating func end(_ identifier: Int) { entries.removeAll { $0.identifier == identifier } }

  /// Renders one line for each piece of work. If they do not all fit, the last line counts the others.
  public func lines(width: Int, height: Int, usesUnicode: Bool = true, at now: Duration) -> [String] {
    let room = max(1, height)
    let shown = entries.count <= room ? entries[...] : entries.prefix(room - 1)
    var lines = shown.map { entry in
      ProgressLine(
        label: entry.label, completed: entry.completed, total: entry.total, unit: entry.unit,
        rate: entry.meter.rate(at: now), elapsed: now - entry.start
      ).rendered(width: width, usesUnicode: usesUnicode)
    }
    if shown.count < entries.count {
      lines.append(DisplayText.shortened("and \(entries.count - shown.count) more", to: width))
    }
    return lines
  }

  private mutating func change(_ identifier: Int, _ body: (inout Entry) -> Void) {
    guard let index = entries.firstIndex(where: { $0.identifier == identifier }) else { return }
    body(&entries[index])
  }
}
