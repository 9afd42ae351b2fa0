// Measures clients against the web server, and load generators as the upper limit.
import Foundation

extension Laboratory {
  func plain(_ contender: Contender, _ page: String, _ listener: WebServer.Listener) throws -> Reading {
    let url = web.url(page, at: listener)
    switch contender.program {
    case .wrk: return try reading(of: wrk(url, connections: 64))
    case .h2load: return try reading(of: h2load(url, streams: 64))
    default: break
    }
    defer { try? FileManager.default.removeItem(at: place.curlDownload) }
    let reading = try client(contender, url)
    let statement = reading.statement
    if let size = BenchFile.decodedSize(of: page), statement.bytes != statement.requests * size,
      statement.bytes != size
    {
      throw Problem("\(statement.requests) responses had \(statement.bytes) bytes instead of \(size) each")
    }
    if let resumed = statement.resumed, contender.program != .retriever {
      let wanted = listener == .fullHandshakes ? 0...0 : statement.requests * 95 / 100...statement.requests
      guard wanted.contains(resumed) else {
        throw Problem("\(resumed) of \(statement.requests) TLS sessions were resumed")
      }
    }
    return reading
  }

  func lookup(_ contender: Contender, _ page: String) throws -> Reading {
    let preloaded = ["LD_PRELOAD": place.build.appending(path: "peers/stalled-lookup.so").path]
    return try client(contender, web.url(page), environment: preloaded)
  }

  /// Runs a client until it ends.
  func client(
    _ contender: Contender, _ url: String, _ options: [String] = [], environment: [String: String] = [:]
  ) throws -> Reading {
    let child = try start(contender, url, options, environment: environment)
    let statement = try Statement(child.line(within: Laboratory.patience))
    let usage = try child.finish(within: Laboratory.patience)
    return Reading(statement: statement, cpuSeconds: usage.cpuSeconds)
  }

  /// Starts a client. For an https URL, the client trusts the authority of this run.
  func start(
    _ contender: Contender, _ url: String, _ options: [String] = [], environment: [String: String] = [:]
  ) throws -> Child {
    var arguments = contender.arguments(url: url, settings: settings, place: place) + options
    var environment = environment.merging(["TMPDIR": place.downloads.path]) { $1 }
    if url.hasPrefix("https:") {
      let bundle = web.authority.bundle.path
      if contender.usesSystemStore {
        environment["LD_PRELOAD"] = place.build.appending(path: "peers/system-store.so").path
        environment["SYSTEM_STORE"] = bundle
      } else {
        arguments += ["--trust", bundle]
      }
    }
    return try Child(contender.path(place), arguments, environment: environment)
  }

  private func reading(of outcome: (statement: Statement, usage: Child.Usage)) -> Reading {
    Reading(statement: outcome.statement, cpuSeconds: outcome.usage.cpuSeconds)
  }

  func wrk(
    _ url: String, connections: Int, _ arguments: [String] = []
  ) throws -> (statement: Statement, usage: Child.Usage) {
    guard let program = Place.program("wrk") else { throw Problem("wrk is missing. Run `make setup-bench`") }
    let script = place.root.appending(path: "Benchmarks/peers/wrk.lua").path
    let child = try Child(
      program,
      ["-t", "1", "-c", "\(connections)", "-d", "\(wholeSeconds)s", "-s", script, url]
        + (arguments.isEmpty ? [] : ["--"] + arguments))
    while true {
      let line = try child.line(within: Laboratory.patience)
      if line.hasPrefix("wrk: ") { throw Problem(line) }
      guard line.hasPrefix("{") else { continue }
      return (try Statement(line), try child.finish(within: Laboratory.patience))
    }
  }

  /// Loads a URL with h2load.
  ///
  /// - Parameters:
  ///   - connections: the number of connections.
  ///   - streams: the number of concurrent requests of each connection.
  ///   - status: the first digit of the status that all responses must have.
  ///   - options: more options of h2load.
  func h2load(
    _ url: String, connections: Int = 1, streams: Int, status: Character = "2", _ options: [String] = []
  ) throws -> (statement: Statement, usage: Child.Usage) {
    guard let program = Place.program("h2load") else {
      throw Problem("h2load is missing. Run `make setup-bench`")
    }
    let child = try Child(
      program,
      ["-D", "\(wholeSeconds)", "-t", "1", "-c", "\(connections)", "-m", "\(streams)"] + options + [url])
    var requests: LoadedRequests?
    while true {
      let line = try child.line(within: Laboratory.patience)
      if requests == nil { requests = try LoadedRequests(line) }
      guard let requests, let statuses = LoadedRequests.statuses(line) else { continue }
      guard statuses.allSatisfy({ $0.key == status || $0.value == 0 }) else {
        throw Problem("h2load: \(line)")
      }
      let usage = try child.finish(within: Laboratory.patience)
      return (try Statement(#"{"requests":\#(requests.done),"seconds":\#(wholeSeconds),"bytes":0}"#), usage)
    }
  }

  private var wholeSeconds: Int { max(1, Int(settings.seconds.rounded())) }
}
