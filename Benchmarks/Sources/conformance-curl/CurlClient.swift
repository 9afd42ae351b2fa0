import Foundation
import RetrieverConformance
import Synchronization
import TestSupport

/// The `curl` command as a client of the suite. Each request is a separate process, so features that need a library
/// (persistent connections, delegates, iteration, metrics) are not available.
struct CurlClient: ConformanceClient {
  let name = "curl"

  func makeSession(_ options: SessionOptions) throws -> any ConformanceSession {
    if options.needsKeptConnections { throw NotOffered("connections that persist between two runs") }
    if options.delegate != nil { throw NotOffered("delegates") }
    if options.maximumBufferedBodySize != nil { throw NotOffered("a maximum size of the decoded body") }
    if options.refusesPrivateAddresses { throw NotOffered("an address policy") }
    return CurlSession(options, directory: try TemporaryDirectory())
  }

  func missing(in area: Area) -> String? {
    switch area {
    case .bytes, .lines: "iteration over a body"
    case .challenges: "delegates"
    case .metrics: "URLSessionTaskMetrics"
    case .crowds, .exhaustion: "many loads in one process"
    default: nil
    }
  }
}

/// The shared state of the runs of a session: options, a cookie jar, a folder.
final class CurlSession: ConformanceSession {
  private struct State {
    var running: [ObjectIdentifier: ChildProcess] = [:]
    var runs = 0
    var isInvalidated = false
  }

  private let options: SessionOptions
  private let directory: TemporaryDirectory
  private let state = Mutex(State())

  init(_ options: SessionOptions, directory: TemporaryDirectory) {
    self.options = options
    self.directory = directory
  }

  func invalidate() {
    let running = state.withLock { state in
      state.isInvalidated = true
      return Array(state.running.values)
    }
    for process in running { process.send(signal: SIGTERM) }
  }

  func perform(_ exchange: ExchangeRequest) async -> ExchangeOutcome {
    if let missing = Self.missing(for: exchange) { return .notOffered(missing) }
    let run = state.withLock { state in
      state.runs += 1
      return CurlRun(exchange, options, directory: directory, number: state.runs)
    }
    let process: ChildProcess
    do {
      process = try ChildProcess(try run.arguments(), output: run.report, isGuarded: false)
    } catch {
      var outcome = ExchangeOutcome()
      outcome.failure = .other("\(error)")
      return outcome
    }
    let wasInvalidated = state.withLock { state in
      state.running[ObjectIdentifier(process)] = process
      return state.isInvalidated
    }
    if wasInvalidated { process.send(signal: SIGTERM) }
    defer { state.withLock { _ = $0.running.removeValue(forKey: ObjectIdentifier(process)) } }
    let watcher = Task { if await exchange.cancel?.wait() == true { process.send(signal: SIGTERM) } }
    defer { watcher.cancel() }
    let ending = await withTaskCancellationHandler {
      await runOnThread { process.waitForEnd(within: .seconds(300)) }
    } onCancel: {
      process.send(signal: SIGTERM)
    }
    return run.outcome(ending)
  }

  private static func missing(for exchange: ExchangeRequest) -> String? {
    switch exchange.kind {
    case .bytes, .lines: return "iteration over a body"
    case .dataCallback, .uploadCallback, .downloadCallback: return "completion handlers"
    case .data, .upload, .download: break
    }
    if exchange.delegate?.challenge != nil || exchange.delegate?.redirect != nil { return "delegates" }
    if exchange.cancelForResumption != nil || exchange.resumeData != nil { return "resume data" }
    return nil
  }
}
