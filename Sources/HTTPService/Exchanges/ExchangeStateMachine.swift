/// The life of one request and its response on a connection: event in, action out.
///
/// libmicrohttpd asks what to do in its callbacks; between them it leaves a connection alone only if that was
/// suspended there. The handler's wishes come at any time, and wake a suspended connection, whose callback is then
/// called again.
struct ExchangeStateMachine: Sendable {
  enum Stage: Sendable, Equatable {
    /// The request line is here; header fields are on their way.
    case arriving
    /// The handler has the head; the body, if there is one, is held back.
    case handling
    /// The body comes in.
    case receiving
    /// The whole request is here; the response is not.
    case received
    /// The response was handed over.
    case responding
    case over
  }

  /// What a callback has to do.
  enum CallAction: Sendable, Equatable {
    /// Start the handler; suspend when the body is to be held back until it is wanted. Without a body the library
    /// goes on, and calls again: a response given before that would cost the connection.
    case startHandler(suspends: Bool)
    case suspend
    /// Let the body, or what comes next, come.
    case goOn
    /// Give the bytes to the body; suspend if it is full, see ``bodyIsFull()``.
    case takeBytes
    case dropBytes
    /// The body has passed its limit: tell the reader; drop the bytes.
    case failBody
    /// Hand the response over. When it lingers, the rest of the body is read and thrown away, so that the client
    /// gets to read the response before the connection is gone.
    case respond(lingers: Bool)
    /// End the connection.
    case cut
  }

  enum Wake: Sendable, Equatable {
    case none
    case resume
  }

  struct Limits: Sendable {
    var bodySize: Int64
    /// How much of a body nobody wants is still read so that the response can be sent and the connection kept.
    var unwantedBodySize: Int64
  }

  private(set) var stage = Stage.arriving
  private(set) var isSuspended = false
  private let limits: Limits
  private var framing = RequestFraming.noBody
  private var waitsForContinue = false
  private var wantsBody = false
  private var hasResponse = false
  private var dropsBody = false
  private var isAbandoned = false
  private var receivedCount: Int64 = 0
  private var droppedCount: Int64 = 0

  init(limits: Limits) {
    self.limits = limits
  }

  // MARK: Calls of the library

  /// The head is here. A refused one gets its response at once.
  mutating func headArrived(framing: RequestFraming, expectsContinue: Bool, isRefused: Bool) -> CallAction {
    self.framing = framing
    waitsForContinue = expectsContinue && framing.hasBody
    stage = .handling
    if isRefused {
      hasResponse = true
      return call()
    }
    guard framing.hasBody else {
      stage = .receiving
      return .startHandler(suspends: false)
    }
    isSuspended = true
    return .startHandler(suspends: true)
  }

  /// A call that brings no bytes: again for the head after a pause, or at the end of the request.
  mutating func call() -> CallAction {
    if isAbandoned { return .cut }
    switch stage {
    case .handling:
      if hasResponse, !dropsBody {
        guard framing.hasBody, isWorthDropping else { return respond(lingers: framing.hasBody) }
        dropsBody = true
      }
      guard dropsBody || wantsBody else { return suspend() }
      stage = .receiving
      return .goOn
    case .receiving, .received:
      stage = .received
      return hasResponse ? respond(lingers: false) : suspend()
    case .arriving, .responding, .over: return .cut
    }
  }

  /// A call that brings bytes of the body. It may come although the connection is suspended: the library hands over
  /// all chunks that it has read.
  mutating func call(bringing count: Int) -> CallAction {
    guard stage == .receiving, !isAbandoned else { return .cut }
    receivedCount += Int64(count)
    guard dropsBody || receivedCount > limits.bodySize else { return .takeBytes }
    droppedCount += Int64(count)
    if droppedCount > limits.unwantedBodySize { return .cut }
    if dropsBody { return .dropBytes }
    dropsBody = true
    return .failBody
  }

  /// The reader lags: bring no more until it asks.
  mutating func bodyIsFull() { isSuspended = true }

  /// There is nothing to send until the handler writes.
  mutating func streamStarved() { isSuspended = true }

  /// The library is done with the exchange; nothing is to be asked of it any more.
  mutating func completed() {
    stage = .over
    isSuspended = false
  }

  // MARK: Wishes of the handler

  mutating func bodyWanted() -> Wake {
    wantsBody = true
    return stage == .handling || stage == .receiving ? wake() : .none
  }

  mutating func responseGiven() -> Wake {
    guard !hasResponse else { return .none }
    hasResponse = true
    // What is still to come of the body has no reader.
    if stage == .receiving { dropsBody = true }
    return stage == .responding || stage == .over ? .none : wake()
  }

  mutating func streamFilled() -> Wake { stage == .responding ? wake() : .none }

  // MARK: Ends

  /// The client is gone, or has used up its time: the next callback ends the connection.
  mutating func abandon() -> Wake {
    guard stage != .over else { return .none }
    isAbandoned = true
    return wake()
  }

  // MARK: Parts

  private mutating func wake() -> Wake {
    guard isSuspended else { return .none }
    isSuspended = false
    return .resume
  }

  private mutating func suspend() -> CallAction {
    isSuspended = true
    return .suspend
  }

  private mutating func respond(lingers: Bool) -> CallAction {
    stage = .responding
    return .respond(lingers: lingers)
  }

  /// A short body that is on its way anyhow is cheaper to read than a new connection.
  private var isWorthDropping: Bool {
    guard case .length(let length) = framing, !waitsForContinue else { return false }
    return length <= limits.unwantedBodySize
  }
}
