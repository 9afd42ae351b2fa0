import Foundation
import Synchronization
import TestSupport

/// The suite as a program. Runs every case in its own process and prints the results as JSON lines.
///
/// Arguments:
/// - `--list` prints the cases.
/// - `--filter TEXT` selects the cases whose id or area contains TEXT.
/// - `--jobs N` runs N cases at the same time (default: 2).
/// - `--strict` makes the exit code 1 if a case did not pass.
/// - `--twice` runs each case twice. A case fails if the second run leaves more descriptors, threads or temporary
///   files behind than the first.
/// - `--case ID` runs one case in this process.
public enum ConformanceMain {
  /// The printed result of a case.
  struct Line: Codable {
    var client: String
    var id: String
    var area: String
    var transport: String
    var title: String
    var verdict: String
    var reason: String?
    var seconds: Double
  }

  /// Performs what the arguments request, and ends the process.
  public static func run(
    client: any ConformanceClient, arguments: [String] = CommandLine.arguments
  ) async -> Never {
    signal(SIGPIPE, SIG_IGN)
    if let id = value(of: "--case", in: arguments) {
      guard let tried = ConformanceSuite.named(id) else { exit(64) }
      let servers = SharedServers()
      let start = ContinuousClock.now
      var verdict = await tried.run(client, servers)
      if arguments.contains("--twice"), verdict == .passed {
        verdict = await runAgain(tried, client, servers)
      }
      show(tried, client, verdict, since: start)
      servers.stop()
      exit(0)
    }
    let filter = value(of: "--filter", in: arguments)
    let chosen = ConformanceSuite.all.filter { tried in
      filter.map { tried.id.contains($0) || tried.area.rawValue == $0 } ?? true
    }
    if arguments.contains("--list") {
      for tried in chosen { print("\(tried.id)\t\(tried.area.rawValue)\t\(tried.title)") }
      exit(0)
    }
    let jobs = value(of: "--jobs", in: arguments).flatMap { Int($0) } ?? 2
    let flags = arguments.filter { $0 == "--twice" }
    let failures = runAll(chosen, client, flags, jobs: max(1, jobs))
    TemporaryDirectory.removeAll(of: getpid())
    exit(arguments.contains("--strict") && failures > 0 ? 1 : 0)
  }

  /// Runs the case again and fails it if the second run leaves resources behind that the first did not.
  private static func runAgain(
    _ tried: ConformanceCase, _ client: any ConformanceClient, _ servers: SharedServers
  ) async -> Verdict {
    _ = await eventually(within: .milliseconds(300)) { false }
    let before = ResourceSnapshot.take()
    let verdict = await tried.run(client, servers)
    guard verdict == .passed else { return verdict }
    let isClean = await eventually(within: .seconds(3)) {
      let left = ResourceSnapshot.take().since(before)
      return left.descriptors <= 0 && left.threads <= 2 && left.newTemporaryFiles.isEmpty
    }
    if isClean { return .passed }
    let after = ResourceSnapshot.take()
    let files = after.since(before).newTemporaryFiles.sorted().prefix(3)
    return .failed("Left behind: before \(before), after \(after), new files \(files).")
  }

  /// Runs the cases in child processes, several at a time. Returns the number of cases that did not pass.
  private static func runAll(
    _ cases: [ConformanceCase], _ client: any ConformanceClient, _ flags: [String], jobs: Int
  ) -> Int {
    let rest = Mutex(cases[...])
    let failures = Counter()
    let group = (0..<jobs).map { _ in
      JobThread {
        while let tried = rest.withLock({ $0.popFirst() }) {
          let start = ContinuousClock.now
          let verdict = tried.runApart(flags: flags)
          if verdict != .passed { failures.increment() }
          show(tried, client, verdict, since: start)
        }
      }
    }
    for thread in group { thread.join() }
    return failures.value
  }

  private static func show(
    _ tried: ConformanceCase, _ client: any ConformanceClient, _ verdict: Verdict,
    since start: ContinuousClock.Instant
  ) {
    let elapsed = (ContinuousClock.now - start).components
    let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
    let line = Line(
      client: client.name, id: tried.id, area: tried.area.rawValue, transport: tried.transport.rawValue,
      title: tried.title, verdict: verdict.word, reason: verdict.reason,
      seconds: (seconds * 1000).rounded() / 1000)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(line) else { return }
    // Does not use `print`, because its output to a pipe is buffered.
    FileHandle.standardOutput.write(data + Data("\n".utf8))
  }

  private static func value(of flag: String, in arguments: [String]) -> String? {
    guard let index = arguments.firstIndex(of: flag), index + 1 < arguments.count else { return nil }
    return arguments[index + 1]
  }
}
