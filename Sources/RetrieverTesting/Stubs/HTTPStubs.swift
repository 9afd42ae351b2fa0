import Foundation
import Retriever

/// Answers for the requests of a session, in place of the network. For tests.
///
/// Stubs belong to the configurations that they are installed in. They do not affect other sessions, so tests may run in
/// parallel.
///
/// ```swift
/// let stubs = HTTPStubs()
/// stubs.when("GET /dogs", answer: .json(text: #"[{"name": "Rex"}]"#))
/// let client = DogClient(session: stubs.session())
/// ```
///
/// The stub that was added last is asked first. A request without a stub fails with `URLError.resourceUnavailable` and a
/// message that lists the stubs. Nothing goes to the network, except for stubs with ``StubAnswer/passthrough``.
///
/// Data, upload and download tasks and streams use the stubs, in all their forms. WebSocket tasks, and `data:` and
/// `file:` URLs, do not.
public final class HTTPStubs: Sendable {
  /// How much is kept of the requests.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of requests (default: 10,000). New ones replace the oldest.
    public var requests: Int

    /// The maximum number of bytes kept of a request's body (default: 8 MiB). Conditions for longer bodies do not match.
    public var bodyBytes: Int

    /// The maximum number of bytes kept of all bodies (default: 64 MiB). New requests replace the oldest.
    public var totalBodyBytes: Int

    /// Creates limits, with default values for those that are left out.
    public init(requests: Int = 10_000, bodyBytes: Int = 8 << 20, totalBodyBytes: Int = 64 << 20) {
      self.requests = max(1, requests)
      self.bodyBytes = max(0, bodyBytes)
      self.totalBodyBytes = max(0, totalBodyBytes)
    }
  }

  let table: WaitableState<StubTable>
  let timer: StubTimer
  let maximumBodyBytes: Int

  /// Creates an empty set of stubs.
  ///
  /// - Parameters:
  ///   - clock: The clock for delays. With a ``ManualClock``, they take no real time.
  ///   - limits: How much is kept of the requests.
  public init<C: Clock>(clock: C, limits: Limits = Limits()) where C.Duration == Duration {
    table = WaitableState(StubTable(limits: limits))
    timer = StubTimer(clock)
    maximumBodyBytes = limits.bodyBytes
  }

  /// Creates an empty set of stubs whose delays take real time.
  ///
  /// - Parameter limits: How much is kept of the requests.
  public convenience init(limits: Limits = Limits()) {
    self.init(clock: ContinuousClock(), limits: limits)
  }

  // MARK: Sessions

  /// Makes the sessions of a configuration use these stubs. They replace stubs that were installed before.
  ///
  /// Sessions that already exist do not change. The configuration keeps the stubs in memory.
  public func install(in configuration: URLSessionConfiguration) {
    let others = (configuration.protocolClasses ?? []).filter { !($0 is StubProtocol.Type) }
    let context = StubContext(source: self)
    #if canImport(Darwin)
    let plain = StubContext.withoutStubs(configuration)
    let own = NumberedStubs.shared.add(NumberedStubs.Entry(context: context, configuration: plain))
    configuration.protocolClasses = [own] + others
    #else
    configuration.protocolContext = context
    configuration.protocolClasses = [StubProtocol.self] + others
    #endif
  }

  /// Returns a new ephemeral configuration with these stubs.
  public func configuration() -> URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    install(in: configuration)
    return configuration
  }

  /// Returns a new session with an ephemeral configuration and these stubs.
  ///
  /// - Parameter delegate: The session's delegate. Invalidate the session if you pass one.
  public func session(delegate: (any URLSessionDelegate)? = nil) -> URLSession {
    URLSession(configuration: configuration(), delegate: delegate, delegateQueue: nil)
  }

  // MARK: Stubs

  /// One stub: a pattern and its answers. Keep it to ask what it received, or to remove it.
  public struct Stub: Sendable {
    let id: Int
    let stubs: HTTPStubs

    /// The number of requests that this stub has answered.
    public var requestCount: Int { stubs.table.read { $0.entry(id)?.requestCount ?? 0 } }

    /// Removes the stub. Answers that have begun continue.
    public func remove() { stubs.table.change { $0.remove(id) } }
  }

  /// Answers the requests that match a pattern.
  ///
  /// - Parameters:
  ///   - pattern: Which requests.
  ///   - answer: The answer.
  ///   - times: How many requests get it; nil for any number. After that, stubs that were added before are asked.
  @discardableResult
  public func when(_ pattern: RequestPattern, answer: StubAnswer, times: Int? = nil) -> Stub {
    add(pattern, .sequence(AnswerSequence([answer], maximumCount: times)))
  }

  /// Answers the requests that match a pattern with one answer after the other.
  ///
  /// - Parameters:
  ///   - pattern: Which requests.
  ///   - answers: The answers in their order.
  ///   - repeatsLast: Whether the last answer is repeated. Otherwise, stubs that were added before are asked then.
  @discardableResult
  public func when(
    _ pattern: RequestPattern, answers: [StubAnswer], repeatsLast: Bool = true
  ) -> Stub {
    add(pattern, .sequence(AnswerSequence(answers, maximumCount: repeatsLast ? nil : answers.count)))
  }

  /// Answers the requests that match a pattern with what a closure returns for each.
  ///
  /// - Parameters:
  ///   - pattern: Which requests.
  ///   - times: How many requests get an answer; nil for any number.
  ///   - handler: Returns the answer. The load fails with an error that it throws. If the load is cancelled, its task is.
  @discardableResult
  public func when(
    _ pattern: RequestPattern, times: Int? = nil,
    answer handler: @escaping @Sendable (ReceivedRequest) async throws -> StubAnswer
  ) -> Stub {
    add(pattern, .sequence(AnswerSequence(maximumCount: times, handler)))
  }

  /// Removes all stubs. The requests that were received stay.
  public func removeAll() { table.change { $0.removeAll() } }

  func add(
    _ pattern: RequestPattern, _ answers: StubTable.Answers, name: String? = nil,
    record: (@Sendable (NetworkExchange) -> Void)? = nil
  ) -> Stub {
    Stub(id: table.change { $0.add(pattern, answers, name: name, record: record) }, stubs: self)
  }
}

extension HTTPStubs: StubSource {
  func receive(_ arrival: StubArrival) -> StubAssignment {
    let time = timer.elapsed()
    let (request, entries) = table.change { ($0.keep(arrival), $0.entries) }
    // Conditions are the test's own code, so they are asked without the lock.
    let matches = entries.reversed().map { (entry: $0, match: $0.pattern.match(request)) }
    let candidates = matches.filter(\.match.differences.isEmpty)
    let decision = table.change { $0.decide(request, candidates: candidates.map(\.entry.id)) }
    switch decision {
    case .answer(let handler, let entry):
      let parameters = candidates.first { $0.entry.id == entry.id }?.match.parameters ?? [:]
      var named = request
      named.parameters = parameters
      if !parameters.isEmpty { table.change { $0.note(parameters, ofRequest: request.number) } }
      return StubAssignment(request: named, arrival: time, answer: handler, record: entry.record)
    case .none(let reasons):
      let message = StubMessages.unexpected(
        request, reasons: reasons, usedUp: candidates.map(\.entry.name),
        others: matches.filter { !$0.match.differences.isEmpty }
          .map { ($0.entry.name, $0.match.differences) })
      table.change { $0.noteUnexpected(request, message) }
      let error = URLError.stub(.resourceUnavailable, message, request.url)
      return StubAssignment(request: request, arrival: time, answer: { _ in throw error })
    }
  }
}

extension HTTPStubs: CustomReflectable {
  /// A mirror without children, so that `dump` reads no property without its lock: what the stubs hold changes at any time.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
