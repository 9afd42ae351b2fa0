import Foundation

/// The document docs/differences-from-curl.md.
struct Page {
  let replies: [RawReply]
  let rows: [Differential.Row]
  let ownRows: [Differential.Row]
  let version: String

  func summary(of rows: [Differential.Row]) -> String {
    "\(replies.count) replies: \(replies.count - rows.count) with the same result, \(rows.count) with a difference"
  }

  var text: String {
    var lines = [
      "# Differences from curl", "",
      "Written by `make differential`; do not edit by hand.", "",
      "Retriever transfers bytes with libcurl, but interprets responses itself. Both clients got the same raw replies.",
      "The comparison covers the status or the class of error, the body, and the fields.", "",
      "**\(summary(of: rows))** (\(version)).", "",
      "| Judgement | Replies |", "|---|---|",
    ]
    lines +=
      Self.counts(rows) + [
        "",
        "An error is shown as its class and the client's code: curl's exit code, or the code of `URLError`.",
        "Control characters are shown as symbols.",
      ]
    var area: String?
    for group in grouped(rows) {
      if group.row.reply.area != area {
        area = group.row.reply.area
        let name = group.row.reply.area
        lines += ["", "## \(name.prefix(1).uppercased())\(name.dropFirst())", ""]
        lines += ["| Reply | curl | Retriever | Judgement |", "|---|---|---|---|"]
      }
      lines.append(Self.line(group))
    }
    lines += [
      "", "# Differences between the transports", "",
      "The same replies over [Retriever's own transport](transport.md), compared with Retriever over libcurl.",
      "",
      "**\(summary(of: ownRows)).**", "", "| Judgement | Replies |", "|---|---|",
    ]
    lines += Self.counts(ownRows) + ["", "| Reply | libcurl | Own | Judgement |", "|---|---|---|---|"]
    for group in grouped(ownRows) {
      lines.append(Self.line((group.row, "\(group.row.reply.area): \(group.name)")))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The rows of the tables. Replies of an area with the same difference share a row.
  private func grouped(_ rows: [Differential.Row]) -> [(row: Differential.Row, name: String)] {
    var groups: [(row: Differential.Row, names: [String])] = []
    for row in rows {
      let same = groups.lastIndex { group in
        group.row.reply.area == row.reply.area && Self.cells(group.row) == Self.cells(row)
      }
      if let same {
        groups[same].names.append(row.reply.name)
      } else {
        groups.append((row, [row.reply.name]))
      }
    }
    let areas = replies.map(\.area)
    let ordered = groups.sorted {
      areas.firstIndex(of: $0.row.reply.area) ?? 0 < areas.firstIndex(of: $1.row.reply.area) ?? 0
    }
    return ordered.map { row, names in
      let shown = names.prefix(Self.maximumNames).joined(separator: "; ")
      let rest = names.count - Self.maximumNames
      return (row, rest > 0 ? "\(shown); \(rest) more" : shown)
    }
  }

  private static let maximumNames = 8

  private static func counts(_ rows: [Differential.Row]) -> [String] {
    Dictionary(grouping: rows) { $0.judgement?.word ?? "no judgement" }
      .sorted { ($1.value.count, $0.key) < ($0.value.count, $1.key) }
      .map { word, rows in "| \(word) | \(rows.count) |" }
  }

  private static func line(_ group: (row: Differential.Row, name: String)) -> String {
    "| " + ([group.name] + cells(group.row)).map(escaped).joined(separator: " | ") + " |"
  }

  private static func cells(_ row: Differential.Row) -> [String] {
    let judgement = row.judgement.map { "**\($0.word)**: \($0.reason)" } ?? "no judgement"
    return [
      row.reference.summary(besides: row.result), row.result.summary(besides: row.reference), judgement,
    ]
  }

  private static func escaped(_ text: String) -> String {
    text.replacingOccurrences(of: "|", with: "\\|").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: "`", with: "\\`")
  }
}
