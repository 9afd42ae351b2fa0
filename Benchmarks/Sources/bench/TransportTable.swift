// The table of docs/transport.md.
import Foundation

/// The figures of the transport of our own beside those of its peers, in one table.
struct TransportTable {
  let rows: [Row]
  let run: Results.Run

  private static let start = "<!-- figures: make bench ONLY=transport -->\n"
  private static let end = "<!-- end of the figures -->"

  /// Replaces the table in the document, if the rows were measured.
  func write(to documents: URL) throws {
    let rows = rows.filter { $0.question.name.hasPrefix("transport.") && $0.problem == nil }
    guard !rows.isEmpty else { return }
    let file = documents.appending(path: "transport.md")
    var text = try String(contentsOf: file, encoding: .utf8)
    guard let first = text.range(of: Self.start), let last = text.range(of: Self.end) else {
      throw Problem("\(file.path) has no place for the figures")
    }
    text.replaceSubrange(first.upperBound..<last.lowerBound, with: table(rows))
    try Data(text.utf8).write(to: file)
  }

  private func table(_ rows: [Row]) -> String {
    var lines = [
      "", "Measured on \(run.date): \(run.rounds) rounds of \(short(run.seconds)) s in turn, medians.", "",
      "| What | Own transport | Peer |  | Ratio |", "| --- | --- | --- | --- | --- |",
    ]
    for row in rows {
      guard let ours = row.ours, let peer = row.peer else { continue }
      let quantity = row.question.quantity
      lines.append(
        "| \(row.question.text) | \(short(ours)) \(quantity.unit) | \(row.question.peer?.label ?? "") "
          + "| \(short(peer)) \(quantity.unit) | \(row.ratio.map(short) ?? "-") |")
    }
    return (lines + ["", ""]).joined(separator: "\n")
  }
}
