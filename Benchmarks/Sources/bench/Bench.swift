// Measures Retriever and its peers alternately in one run, and reports for each target whether it is met.
//
//   bench [ROOT]
//
// Environment:
//   ONLY     measure only rows whose names contain one of these texts, separated by commas
//   ROUNDS   the number of rounds (default: 5)
//   SECONDS  the length of a round (default: 2)
//   STRICT   with 1, exit with an error if a target is missed
import Foundation

@main
struct Bench {
  static func main() {
    do {
      guard try run() else { exit(1) }
    } catch {
      warn("bench: \(error)")
      exit(1)
    }
  }

  /// Returns whether every row was measured and, in strict mode, every target is met.
  private static func run() throws -> Bool {
    let place = try Place(root: CommandLine.arguments.dropFirst().first ?? ".")
    let settings = Settings(ProcessInfo.processInfo.environment)
    raiseOpenFileLimit()
    let web = try WebServer(place)
    defer { web.stop() }
    let laboratory = Laboratory(place: place, settings: settings, web: web)

    var rows: [Row] = []
    say(Row.heading)
    for measurement in Measurement.all(settings) where measurement.questions.contains(where: settings.wants) {
      let readings = laboratory.readings(of: measurement)
      for question in measurement.questions where settings.wants(question) {
        let row = Row(question, readings)
        say(row.line)
        rows.append(row)
      }
    }
    guard !rows.isEmpty else {
      throw Problem("ONLY matches no row: no name contains \(settings.only.joined(separator: " or "))")
    }

    let record = Record(rows: rows, settings: settings, machine: Machine(place))
    try record.json().write(to: place.build.appending(path: "bench.json"))
    let unmeasured = rows.filter { $0.problem != nil }
    // An incomplete table would be misleading.
    if settings.only.isEmpty && unmeasured.isEmpty {
      try Data(record.markdown().utf8).write(to: place.root.appending(path: "docs/benchmarks.md"))
    }
    let short = rows.filter { $0.verdict == .fallsShort }
    say("\(rows.count) rows: \(short.count) missed their target, \(unmeasured.count) could not be measured")
    return unmeasured.isEmpty && !(settings.strict && !short.isEmpty)
  }
}

struct Problem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

struct Settings {
  let only: [String]
  let rounds: Int
  let seconds: Double
  let strict: Bool

  init(_ environment: [String: String]) {
    only = (environment["ONLY"] ?? "").split(separator: ",").map(String.init)
    rounds = environment["ROUNDS"].flatMap { Int($0) } ?? 5
    seconds = environment["SECONDS"].flatMap { Double($0) } ?? 2
    strict = environment["STRICT"] == "1"
  }

  func wants(_ question: Question) -> Bool {
    only.isEmpty || only.contains { question.name.contains($0) }
  }
}

/// Writes a line without buffering, so that it is visible immediately, even in a pipe.
func say(_ message: String) {
  FileHandle.standardOutput.write(Data((message + "\n").utf8))
}

func warn(_ message: String) {
  FileHandle.standardError.write(Data((message + "\n").utf8))
}

/// Raises the limit for child processes, which inherit it: ten thousand connections need as many open files.
private func raiseOpenFileLimit() {
  var limit = rlimit()
  guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
  limit.rlim_cur = limit.rlim_max
  setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
}
