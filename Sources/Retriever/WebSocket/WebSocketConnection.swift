#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine
import Waiting

/// Connects ``WebSocketStateMachine`` with the engine and with the program's tasks.
///
/// The engine reads the frames to send from it. Receivers and completions are called without a lock, in the order of the
/// messages; they may be called by a thread that holds an event loop's lock, so they only resume a continuation or post to
/// a queue.
final class WebSocketConnection: Sendable {
  typealias Received = Result<WebSocketMessage, WebSocketEnd>
  typealias Receiver = @Sendable (Received) -> Void
  typealias Completion = @Sendable (WebSocketEnd?) -> Void

  private typealias Machine = WebSocketStateMachine<Receiver, Completion>

  /// What the connection asks of its task.
  struct Events: Sendable {
    let wantsMore: @Sendable () -> Void
    let disconnect: @Sendable () -> Void
    let didClose: @Sendable (WebSocketClosing) -> Void
  }

  /// What the machine has decided.
  private enum Step: Sendable {
    /// The events are those of the time of the decision.
    case action(Machine.Action, Events?)
    case finish(@Sendable () -> Void)
  }

  private struct State: Sendable {
    var machine: Machine
    var turns = Turns<Step>()
    var handshake: WebSocketHandshake?
    var events: Events?
    var moreAvailable: (@Sendable () -> Void)?
    var timer: Task<Void, Never>?
    var nextReceiver = 0
    var closingTimeout = WebSocketConnection.defaultClosingTimeout
  }

  /// The default limit for a message.
  static let defaultMaximumMessageSize = 1 << 20
  /// The time that the server has for its Close frame.
  static let defaultClosingTimeout = Duration.seconds(10)

  private let state = Mutex(
    State(machine: WebSocketStateMachine(maximumMessageSize: defaultMaximumMessageSize)))

  func setEvents(_ events: Events) { state.withLock { $0.events = events } }

  var maximumMessageSize: Int {
    get { state.withLock { $0.machine.maximumMessageSize } }
    set { state.withLock { $0.machine.maximumMessageSize = newValue } }
  }

  /// How long the server may take to answer a Close frame and to close the connection.
  var closingTimeout: Duration {
    get { state.withLock { $0.closingTimeout } }
    set { state.withLock { $0.closingTimeout = newValue } }
  }

  var closing: WebSocketClosing? { state.withLock { $0.machine.closing } }

  // MARK: Opening

  /// Creates the handshake of the next request and returns its fields.
  func beginHandshake(subprotocols: [String], offersCompression: Bool) -> [(name: String, value: String)] {
    let handshake = WebSocketHandshake(subprotocols: subprotocols, offersCompression: offersCompression)
    state.withLock { $0.handshake = handshake }
    return handshake.fields
  }

  /// Checks the response with status 101 and opens the connection. Returns the subprotocol.
  func open(version: String, fields: HeaderFields) throws(WebSocketFailure) -> String? {
    guard let handshake = state.withLock({ $0.handshake }) else {
      throw WebSocketFailure(.protocolError, "The server answered a handshake that was not sent.")
    }
    let agreement = try handshake.agreement(status: 101, version: version, fields: fields)
    perform { $0.opened(agreement.compression) }
    return agreement.subprotocol
  }

  // MARK: Messages

  func send(_ message: WebSocketMessage, completion: @escaping Completion) {
    perform { $0.send(message, completion) }
  }

  func sendPing(completion: @escaping Completion) { perform { $0.sendPing(completion) } }

  /// Returns a number with which the wait can be cancelled.
  @discardableResult func receive(_ receiver: @escaping Receiver) -> Int {
    let id = state.withLock { state in
      state.nextReceiver += 1
      return state.nextReceiver
    }
    perform { $0.receive(receiver, id: id) }
    return id
  }

  /// Waits for a message. If the task is cancelled, a message that arrives later stays for the next receiver.
  func receive() async throws(WebSocketEnd) -> WebSocketMessage {
    let waiting = Mutex<Int?>(nil)
    let result = await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Received, Never>) in
        if Task.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
        let id = receive { continuation.resume(returning: $0) }
        waiting.withLock { $0 = id }
        // If the task was cancelled in the meantime, the handler found no number.
        if Task.isCancelled { cancelReceive(id) }
      }
    } onCancel: {
      if let id = waiting.withLock({ $0 }) { cancelReceive(id) }
    }
    return try result.get()
  }

  private func cancelReceive(_ id: Int) { perform { $0.cancelReceive(id: id) } }

  // MARK: The connection

  /// Takes bytes that have arrived. Returns whether receiving must pause.
  func received(_ bytes: UnsafeRawBufferPointer) -> Bool {
    perform { $0.received(bytes) }
  }

  /// Sends a Close frame. Returns false if the connection is not open; then nothing happens.
  func close(_ frame: WebSocketClosing) -> Bool {
    perform { machine in
      let actions = machine.close(frame)
      return (actions != nil || machine.closing != nil, actions ?? [])
    }
  }

  /// The connection has ended, or the task has.
  ///
  /// - Parameter completion: Receives the task's error after all receivers and completions were called; nil after a complete
  ///   closing handshake.
  func finish(_ error: URLError?, url: URL?, completion: @escaping @Sendable (URLError?) -> Void) {
    let (timer, isOurTurn) = state.withLock { state in
      let (end, actions) = state.machine.end(error)
      var result: URLError?
      if case .closed = end {} else { result = end.error(url: url) }
      let steps = actions.map { Step.action($0, state.events) } + [.finish { [result] in completion(result) }]
      (state.events, state.moreAvailable) = (nil, nil)
      return (state.timer.take(), state.turns.add(steps))
    }
    timer?.cancel()
    if isOurTurn { takeTurn() }
  }

  private func perform(_ event: (inout Machine) -> [Machine.Action]) {
    perform { ((), event(&$0)) }
  }

  private func perform<Answer: Sendable>(_ event: (inout Machine) -> (Answer, [Machine.Action])) -> Answer {
    let (answer, isOurTurn) = state.withLock { state in
      let (answer, actions) = event(&state.machine)
      return (answer, state.turns.add(actions.lazy.map { [events = state.events] in .action($0, events) }))
    }
    if isOurTurn { takeTurn() }
    return answer
  }

  private func takeTurn() {
    while let step = state.withLock({ $0.turns.next() }) {
      switch step {
      case .action(let action, let events): perform(action, events)
      case .finish(let completion): completion()
      }
    }
  }

  private func perform(_ action: Machine.Action, _ events: Events?) {
    switch action {
    case .deliver(let receiver, let message): receiver(.success(message))
    case .refuse(let receiver, let end): receiver(.failure(end))
    case .complete(let completion, let end): completion(end)
    case .resumeSending: state.withLock { $0.moreAvailable }?()
    case .resumeReceiving: state.withLock { $0.events }?.wantsMore()
    case .startClosingTimer: startClosingTimer()
    case .didClose(let frame): events?.didClose(frame)
    case .disconnect: state.withLock { $0.events }?.disconnect()
    }
  }

  private func startClosingTimer() {
    let limit = closingTimeout
    let timer = Task { [weak self] in
      try? await Task.sleep(for: limit)
      if !Task.isCancelled { self?.perform { $0.closingTimedOut() } }
    }
    let isWanted = state.withLock { state in
      if state.events != nil { state.timer = timer }
      return state.events != nil
    }
    if !isWanted { timer.cancel() }
  }
}

extension WebSocketConnection: TransferBodySource {
  var length: Int64? { nil }

  func start(moreAvailable: @escaping @Sendable () -> Void) {
    state.withLock { $0.moreAvailable = moreAvailable }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
    let count = perform { $0.write(into: buffer) }
    return count == 0 ? .wait : .bytes(count)
  }

  /// Nothing is read before the handshake is complete, and nothing is repeated after it.
  func rewind() -> Bool { false }
}
#endif
