#if !canImport(Darwin)
import Foundation

/// How a connection ended.
package enum WebSocketEnd: Error, Equatable, Sendable {
  /// The server sent a Close frame.
  case closed(WebSocketClosing)
  /// The program closed the connection.
  case cancelled
  /// The server violated the protocol or a limit.
  case failed(WebSocketFailure)
  /// The connection ended without a Close frame of the server.
  case lost
  /// The server did not answer a Close frame in time.
  case timedOut
  case transport(URLError)
}

/// A WebSocket connection after its request was sent: event in, actions out. It uses no network, no thread and no clock.
///
/// `Receiver` waits for a message, and `Completion` for the end of a send or ping.
package struct WebSocketStateMachine<Receiver: Sendable, Completion: Sendable>: Sendable {
  package enum Action: Sendable {
    case deliver(Receiver, WebSocketMessage)
    case refuse(Receiver, WebSocketEnd)
    /// A message was written, or a ping was answered; or neither will happen.
    case complete(Completion, WebSocketEnd?)
    /// There is something to write.
    case resumeSending
    case resumeReceiving
    /// The connection must end within a limited time. Report ``WebSocketStateMachine/closingTimedOut()`` otherwise.
    case startClosingTimer
    /// The server sent a Close frame.
    case didClose(WebSocketClosing)
    case disconnect
  }

  private enum Phase: Sendable {
    case connecting
    case open
    case closing(Closing)
    case ended(WebSocketEnd)
  }

  private struct Closing: Sendable {
    enum Cause: Sendable {
      case program
      case server
      case failure(WebSocketFailure)
    }

    let cause: Cause
    /// The frame to send.
    let frame: WebSocketClosing
    var isWritten = false
    /// The server's frame.
    var received: WebSocketClosing?
    var isTimedOut = false
  }

  /// When this much is buffered, receiving pauses.
  package static var maximumBufferedBytes: Int { 256 << 10 }
  /// What a buffered message counts in addition to its bytes.
  package static var messageCost: Int { 64 }

  private var phase = Phase.connecting
  private var parser = WebSocketFrameParser()
  private var assembler: WebSocketMessageAssembler
  private var outbox: WebSocketOutbox<Completion>
  private var inbox: [WebSocketMessage] = []
  /// The index in `inbox` of the next message.
  private var nextMessage = 0
  private var bufferedBytes = 0
  private var receivers: [(id: Int, receiver: Receiver)] = []
  /// Received bytes that wait until messages have been taken.
  private var unparsed: [UInt8] = []
  private var isReceivePaused = false
  private var isSendPaused = false

  package init(maximumMessageSize: Int, outbox: WebSocketOutbox<Completion> = .init()) {
    assembler = WebSocketMessageAssembler(maximumSize: maximumMessageSize)
    self.outbox = outbox
  }

  package var maximumMessageSize: Int {
    get { assembler.maximumSize }
    set { assembler.maximumSize = newValue }
  }

  package var isOpen: Bool { if case .open = phase { true } else { false } }

  /// The Close frame that describes the end: the server's, or else the one that this side sends.
  package var closing: WebSocketClosing? {
    switch phase {
    case .connecting, .open: nil
    case .closing(let closing): closing.received ?? closing.frame
    case .ended(.closed(let closing)): closing
    case .ended(.failed(let failure)): WebSocketClosing(code: failure.code.rawValue)
    case .ended(.lost), .ended(.timedOut): WebSocketClosing(code: 1006)
    case .ended(.cancelled), .ended(.transport): nil
    }
  }

  // MARK: Opening

  /// The handshake is complete.
  package mutating func opened(_ compression: PermessageDeflate?) -> [Action] {
    guard case .connecting = phase else { return [] }
    phase = .open
    parser.allowsCompression = compression != nil
    assembler = WebSocketMessageAssembler(maximumSize: maximumMessageSize, compression: compression)
    outbox.compress(compression)
    return resumeSending()
  }

  // MARK: Sending

  package mutating func send(_ message: WebSocketMessage, _ completion: Completion) -> [Action] {
    if let end = refusal { return [.complete(completion, end)] }
    outbox.add(message, completion)
    return resumeSending()
  }

  package mutating func sendPing(_ completion: Completion) -> [Action] {
    if let end = refusal { return [.complete(completion, end)] }
    outbox.addPing(completion)
    return resumeSending()
  }

  /// Why nothing can be sent; nil if it can.
  private var refusal: WebSocketEnd? {
    switch phase {
    case .connecting, .open: nil
    case .closing(let closing): end(of: closing)
    case .ended(let end): end
    }
  }

  private mutating func resumeSending() -> [Action] {
    guard isSendPaused else { return [] }
    if case .connecting = phase { return [] }
    isSendPaused = false
    return [.resumeSending]
  }

  /// Writes frames into the connection's buffer. A count of 0 means that there is nothing to write:
  /// ``Action/resumeSending`` follows.
  package mutating func write(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, actions: [Action]) {
    let frame: WebSocketClosing?
    switch phase {
    case .open: frame = nil
    case .closing(let closing) where !closing.isWritten: frame = closing.frame
    case .connecting, .closing, .ended:
      isSendPaused = true
      return (0, [])
    }
    do {
      let written = try outbox.write(into: buffer, closing: frame)
      if written.wroteClose, case .closing(var closing) = phase {
        closing.isWritten = true
        phase = .closing(closing)
      }
      if written.count == 0 { isSendPaused = true }
      return (written.count, written.completed.map { .complete($0, nil) })
    } catch {
      var actions: [Action] = []
      fail(error, &actions)
      isSendPaused = true
      return (0, actions + resumeSending())
    }
  }

  // MARK: Closing

  /// The program closes the connection: messages that wait are sent first, and what the server still sends is dropped.
  /// Returns nil if the connection is not open.
  package mutating func close(_ frame: WebSocketClosing) -> [Action]? {
    guard case .open = phase else { return nil }
    phase = .closing(Closing(cause: .program, frame: frame))
    var actions: [Action] = [.startClosingTimer]
    dropInbox()
    assembler.dropsMessages = true
    refuseReceivers(.cancelled, &actions)
    actions += resumeSending()
    parseRest(&actions)
    resumeReceiving(&actions)
    return actions
  }

  /// The connection did not end in time.
  package mutating func closingTimedOut() -> [Action] {
    guard case .closing(var closing) = phase else { return [] }
    closing.isTimedOut = true
    phase = .closing(closing)
    return [.disconnect]
  }

  /// The connection has ended, or is abandoned. Returns the reason.
  package mutating func end(_ error: URLError?) -> (end: WebSocketEnd, actions: [Action]) {
    // Nothing that follows the program's own cancellation counts.
    var actions = error?.code == .cancelled ? [] : parseLastBytes()
    let end: WebSocketEnd
    switch phase {
    case .ended(let known): return (known, [])
    case .connecting, .open: end = error.map { .transport($0) } ?? .lost
    case .closing(let closing): end = self.end(of: closing, isOver: true)
    }
    phase = .ended(end)
    unparsed = []
    refuseReceivers(end, &actions)
    actions += outbox.dropAll().map { .complete($0, end) }
    return (end, actions)
  }

  private func end(of closing: Closing, isOver: Bool = false) -> WebSocketEnd {
    switch closing.cause {
    case .failure(let failure): .failed(failure)
    case .server, .program:
      if let received = closing.received {
        .closed(received)
      } else if !isOver {
        .cancelled
      } else {
        closing.isTimedOut ? .timedOut : .lost
      }
    }
  }

  /// Abandons a connection because of what the server sent. Messages that arrived before can still be received.
  private mutating func fail(_ failure: WebSocketFailure, _ actions: inout [Action]) {
    unparsed = []
    switch phase {
    case .open:
      phase = .closing(
        Closing(cause: .failure(failure), frame: WebSocketClosing(code: failure.code.rawValue)))
      actions.append(.startClosingTimer)
      actions += outbox.dropUnsent().map { .complete($0, .failed(failure)) }
      refuseReceivers(.failed(failure), &actions)
      actions += resumeSending()
    case .closing(let closing) where closing.received == nil:
      // The server's answer will not be understood.
      actions.append(.disconnect)
    case .connecting, .closing, .ended: break
    }
  }

  // MARK: Receiving

  /// Takes bytes of the connection. `pauses` asks for no more until ``Action/resumeReceiving``.
  package mutating func received(_ bytes: UnsafeRawBufferPointer) -> (pauses: Bool, actions: [Action]) {
    var actions: [Action] = []
    if unparsed.isEmpty {
      var rest = bytes
      parse(&rest, &actions)
      unparsed.append(contentsOf: rest)
    } else {
      unparsed.append(contentsOf: bytes)
    }
    isReceivePaused = isInboxFull || !unparsed.isEmpty
    return (isReceivePaused, actions)
  }

  /// Gives the receiver a message as soon as there is one.
  package mutating func receive(_ receiver: Receiver, id: Int) -> [Action] {
    var actions: [Action] = []
    if let message = takeMessage() {
      actions.append(.deliver(receiver, message))
    } else if let end = refusal {
      return [.refuse(receiver, end)]
    } else {
      receivers.append((id, receiver))
    }
    parseRest(&actions)
    resumeReceiving(&actions)
    return actions
  }

  /// The receiver's task was cancelled. A receiver that has its message already keeps it.
  package mutating func cancelReceive(id: Int) -> [Action] {
    guard let index = receivers.firstIndex(where: { $0.id == id }) else { return [] }
    return [.refuse(receivers.remove(at: index).receiver, .cancelled)]
  }

  private var isInboxFull: Bool { bufferedBytes >= Self.maximumBufferedBytes }

  private mutating func takeMessage() -> WebSocketMessage? {
    guard nextMessage < inbox.count else { return nil }
    let message = inbox[nextMessage]
    inbox[nextMessage].bytes = Data()
    nextMessage += 1
    if nextMessage == inbox.count || nextMessage >= 256 {
      inbox.removeFirst(nextMessage)
      nextMessage = 0
    }
    bufferedBytes -= message.bytes.count + Self.messageCost
    return message
  }

  private mutating func dropInbox() { (inbox, nextMessage, bufferedBytes) = ([], 0, 0) }

  private mutating func refuseReceivers(_ end: WebSocketEnd, _ actions: inout [Action]) {
    actions += receivers.map { .refuse($0.receiver, end) }
    receivers = []
  }

  private mutating func parseRest(_ actions: inout [Action]) {
    guard !unparsed.isEmpty, !isInboxFull else { return }
    let bytes = unparsed
    unparsed = []
    bytes.withUnsafeBytes { bytes in
      var rest = bytes
      parse(&rest, &actions)
      unparsed.append(contentsOf: rest)
    }
  }

  /// Parses what arrived before the end of the connection, also if the inbox is full: it may end with a Close frame.
  private mutating func parseLastBytes() -> [Action] {
    var actions: [Action] = []
    let bytes = unparsed
    bytes.withUnsafeBytes { bytes in
      var rest = bytes
      parse(&rest, fillsInbox: true, &actions)
    }
    // The connection is over, so it neither continues nor has to end in time.
    return actions.filter { action in
      switch action {
      case .deliver, .refuse, .complete, .didClose: true
      case .resumeSending, .resumeReceiving, .startClosingTimer, .disconnect: false
      }
    }
  }

  private mutating func resumeReceiving(_ actions: inout [Action]) {
    guard isReceivePaused, unparsed.isEmpty, bufferedBytes <= Self.maximumBufferedBytes / 2 else { return }
    isReceivePaused = false
    actions.append(.resumeReceiving)
  }

  /// Parses the input until the inbox is full, or to its end. Nothing counts after a Close frame or a failure.
  private mutating func parse(
    _ input: inout UnsafeRawBufferPointer, fillsInbox: Bool = false, _ actions: inout [Action]
  ) {
    do {
      while reads, fillsInbox || !isInboxFull {
        guard let event = try parser.next(&input) else { return }
        if let output = try assembler.take(event) { handle(output, &actions) }
      }
    } catch {
      fail(error, &actions)
    }
    if !reads { input = UnsafeRawBufferPointer(start: nil, count: 0) }
  }

  /// Whether what the server sends is still read.
  private var reads: Bool {
    switch phase {
    case .open: true
    case .closing(let closing):
      if case .program = closing.cause { closing.received == nil } else { false }
    case .connecting, .ended: false
    }
  }

  private mutating func handle(_ output: WebSocketMessageAssembler.Output, _ actions: inout [Action]) {
    switch output {
    case .message(let message):
      if receivers.isEmpty {
        bufferedBytes += message.bytes.count + Self.messageCost
        inbox.append(message)
      } else {
        actions.append(.deliver(receivers.removeFirst().receiver, message))
      }
    case .ping(let payload):
      outbox.addPong(payload)
      actions += resumeSending()
    case .pong(let payload): actions += outbox.pongArrived(payload).map { .complete($0, nil) }
    case .close(let frame): closed(by: frame, &actions)
    }
  }

  private mutating func closed(by frame: WebSocketClosing, _ actions: inout [Action]) {
    switch phase {
    case .open:
      // The answer repeats the code (RFC 6455, 5.5.1).
      var closing = Closing(cause: .server, frame: WebSocketClosing(code: frame.code))
      closing.received = frame
      phase = .closing(closing)
      actions.append(.startClosingTimer)
      actions += outbox.dropUnsent().map { .complete($0, .closed(frame)) }
      refuseReceivers(.closed(frame), &actions)
      actions += resumeSending()
    case .closing(var closing):
      closing.received = frame
      phase = .closing(closing)
    case .connecting, .ended: return
    }
    actions.append(.didClose(frame))
  }
}
#endif
