/// The state of one piece of work, and its rendering as one line of a terminal.
public struct ProgressLine: Sendable, Equatable {
  /// What the work counts, which determines the format of amounts and rates.
  public enum Unit: Sendable, Equatable {
    case bytes
    /// Countable items such as images.
    case items
  }

  /// The name of the work. The line shortens it to the available width.
  public var label: String
  /// The completed amount, in the unit of the line.
  public var completed: Int64
  /// The total; nil if it is not known.
  public var total: Int64?
  /// The unit of the amounts (default: bytes).
  public var unit = Unit.bytes
  /// The rate per second; nil if it is not known yet.
  public var rate: Double?
  /// The time since the work began, shown only if the total is not known.
  public var elapsed: Duration

  /// Creates a line. `label` must already be safe to print; see ``DisplayText/safe(_:)``.
  public init(
    label: String, completed: Int64, total: Int64?, unit: Unit = .bytes, rate: Double?, elapsed: Duration
  ) {
    self.label = label
    self.completed = completed
    self.total = total
    self.unit = unit
    self.rate = rate
    self.elapsed = elapsed
  }

  /// The completed fraction, from 0 to 1; nil if the total is not known.
  public var fraction: Double? {
    guard let total, total > 0 else { return nil }
    return min(max(Double(completed) / Double(total), 0), 1)
  }

  /// The estimated remaining seconds; nil if they are not known or nothing moves.
  public var timeLeft: Double? {
    guard let total, let rate, rate > 0, total >= completed else { return nil }
    return Double(total - completed) / rate
  }

  /// Renders the line in at most `width` columns. The least important fields are left out first.
  public func rendered(width: Int, usesUnicode: Bool = true) -> String {
    let most = max(1, width)
    // Ordered from most to least important. The bar takes the remaining columns.
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
      let percent = fraction >= 1 ? 100 : Int(fraction * 100)
      return String(repeating: " ", count: percent > 99 ? 0 : percent > 9 ? 1 : 2) + "\(percent)%"
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
    // Without a total, only the elapsed time is known.
    guard total != nil else { return ByteText.time(elapsed.inSeconds) }
    return timeLeft.map { ByteText.time($0) + " left" }
  }

  private func bar(width: Int, _ usesUnicode: Bool) -> String {
    let inner = width - 2
    let (full, empty) = usesUnicode ? ("━", " ") : ("=", " ")
    guard let fraction else {
      // Without a total, a mark moves through the bar.
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
