/// Metrics in Prometheus's text format 0.0.4.
struct PrometheusText: Sendable {
  enum Kind: String, Sendable {
    case counter, gauge, histogram
  }

  private(set) var text = ""

  /// Describes the samples that follow.
  mutating func family(_ name: String, _ kind: Kind, _ help: String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
  }

  /// - Parameter labels: names and values, in order.
  mutating func sample(_ name: String, _ labels: [(String, String)] = [], is value: Int) {
    line(name, labels, String(value))
  }

  mutating func sample(_ name: String, _ labels: [(String, String)] = [], is value: Double) {
    line(name, labels, String(value))
  }

  private mutating func line(_ name: String, _ labels: [(String, String)], _ value: String) {
    text += name
    if !labels.isEmpty {
      text += "{" + labels.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }.joined(separator: ",") + "}"
    }
    text += " " + value + "\n"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
