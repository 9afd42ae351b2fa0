/// The state of one piece of work, and how it looks as one line of a terminal. A pure value.
package struct ProgressLine: Sendable, Equatable {
  package enum Unit: Sendable, Equatable {
    case bytes
    /// Things that are counted, such as images.
    case items
  }

  package var label: String
  package var completed: Int64
  /// Nil when it is not known.
  package var total: Int64?
  package var unit = Unit.bytes
  /// In a second; nil while it is not known.
  package var rate: Double?
  package var elapsed: Duration

  package init(
    label: String, completed: Int64, total: Int64?, unit: Unit = .bytes, rate: Double?, elapsed: Duration
  ) {
    self.label = label
    self.completed = completed
    self.total = total
    self.unit = unit
    self.rate = rate
    self.elapsed = elapsed
  }

  /// From 0 to 1; nil when it is not known.
  package var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(max(Double(completed) / Double(total), 0), 1)
  }

  /// Seconds; nil when it is not known or nothing moves.
  package var timeLeft: Double? {
    guard let total, let rate, rate > 0, total >= completed else { return nil }
    return Double(total - completed) / rate
  }

  /// At most so many columns; what is least needed is left out first.
  package func rendered(width: Int, usesUnicode: Bool = true) -> String {
    let most = max(1, width)
    // From the most to the least needed; the bar takes what is left.
    let fields = [percent, amount, timeText, rateText].compactMap { $0 }
    let labelWidth = min(DisplayText.width(label), max(8, most * 3 / 10))
    for count in stride(from: fields.count, through: 0, by: -1) {
      let kept = Set(fields.prefix(count))
      let right = [amount, rateText, timeText].compactMap { $0 }.filter(kept.contains).joined(separator: "  ")
      let left =
        DisplayText.fitted(label, to: labelWidth)
        + (kept.contains(percent ?? "") ? "  " + (percent ?? "") : "")
      let used = DisplayText.width(left) + (right.isEmpty ? 0 : DisplayText.width(right) + 2)
      guard used <= most else { continue }
      let room = most - used - 2
      let bar = room >= 8 ? "  " + bar(width: min(room, 40), usesUnicode) : ""
      return left + bar + (right.isEmpty ? "" : "  " + right)
    }
    return DisplayText.shortened(label, to: most)
  }

  private var percent: String? {
    fraction.map { fraction in
      let whole = fraction >= 1 ? 100 : Int(fraction * 100)
      return String(repeating: " ", count: whole > 99 ? 0 : whole > 9 ? 1 : 2) + "\(whole)%"
    }
  }

  private var amount: String? {
    switch unit {
    case .bytes:
      total.map { "\(ByteText.short(completed)) of \(ByteText.short($0))" } ?? ByteText.short(completed)
    case .items: total.map { "\(completed) of \($0)" } ?? "\(completed)"
    }
  }

  private var rateText: String? {
    rate.map { unit == .bytes ? ByteText.rate($0) : "\(Int($0.rounded()))/s" }
  }

  private var timeText: String? {
    // Without an end, what has passed is all that can be told.
    guard total != nil else { return ByteText.time(elapsed.inSeconds) }
    return timeLeft.map { ByteText.time($0) + " left" }
  }

  private func bar(width: Int, _ usesUnicode: Bool) -> String {
    let inner = width - 2
    let (full, empty) = usesUnicode ? ("━", " ") : ("=", " ")
    guard let fraction else {
      // Something that wanders: there is no end to be near to.
      let position = Int(elapsed.inSeconds * 4) % max(1, inner - 2)
      return "[" + String(repeating: empty, count: position) + (usesUnicode ? "━━━" : "<=>")
        + String(repeating: empty, count: max(0, inner - 3 - position)) + "]"
    }
    let filled = Int(Double(inner) * fraction)
    let head = filled < inner && filled > 0 ? (usesUnicode ? "╸" : ">") : ""
    let body = String(repeating: full, count: max(0, filled - (head.isEmpty ? 0 : 1)))
    return "[" + body + head + String(repeating: empty, count: inner - filled) + "]"
  }
}
