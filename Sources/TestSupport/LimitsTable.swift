import Foundation

/// The table of limits in docs/architecture.md. Tests compare its numbers with the constants of the code.
public struct LimitsTable {
  /// The limits of each row, by what the row limits.
  private let rows: [String: String]

  /// Reads the table in the checkout.
  ///
  /// - Parameter file: The path of a test file in the checkout.
  public init(file: String = #filePath) throws {
    var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
    let page = "docs/architecture.md"
    while folder.path != "/",
      !FileManager.default.fileExists(atPath: folder.appendingPathComponent(page).path)
    {
      folder.deleteLastPathComponent()
    }
    try self.init(text: String(contentsOf: folder.appendingPathComponent(page), encoding: .utf8))
  }

  /// Reads the table in the section "Limits" of a text.
  public init(text: String) throws {
    guard let section = text.components(separatedBy: "\n## Limits\n").dropFirst().first else {
      throw TestSupportError("The page has no section “Limits”")
    }
    var rows: [String: String] = [:]
    // The first two lines are the heading and the rule below it.
    for line in section.split(separator: "\n").filter({ $0.hasPrefix("|") }).dropFirst(2) {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3, rows.updateValue(cells[1], forKey: cells[0]) == nil else {
        throw TestSupportError("Not a row with three cells, or a second one: \(line)")
      }
    }
    self.rows = rows
  }

  /// The rows that contain numbers.
  public var names: [String] { rows.filter { !Self.numbers(in: $0.value).isEmpty }.keys.sorted() }

  /// Returns the numbers of a row from left to right, sizes in bytes; nil if there is no such row.
  public func numbers(of row: String) -> [Int]? { rows[row].map(Self.numbers) }

  /// Returns the numbers of a text, which may have a unit. Digits that belong to a name, such as `HTTP/2`, do not count.
  private static func numbers(in text: String) -> [Int] {
    text.matches(of: #/(?:^|[\s(])([0-9][0-9,]*)(?:\s(KiB|MiB|GiB|million)\b)?/#).compactMap { match in
      let factors: [Substring: Int] = ["KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "million": 1_000_000]
      return Int(match.1.filter { $0 != "," }).map { $0 * (match.2.flatMap { factors[$0] } ?? 1) }
    }
  }
}
