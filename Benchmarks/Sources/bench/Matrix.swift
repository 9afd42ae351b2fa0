// A table with a column for each client, for measurements that ask the same of all of them.

struct Matrix {
  let columns: [Contender.Program]
  /// The measurements, each with a title.
  let measurements: [(title: String, measurement: Measurement)]
  /// What is compared: the next to last part of the rows' names, and its title.
  let quantities: [(name: String, title: String)]

  /// 64 concurrent requests for a small file.
  static let glance = Matrix(
    columns: clients, measurements: WebServer.Listener.reused.map { ($0.title, Measurement.get64(over: $0)) },
    quantities: quantities)

  static let loads = Matrix(
    columns: clients,
    measurements: (Measurement.bodies + Measurement.traffic).map {
      ($0.questions.first?.text ?? $0.name, $0)
    },
    quantities: quantities)

  static let paced = Matrix(
    columns: [.retriever, .go],
    measurements: WebServer.Listener.reused.map { ($0.title, Measurement.paced(over: $0)) },
    quantities: [
      ("rate", "rate"), ("p50", "latency, median"), ("p99", "latency, 99 %"), ("p999", "latency, 99.9 %"),
    ])

  private static let clients: [Contender.Program] = [.retriever, .go, .c, .foundation]
  private static let quantities = [
    (name: "throughput", title: "requests a second"), (name: "cpu", title: "CPU time per request"),
    (name: "memory", title: "memory"),
  ]

  /// Returns the row that compares with each column; nil for our own column.
  private func rows(_ measurement: Measurement, _ quantity: String, _ all: [String: Row]) -> [Row?] {
    columns.map { all["\(measurement.name).\(quantity).\($0.rowName)"] }
  }

  /// Returns all rows that the matrix shows.
  func rows(_ all: [String: Row]) -> [Row] {
    measurements.flatMap { _, measurement in
      quantities.flatMap { rows(measurement, $0.name, all).compactMap(\.self) }
    }
  }

  /// Returns the value of each column; nil where it was not measured.
  func values(
    _ measurement: Measurement, _ quantity: String, _ all: [String: Row]
  ) -> [(value: Double, unit: String)?] {
    let rows = self.rows(measurement, quantity, all)
    let measured = rows.compactMap(\.self).first { $0.ours != nil }
    return zip(columns, rows).map { program, row in
      let row = program == .retriever ? measured : row
      let value = program == .retriever ? row?.ours : row?.peer
      guard let row, let value else { return nil }
      return (value, row.question.quantity.unit)
    }
  }

  /// Returns the heading and the lines of the table, without lines that were not measured. If they come from several
  /// runs, the last column names the runs.
  func cells(_ all: [String: Row]) -> [[String]] {
    let isMixed = Set(rows(all).compactMap(\.run)).count > 1
    var lines = [["", ""] + columns.map(\.rawValue) + (isMixed ? ["Run"] : [])]
    for (title, measurement) in measurements {
      var title = title
      for quantity in quantities {
        let values = self.values(measurement, quantity.name, all)
        guard values.contains(where: { $0 != nil }) else { continue }
        let cells = values.map { cell in
          cell.map { "\(grouped($0.value)) \($0.unit.replacing(" CPU/req", with: ""))" } ?? "-"
        }
        let runs = Set(rows(measurement, quantity.name, all).compactMap { $0?.run }).sorted()
        let run = runs.map { "\($0)" }.joined(separator: ", ")
        lines.append([title, quantity.title] + cells + (isMixed ? [run] : []))
        title = ""
      }
    }
    return lines
  }
}

/// Formats a number like `short`, with commas between thousands.
func grouped(_ value: Double) -> String {
  let text = short(value)
  guard !text.contains("."), text.count > 3 else { return text }
  var groups: [Substring] = []
  var rest = text[...]
  while rest.count > 3 {
    groups.insert(rest.suffix(3), at: 0)
    rest = rest.dropLast(3)
  }
  return ([rest] + groups).joined(separator: ",")
}
