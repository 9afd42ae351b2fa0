// The result of a question: one line on the terminal, one row of the table.
import Foundation

struct Row {
  enum Verdict: String {
    case holds = "met"
    case fallsShort = "missed"
    case forInformation = "-"
    case notMeasured = "not measured"
  }

  let question: Question
  let oursAll: [Double]
  let peerAll: [Double]
  let problem: String?
  /// The number of the run in `Results`; nil for the current run.
  let run: Int?

  /// A row of an earlier run. An entry with another peer or unit belongs to an older version of the question.
  init(_ question: Question, _ entry: Results.Entry?) {
    let entry = entry.flatMap {
      $0.peerName == question.peer?.label && $0.unit == question.quantity.unit ? $0 : nil
    }
    self.question = question
    oursAll = entry.map { [$0.ours] } ?? []
    peerAll = entry?.peer.map { [$0] } ?? []
    problem = entry == nil ? "not measured yet" : nil
    run = entry?.run
  }

  init(_ question: Question, _ readings: Readings) {
    self.question = question
    var problem: String?
    func values(_ contender: Contender) -> [Double] {
      switch readings[contender] {
      case .success(let all): return all.compactMap(question.quantity.value)
      case .failure(let failure): problem = problem ?? failure.description
      case nil: problem = problem ?? "\(contender.label) did not run"
      }
      return []
    }
    oursAll = values(question.ours)
    peerAll = question.peer.map(values) ?? []
    self.problem = problem
    run = nil
  }

  var ours: Double? { median(oursAll) }
  var peer: Double? { median(peerAll) }

  /// Ours divided by the peer's.
  var ratio: Double? {
    guard let ours, let peer, peer != 0 else { return nil }
    return ours / peer
  }

  /// Ours minus the peer's. Points are compared this way.
  private var difference: Double? {
    guard let ours, let peer else { return nil }
    return ours - peer
  }

  private var comparison: String? {
    guard question.quantity.isPoints else { return ratio.map(short) }
    return difference.map { ($0 < 0 ? "-" : "+") + short(abs($0)) }
  }

  var verdict: Verdict {
    guard let bar = question.bar else { return problem == nil ? .forInformation : .notMeasured }
    let subject =
      switch bar.subject {
      case .ratio: ratio
      case .figure: ours
      case .difference: difference
      }
    guard let value = subject else { return .notMeasured }
    return (bar.isLowest ? value >= bar.value : value <= bar.value) ? .holds : .fallsShort
  }

  /// The name, our value, the peer's value, the ratio, the target and the verdict.
  var cells: [String] {
    let unit = question.quantity.unit
    return [
      question.name,
      ours.map { "\(short($0)) \(unit)" } ?? "-",
      peer.map { "\(short($0)) \(unit)" } ?? "-",
      comparison ?? "-",
      question.bar?.text ?? "-",
      verdict.rawValue,
    ]
  }

  static let heading = columns(["name", "ours", "peer", "ratio", "target", ""])

  var line: String { Row.columns(cells) + (problem.map { "  (\($0))" } ?? "") }

  private static func columns(_ cells: [String]) -> String {
    zip(cells, [42, 20, 20, 8, 12, 0])
      .map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
      .joined(separator: " ")
  }
}

func median(_ values: [Double]) -> Double? {
  guard !values.isEmpty else { return nil }
  let sorted = values.sorted()
  let middle = sorted.count / 2
  return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/// Formats a number with three significant digits, and without decimals from 100.
func short(_ value: Double) -> String {
  // A rate of a run in which nothing was answered.
  guard value.isFinite else { return "-" }
  return switch abs(value) {
  case 100...: String(Int(value.rounded()))
  case 10...: trimmed(value, 1)
  case 1...: trimmed(value, 2)
  default: trimmed(value, 3)
  }
}

private func trimmed(_ value: Double, _ digits: Int) -> String {
  var text = String(format: "%.\(digits)f", value)
  while text.hasSuffix("0") { text.removeLast() }
  if text.hasSuffix(".") { text.removeLast() }
  return text
}
