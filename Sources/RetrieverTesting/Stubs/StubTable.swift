import Foundation

/// The stubs and what they received: a value without a lock, a clock or the test's code.
struct StubTable: Sendable {
  enum Answers: Sendable {
    case sequence(AnswerSequence)
    case replay(ReplayScript)
  }

  struct Entry: Sendable {
    let id: Int
    let pattern: RequestPattern
    let name: String
    var answers: Answers
    var requestCount = 0
    var record: (@Sendable (NetworkExchange) -> Void)?

    var isUsedUp: Bool {
      if case .sequence(let sequence) = answers { sequence.isUsedUp } else { false }
    }
  }

  /// What a request gets.
  enum Decision: Sendable {
    case answer(AnswerSequence.Handler, entry: Entry)
    /// No stub has an answer; with the reasons of archives.
    case none([String])
  }

  private(set) var entries: [Entry] = []
  private var lastID = 0
  /// The requests that are kept, in their order.
  private(set) var requests: [ReceivedRequest] = []
  private(set) var requestCount = 0
  private(set) var unexpected: [(request: ReceivedRequest, message: String)] = []
  private var bodyBytes = 0
  private let limits: HTTPStubs.Limits

  init(limits: HTTPStubs.Limits) { self.limits = limits }

  // MARK: Stubs

  mutating func add(
    _ pattern: RequestPattern, _ answers: Answers, name: String? = nil,
    record: (@Sendable (NetworkExchange) -> Void)? = nil
  ) -> Int {
    lastID += 1
    entries.append(
      Entry(id: lastID, pattern: pattern, name: name ?? "\(pattern)", answers: answers, record: record))
    return lastID
  }

  mutating func remove(_ id: Int) { entries.removeAll { $0.id == id } }

  mutating func removeAll() { entries = [] }

  func entry(_ id: Int) -> Entry? { entries.first { $0.id == id } }

  // MARK: Requests

  /// Keeps a request and gives it a number.
  mutating func keep(_ arrival: StubArrival) -> ReceivedRequest {
    requestCount += 1
    let request = ReceivedRequest(
      number: requestCount, request: arrival.request, url: arrival.url, headers: arrival.headers,
      body: arrival.body.bytes, bodyLength: arrival.body.length)
    requests.append(request)
    bodyBytes += request.body.count
    while requests.count > limits.requests || bodyBytes > limits.totalBodyBytes, let first = requests.first {
      bodyBytes -= first.body.count
      requests.removeFirst()
    }
    return request
  }

  /// Notes the named segments of a request's path.
  mutating func note(_ parameters: [String: String], ofRequest number: Int) {
    guard let index = requests.lastIndex(where: { $0.number == number }) else { return }
    requests[index].parameters = parameters
  }

  /// Decides about a request.
  ///
  /// - Parameter candidates: the entries whose pattern matches, in the order in which they are asked.
  mutating func decide(_ request: ReceivedRequest, candidates: [Int]) -> Decision {
    var reasons: [String] = []
    for id in candidates {
      guard let index = entries.firstIndex(where: { $0.id == id }) else { continue }
      switch entries[index].answers {
      case .sequence(var sequence):
        guard let handler = sequence.next() else { continue }
        entries[index].answers = .sequence(sequence)
        entries[index].requestCount += 1
        return .answer(handler, entry: entries[index])
      case .replay(var script):
        switch script.next(for: request) {
        case .none(let reason): reasons.append(reason)
        case .answer(let answer):
          entries[index].answers = .replay(script)
          entries[index].requestCount += 1
          return .answer({ _ in answer }, entry: entries[index])
        }
      }
    }
    return .none(reasons)
  }

  mutating func noteUnexpected(_ request: ReceivedRequest, _ message: String) {
    // The first ones explain the most.
    if unexpected.count < 100 { unexpected.append((request, message)) }
  }
}
