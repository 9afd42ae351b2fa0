// Measures Retriever and its peers alternately in one run, and reports for each target whether it is met.
//
//   bench [ROOT]            measures, and updates docs/benchmarks.json, benchmarks.md and benchmarks.svg
//   bench [ROOT] page       writes benchmarks.md and benchmarks.svg again, without measuring
//   bench [ROOT] products   prints the products that the selected rows need
//
// Environment:
//   ONLY     measure only rows whose names contain one of these texts, separated by commas, and the other rows of the
//            same measurements
//   ROUNDS   the number of rounds (default: 5)
//   SECONDS  the length of a round (default: 2)
//   STRICT   with 1, exit with an error if a target is missed
import Foundation

@main
struct Bench {
  static func main() {
    do {
      let arguments = CommandLine.arguments.dropFirst()
      let place = try Place(root: arguments.first ?? ".")
      let settings = Settings(ProcessInfo.processInfo.environment)
      switch arguments.dropFirst().first {
      case nil: guard try measure(place, settings) else { exit(1) }
      case "page":
        try Page(Results(contentsOf: place.results), ManyPosts(contentsOf: place.manyPosts)).write(
          to: place.documents)
      case "products":
        let products = settings.measurements.flatMap(\.products)
        Set(products).sorted().forEach(say)
      case .some(let command): throw Problem("unknown command: \(command). Use page or products")
      }
    } catch {
      warn("bench: \(error)")
      exit(1)
    }
  }

  /// Returns whether every row was measured and, in strict mode, every target is met.
  private static func measure(_ place: Place, _ settings: Settings) throws -> Bool {
    guard !settings.measurements.isEmpty else {
      throw Problem("ONLY matches no row: no name contains \(settings.only.joined(separator: " or "))")
    }
    raiseOpenFileLimit()
    // A damaged file is noticed before the measurement.
    var results = try Results(contentsOf: place.results)
    let manyPosts = try ManyPosts(contentsOf: place.manyPosts)
    let web = try WebServer(place)
    defer { web.stop() }
    let laboratory = Laboratory(place: place, settings: settings, web: web)

    var rows: [Row] = []
    say(Row.heading)
    for measurement in settings.measurements {
      let readings = laboratory.readings(of: measurement)
      for question in measurement.questions {
        let row = Row(question, readings)
        say(row.line)
        rows.append(row)
      }
    }

    let run = Results.Run(
      date: Date.now.formatted(.iso8601.year().month().day()), rounds: settings.rounds,
      seconds: settings.seconds, machine: Machine(place).facts)
    try Record(rows: rows, run: run).json().write(to: place.build.appending(path: "bench.json"))
    if settings.isFull {
      results.replace(with: rows, of: run, names: Measurement.all.flatMap(\.questions).map(\.name))
      try results.json().write(to: place.results)
      try Page(results, manyPosts).write(to: place.documents)
      try TransportTable(rows: rows, run: run).write(to: place.documents)
    } else {
      say("docs/benchmarks.md stays as it is, because ROUNDS or SECONDS is less than its default")
    }
    let unmeasured = rows.filter { $0.problem != nil }
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
  static let (fullRounds, fullSeconds) = (5, 2.0)

  let only: [String]
  let rounds: Int
  let seconds: Double
  let strict: Bool

  init(_ environment: [String: String]) {
    only = (environment["ONLY"] ?? "").split(separator: ",").map(String.init)
    rounds = environment["ROUNDS"].flatMap { Int($0) } ?? Settings.fullRounds
    seconds = environment["SECONDS"].flatMap { Double($0) } ?? Settings.fullSeconds
    strict = environment["STRICT"] == "1"
  }

  /// Whether the results are good enough for the page.
  var isFull: Bool { rounds >= Settings.fullRounds && seconds >= Settings.fullSeconds }

  /// The measurements with at least one selected row. All of their rows are measured, so that they come from one run.
  var measurements: [Measurement] {
    guard !only.isEmpty else { return Measurement.all }
    // These rows repeat others, so they are measured only if they are named.
    let transport = only.contains { $0.hasPrefix("transport") } ? Measurement.transport : []
    return (Measurement.all + transport).filter { measurement in
      measurement.questions.contains { question in only.contains { question.name.contains($0) } }
    }
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
