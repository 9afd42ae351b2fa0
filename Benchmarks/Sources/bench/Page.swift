// docs/benchmarks.md and its chart, from the kept results.
import Foundation

struct Page {
  private let results: Results
  private let manyPosts: ManyPosts
  private let rows: [String: Row]

  init(_ results: Results, _ manyPosts: ManyPosts = ManyPosts()) {
    self.results = results
    self.manyPosts = manyPosts
    let entries = Dictionary(results.rows.map { ($0.name, $0) }) { $1 }
    rows = Measurement.all.flatMap(\.questions).reduce(into: [:]) { $0[$1.name] = Row($1, entries[$1.name]) }
  }

  /// Writes the page and the chart.
  func write(to folder: URL) throws {
    try Data(markdown().utf8).write(to: folder.appending(path: "benchmarks.md"))
    try Data(chart.svg().utf8).write(to: folder.appending(path: "benchmarks.svg"))
  }

  func markdown() -> String {
    """
    # Benchmark results

    Written by `make bench`; do not edit by hand. On another machine, compare only the ratios.

    ## The same requests with four clients

    64 concurrent requests for a file of 1 KiB, from nginx on the same machine. More requests a second are better, and
    less CPU time and memory. C uses libcurl, like Retriever.

    ![Requests a second of four clients over http, https and HTTP/2; the figures are in the table below](benchmarks.svg)

    \(matrix(.glance))

    ## Other bodies and servers

    \(matrix(.loads))

    ## Latency at a fixed rate

    1 KiB, started at half of the maximum rate, whether or not earlier requests have ended. Less is better.

    \(matrix(.paced))
    \(Section.all.map(section).joined())\(manyPosts.section())
    ## Runs

    \(runs)

    ## How this is measured

    \(Page.method)

    Run `make bench` to repeat the measurement. `ONLY=get64,queue make bench` measures only rows whose names contain one of
    these texts, with all programs of their measurements, and replaces only these rows. `ROUNDS=1 SECONDS=0.5` is a quick
    try: with less than \(Settings.fullRounds) rounds or \(short(Settings.fullSeconds)) seconds, this page does not change.

    """
  }

  private func matrix(_ matrix: Matrix) -> String {
    let lines = matrix.cells(rows)
    return (lines.count > 1 ? Page.table(lines) + "\n\n" : "") + caption(matrix.rows(rows))
  }

  /// The rows of a section. Rows that only repeat what is in a matrix are left out.
  private func section(_ section: Section) -> String {
    let shown = Set(
      [Matrix.glance, .loads, .paced].flatMap { $0.rows(rows) }.filter { $0.question.bar == nil }
        .map(\.question.name))
    let all = section.measurements.flatMap(\.questions).filter { !shown.contains($0.name) }.compactMap {
      rows[$0.name]
    }
    guard !all.isEmpty else { return "" }
    let sorted = all.filter { $0.question.bar != nil } + all.filter { $0.question.bar == nil }
    let isMixed = Set(sorted.compactMap(\.run)).count > 1
    let cells = sorted.map { row in Page.cells(row) + (isMixed ? [row.run.map { "\($0)" } ?? "-"] : []) }
    let heading = ["Row", "What", "Ours", "Peer", "", "Ratio", "Target", ""] + (isMixed ? ["Run"] : [])
    return "\n## \(section.title)\n\n\(Page.table([heading] + cells))\n\n\(caption(sorted))\n"
  }

  private static func cells(_ row: Row) -> [String] {
    let cells = row.cells
    let peer = row.question.peer?.label ?? "-"
    return ["`\(cells[0])`", row.question.text, cells[1], peer, cells[2], cells[3], cells[4], cells[5]]
  }

  /// Returns when and where rows were measured.
  private func caption(_ rows: [Row]) -> String {
    let runs = Set(rows.compactMap(\.run)).sorted().compactMap(results.run)
    guard !runs.isEmpty else { return "Not measured yet." }
    let texts = runs.map { run in
      let facts = ["Processor", "Swift", "Retriever"].compactMap { name in
        run.machine.first { $0.name == name }.map { name == "Retriever" ? "Retriever \($0.value)" : $0.value }
      }
      return "run \(run.number), \(run.date): \((facts).joined(separator: "; "))"
    }
    return "Measured in \(texts.joined(separator: ", and in ")). [Runs](#runs) has all versions."
  }

  private var runs: String {
    let names = results.runs.flatMap(\.machine).map(\.name)
    let facts = names.reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    let lines = facts.map { name in
      [name] + results.runs.map { run in run.machine.first { $0.name == name }?.value ?? "-" }
    }
    return Page.table(
      [
        [""] + results.runs.map { "Run \($0.number)" },
        ["Date"] + results.runs.map(\.date),
        ["Rounds"] + results.runs.map { "\($0.rounds) of \(short($0.seconds)) s" },
      ] + lines)
  }

  private var chart: Chart {
    let matrix = Matrix.glance
    return Chart(
      title: "Requests a second, 64 concurrent, 1 KiB (longer is better)", unit: "requests a second",
      groups: matrix.measurements.map { title, measurement in
        let values = matrix.values(measurement, "throughput", rows)
        return (
          title,
          zip(matrix.columns, values).compactMap { program, cell in
            cell.map { Chart.Bar(name: program.rawValue, value: $0.value, isOurs: program == .retriever) }
          }
        )
      })
  }

  /// Returns a table; the first of the lines is its heading.
  static func table(_ lines: [[String]]) -> String {
    guard let heading = lines.first else { return "" }
    return ([heading, heading.map { _ in "---" }] + lines.dropFirst())
      .map { "| " + $0.joined(separator: " | ") + " |" }
      .joined(separator: "\n")
  }
}
