import Foundation
import TestSupport

/// The result of a case.
public enum Verdict: Sendable, Equatable {
  /// The client behaves as stated.
  case passed
  /// The client behaves differently, with a description.
  case failed(String)
  /// A call of the client did not end.
  case hung(String)
  /// The client crashed its process.
  case crashed(String)
  /// The client does not have the feature.
  case notOffered(String)

  /// The verdict in one word.
  public var word: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .hung: "hung"
    case .crashed: "crashed"
    case .notOffered: "not offered"
    }
  }

  /// The reason why the case did not pass.
  public var reason: String? {
    switch self {
    case .passed: nil
    case .failed(let why), .hung(let why), .crashed(let why), .notOffered(let why): why
    }
  }
}

/// The part of URLSession's behaviour that a case is about.
public enum Area: String, Sendable, CaseIterable {
  /// Plain exchanges.
  case basics
  /// Malformed and unusual heads.
  case heads
  /// How the end of a body is signalled.
  case framing
  /// Connections that end too early, or never.
  case endings
  /// Content codings.
  case encodings
  /// TLS.
  case tls
  /// HTTP/2 framing.
  case http2
  /// `bytes`.
  case bytes
  /// `lines`.
  case lines
  /// Downloads.
  case downloads
  /// Uploads.
  case uploads
  /// Authentication challenges.
  case challenges
  /// Metrics.
  case metrics
  /// Redirects.
  case redirects
  /// Cookies.
  case cookies
  /// Cancellation.
  case cancelling
  /// Time-outs.
  case timeouts
  /// Features of the tested library that Apple's does not have.
  case beyond
  /// Proxies from the environment.
  case proxies
  /// How often a request reaches servers that end their connections.
  case sentOnce = "sent once"
  /// Bodies that are cut short, and bodies that only look so.
  case completeness = "complete or error"
  /// Look-ups of host names.
  case lookups = "look-ups"
  /// Many concurrent loads.
  case crowds
  /// Exhausted descriptors and threads.
  case exhaustion
  /// HTTP/2 peers that flood the client or exceed limits.
  case floods = "HTTP/2 floods"
  /// The life of tasks and sessions.
  case tasks
  /// The calls of delegates.
  case delegates
  /// `URLCache`.
  case caching
  /// `URLProtocol`.
  case protocols
  /// `URLSessionWebSocketTask` and `URLSessionStreamTask`.
  case connections = "WebSocket and stream tasks"
  /// Challenges of servers' certificates.
  case trust
  /// Requests, responses, cookies and credentials as values.
  case values
}

/// The protocol of a case.
public enum Transport: String, Sendable {
  /// HTTP/1.1 in clear text.
  case http
  /// HTTP/1.1 over TLS.
  case https
  /// HTTP/2 over TLS.
  case http2
}

/// The process that a case must run in.
public enum Place: Sendable {
  /// Any process, together with other cases.
  case anyProcess
  /// Its own process, because the case changes the environment or the limits of the process.
  case ownProcess
  /// Its own process, started with `TestHostNames`.
  case ownProcessWithTestHostNames
}

/// One behaviour of a client, stated in a sentence.
public struct ConformanceCase: Sendable, CustomStringConvertible {
  /// A short name, unique in the suite.
  public let id: String
  /// The behaviour, as a sentence.
  public let title: String
  /// The area of the behaviour.
  public let area: Area
  /// The protocol.
  public let transport: Transport
  /// The maximum time of the case.
  public let timeLimit: Duration
  /// The process in which the case must run.
  public let place: Place

  let body: @Sendable (CaseContext) async throws -> Void

  init(
    _ area: Area, _ id: String, _ title: String, over transport: Transport = .http,
    limit: Duration = .seconds(25), in place: Place = .anyProcess,
    body: @escaping @Sendable (CaseContext) async throws -> Void
  ) {
    self.area = area
    self.id = id
    self.title = title
    self.transport = transport
    timeLimit = limit
    self.place = place
    self.body = body
  }

  /// The name.
  public var description: String { id }

  /// Tests the client: first the behaviour, then whether each session is still usable.
  public func run(_ client: any ConformanceClient, _ servers: SharedServers) async -> Verdict {
    let context = CaseContext(client: client, servers: servers, transport: transport)
    defer { context.cleanUp() }
    if let missing = client.missing(in: area) { return .notOffered(missing) }
    if place == .ownProcessWithTestHostNames, !TestHostNames.areLoaded {
      return .failed("The case needs a process that is started with the made-up names: use --filter \(id).")
    }
    let verdict = await within(timeLimit) { () -> Verdict in
      do {
        try await body(context)
        context.restoreEnvironment()
        try await context.proveSessionsUsable()
        return .passed
      } catch let failure as CaseFailure {
        return failure.isHang ? .hung(failure.reason) : .failed(failure.reason)
      } catch let missing as NotOffered {
        return .notOffered(missing.what)
      } catch {
        return .failed("The case could not be set up: \(error)")
      }
    }
    return verdict ?? .hung("It took longer than \(timeLimit).")
  }
}

/// The reason why a case failed.
struct CaseFailure: Error {
  var reason: String
  var isHang = false
}

/// Returns the result of `operation`; nil if it takes longer than `limit`. In that case, the operation is cancelled
/// and not awaited.
func within<Result: Sendable>(
  _ limit: Duration, _ operation: @escaping @Sendable () async -> Result
) async -> Result? {
  let done = Gate()
  let result = Slot<Result>()
  let task = Task {
    result.value = await operation()
    done.open()
  }
  if await done.wait(within: limit) { return result.value }
  task.cancel()
  return nil
}
