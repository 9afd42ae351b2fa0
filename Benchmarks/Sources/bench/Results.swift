// The results that are kept between runs, in docs/benchmarks.json. A run replaces only the rows that it measured.
import Foundation

struct Results: Codable {
  /// The conditions of some rows.
  struct Run: Codable {
    var number = 0
    let date: String
    let rounds: Int
    let seconds: Double
    let machine: [Machine.Fact]

    /// Whether rows of both runs can be in one table without a difference in their conditions.
    func isLike(_ other: Run) -> Bool {
      date == other.date && rounds == other.rounds && seconds == other.seconds && machine == other.machine
    }
  }

  /// The medians of a row.
  struct Entry: Codable {
    let name: String
    var run: Int
    let unit: String
    let ours: Double
    let peer: Double?
    let peerName: String?
  }

  private(set) var runs: [Run] = []
  private(set) var rows: [Entry] = []

  /// No results.
  init() {}

  /// Reads a file. If there is none, there are no results.
  init(contentsOf file: URL) throws {
    guard FileManager.default.fileExists(atPath: file.path) else { return }
    do {
      self = try JSONDecoder().decode(Results.self, from: Data(contentsOf: file))
    } catch {
      throw Problem("\(file.path) is damaged: \(error). Restore it, or delete it and measure all rows")
    }
  }

  /// Returns an entry by its name.
  subscript(name: String) -> Entry? { rows.first { $0.name == name } }

  /// Returns a run by its number.
  func run(_ number: Int) -> Run? { runs.first { $0.number == number } }

  /// Replaces rows with those of a run, and removes rows that are not in `names`.
  /// - Parameter names: The names of all rows, in display order.
  mutating func replace(with measured: [Row], of run: Run, names: [String]) {
    var run = run
    if let known = runs.first(where: { $0.isLike(run) }) {
      run = known
    } else {
      run.number = (runs.map(\.number).max() ?? 0) + 1
      runs.append(run)
    }
    var entries = Dictionary(rows.map { ($0.name, $0) }) { $1 }
    for row in measured {
      // A row that could not be measured keeps its earlier result.
      guard row.problem == nil, let ours = row.ours else { continue }
      let question = row.question
      entries[question.name] = Entry(
        name: question.name, run: run.number, unit: question.quantity.unit, ours: rounded(ours),
        peer: row.peer.map(rounded), peerName: question.peer?.label)
    }
    rows = names.compactMap { entries[$0] }
    renumber()
  }

  /// Removes runs without rows, and numbers the others by their date.
  private mutating func renumber() {
    let used = Set(rows.map(\.run))
    runs = runs.filter { used.contains($0.number) }.sorted { ($0.date, $0.number) < ($1.date, $1.number) }
    let numbers = Dictionary(uniqueKeysWithValues: runs.enumerated().map { ($1.number, $0 + 1) })
    for index in rows.indices { rows[index].run = numbers[rows[index].run] ?? rows[index].run }
    for index in runs.indices { runs[index].number = index + 1 }
  }

  /// Returns JSON with one run or row in each line, so that differences between versions are readable.
  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    func lines(_ values: [some Encodable]) throws -> String {
      let texts = try values.map { try "  " + String(decoding: encoder.encode($0), as: UTF8.self) }
      return texts.joined(separator: ",\n")
    }
    return Data("{\"rows\":[\n\(try lines(rows))\n],\"runs\":[\n\(try lines(runs))\n]}\n".utf8)
  }
}

private func rounded(_ value: Double) -> Double { Double(String(format: "%.5g", value)) ?? value }
