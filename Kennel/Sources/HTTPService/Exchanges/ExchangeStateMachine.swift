/// The state of one request and its response on a connection. A pure value: each event returns an action.
///
/// libmicrohttpd asks in its callbacks what to do. It stops calling them only for a connection that was suspended in a
/// callback. Events of the handler come at any time. They resume a suspended connection, and the library then calls the
/// callback again.
struct ExchangeStateMachine: Sendable {
  enum Stage: Sendable, Equatable {
    /// The request line has arrived, but not yet all header fields.
    case arriving
    /// The handler has the head. The body, if there is one, is held back.
    case handling
    /// The body is arriving.
    case receiving
    /// The complete request has arrived, and the response is not ready yet.
    case received
    /// The response was passed to the library.
    case responding
    case over
  }

  /// The action of a callback.
  enum CallAction: Sendable, Equatable {
    /// Start the handler. Suspend to hold the body back until it is requested. Without a body, the library continues
    /// and calls again; an earlier response would close the connection.
    case startHandler(suspends: Bool)
    case suspend
    /// Continue with the body or the next call.
    case continueReceiving
    /// Append the bytes to the body. Suspend if it is full, see ``bodyIsFull()``.
    case takeBytes
    case dropBytes
    /// The body exceeds its limit: fail the reader, and drop the bytes.
    case failBody
    /// Pass the response to the library. If `discardsBody` is true, the rest of the body is read and discarded, so that
    /// the client can read the response before the connection closes.
    case respond(discardsBody: Bool)
    /// Close the connection.
    case cut
  }

  enum Wake: Sendable, Equatable {
    case none
    case resume
  }

  struct Limits: Sendable {
    var maximumBodySize: Int64
    /// The number of bytes of an unread body that are still read, to send the response and keep the connection. If a handler
    /// has answered while it read a body with a length, the rest is read completely.
    var maximumDiscardedBodySize: Int64
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

  /// Handles the head. A refused request gets its response immediately.
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

  /// Handles a call without bytes: another call for the head after a suspension, or the end of the request.
  mutating func call() -> CallAction {
    if isAbandoned { return .cut }
    switch stage {
    case .handling:
      if hasResponse, !dropsBody {
        guard framing.hasBody, isWorthDropping else { return respond(discardsBody: framing.hasBody) }
        dropsBody = true
      }
      guard dropsBody || wantsBody else { return suspend() }
      stage = .receiving
      return .continueReceiving
    case .receiving, .received:
      stage = .received
      return hasResponse ? respond(discardsBody: false) : suspend()
    case .arriving, .responding, .over: return .cut
    }
  }

  /// Handles a call with bytes of the body. It may come while the connection is suspended, because the library passes
  /// on all chunks that it has read.
  mutating func call(bringing count: Int) -> CallAction {
    guard stage == .receiving, !isAbandoned else { return .cut }
    receivedCount += Int64(count)
    guard dropsBody || receivedCount > limits.maximumBodySize else { return .takeBytes }
    droppedCount += Int64(count)
    if droppedCount > limits.maximumDiscardedBodySize, !isWorthFinishing { return .cut }
    if dropsBody { return .dropBytes }
    dropsBody = true
    return .failBody
  }

  /// The reader is slower: the connection is suspended until the reader asks for more.
  mutating func bodyIsFull() { isSuspended = true }

  /// There is nothing to send: the connection is suspended until the handler writes.
  mutating func streamIsEmpty() { isSuspended = true }

  /// Ends the exchange when the library has finished with it.
  mutating func completed() {
    stage = .over
    isSuspended = false
  }

  // MARK: Events of the handler

  mutating func bodyWanted() -> Wake {
    wantsBody = true
    return stage == .handling || stage == .receiving ? wake() : .none
  }

  mutating func responseGiven() -> Wake {
    guard !hasResponse else { return .none }
    hasResponse = true
    // The rest of the body has no reader.
    if stage == .receiving { dropsBody = true }
    return stage == .responding || stage == .over ? .none : wake()
  }

  mutating func streamFilled() -> Wake { stage == .responding ? wake() : .none }

  // MARK: Closing

  /// Handles a client that disconnected or exceeded a time limit: the next callback closes the connection.
  mutating func abandon() -> Wake {
    guard stage != .over else { return .none }
    isAbandoned = true
    return wake()
  }

  // MARK: Helpers

  private mutating func wake() -> Wake {
    guard isSuspended else { return .none }
    isSuspended = false
    return .resume
  }

  private mutating func suspend() -> CallAction {
    isSuspended = true
    return .suspend
  }

  private mutating func respond(discardsBody: Bool) -> CallAction {
    stage = .responding
    return .respond(discardsBody: discardsBody)
  }

  /// Whether to read the rest of a body whose response is ready: many clients read no response before they have sent all of a
  /// body. A body with a length has an end, and was accepted with that length.
  private var isWorthFinishing: Bool {
    guard case .length = framing else { return false }
    return hasResponse
  }

  /// Whether to read and discard the body: for a short body this is cheaper than a new connection.
  private var isWorthDropping: Bool {
    guard case .length(let length) = framing, !waitsForContinue else { return false }
    return length <= limits.maximumDiscardedBodySize
  }
}
