import Foundation
import TestSupport

/// How one case came out.
public enum Verdict: Sendable, Equatable {
  /// As stated.
  case passed
  /// Otherwise, and how.
  case failed(String)
  /// The client never came back.
  case hung(String)
  /// The client brought its process down.
  case crashed(String)
  /// The client has nothing to try.
  case notOffered(String)

  /// One word.
  public var word: String {
    switch self {
    case .passed: "passed"
    case .failed: "failed"
    case .hung: "hung"
    case .crashed: "crashed"
    case .notOffered: "not offered"
    }
  }

  /// Why it did not pass.
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
  /// How a body's end is told.
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
  /// What the tested library has beyond Apple's.
  case beyond
  /// Proxies from the environment.
  case proxies
  /// How often a request reaches servers that end their connections.
  case sentOnce = "sent once"
  /// Bodies that are cut, and bodies that only look so.
  case completeness = "complete or error"
  /// Look-ups of host names.
  case lookups = "look-ups"
  /// Very many loads at the same time.
  case crowds
  /// Descriptors and threads that run out.
  case exhaustion
  /// HTTP/2 peers that flood and exceed.
  case floods = "HTTP/2 floods"
}

/// What a case speaks.
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
  /// Any, together with other cases.
  case anyProcess
  /// One of its own, because it changes the environment or the limits of the process.
  case ownProcess
  /// One of its own that is started with `MadeUpNames`.
  case ownProcessWithMadeUpNames
}

/// One behaviour, stated in a sentence, that a client has or has not.
public struct ConformanceCase: Sendable, CustomStringConvertible {
  /// A short name, unique in the suite.
  public let id: String
  /// The behaviour, as a sentence.
  public let title: String
  /// What it is about.
  public let area: Area
  /// What it speaks.
  public let transport: Transport
  /// How long it may take in all.
  public let timeLimit: Duration
  /// The process it must run in.
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

  /// Tries the client: the behaviour first, then that each session used is still usable.
  public func run(_ client: any ConformanceClient, _ servers: SharedServers) async -> Verdict {
    let context = CaseContext(client: client, servers: servers, transport: transport)
    defer { context.cleanUp() }
    if let missing = client.missing(in: area) { return .notOffered(missing) }
    if place == .ownProcessWithMadeUpNames, !MadeUpNames.areLoaded {
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

/// Why a case fails.
struct CaseFailure: Error {
  var reason: String
  var isHang = false
}

/// The result of `operation`, nil when it takes longer than `limit`: it is cancelled then, and left alone.
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
