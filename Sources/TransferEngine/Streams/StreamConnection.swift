import CLinux
import Glibc
import Synchronization
import Waiting

/// A connection that a program reads and writes directly. It drives ``StreamStateMachine``.
///
/// The bytes come from a socket, which belongs to the thread of ``StreamLoop``, or from the body of a response, which
/// its owner passes on. Readers, completions and events are called without a lock, in the order of the bytes.
///
/// `@unchecked Sendable`: `deadlineIndex` and the properties of the socket are used by the loop's thread only; the rest
/// is immutable or protected by the lock.
package final class StreamConnection: DeadlineOwner, @unchecked Sendable {
  package typealias Received = Result<(bytes: [UInt8], atEnd: Bool), TransferFailure>
  package typealias Reader = @Sendable (Received) -> Void
  package typealias Completion = @Sendable (TransferFailure?) -> Void
  /// Identifies an operation, so that its caller can withdraw it.
  package typealias Operation = UInt64
  typealias Machine = StreamStateMachine<Reader, Completion>

  /// What the connection reports to its owner.
  package struct Events: Sendable {
    let didCloseReading: @Sendable () -> Void
    let didCloseWriting: @Sendable () -> Void
    let didCapture: @Sendable () -> Void
    let didFinish: @Sendable (TransferFailure?) -> Void
    /// More of the response's body is wanted.
    let wantsMore: @Sendable () -> Void

    package init(
      didCloseReading: @escaping @Sendable () -> Void, didCloseWriting: @escaping @Sendable () -> Void,
      didCapture: @escaping @Sendable () -> Void,
      didFinish: @escaping @Sendable (TransferFailure?) -> Void, wantsMore: @escaping @Sendable () -> Void
    ) {
      self.didCloseReading = didCloseReading
      self.didCloseWriting = didCloseWriting
      self.didCapture = didCapture
      self.didFinish = didFinish
      self.wantsMore = wantsMore
    }
  }

  private enum Source: Sendable {
    case none
    case socket(StreamTLSSettings)
    case body
  }

  /// What the machine has decided. The events are those of the time of the decision.
  private enum Step: Sendable {
    case action(Machine.Action, Events?)
    case didCapture(Events?)
  }

  private struct State: Sendable {
    var machine = Machine()
    var turns = Turns<Step>()
    var events: Events?
    var source = Source.none
    var newSocket: ConnectedSocket?
    /// Whether the body's owner was asked for more.
    var isBodyWanted = false
    /// The deadline of a stream that continues a response, as far as the loop was asked to look at it.
    var bodyDeadline: Monotonic?
    var isPosted = false
    /// Whether the loop looks for work at this moment, and whether it has to look again.
    var isStepping = false
    var needsStep = false
    var trust: Result<TrustStore?, TransferFailure>?
    var isTrustAsked = false
  }

  /// The maximum number of bytes that are received or sent at one time.
  package static let maximumPiece = Machine.maximumPiece
  /// The maximum number of steps before other connections have their turn.
  private static let maximumSteps = 32

  private let state = Mutex(State())
  private let handshakeTimeout: Duration?

  // The loop's thread only.
  var deadlineIndex = -1
  private var socket: StreamSocket?
  private var readiness = Machine.Readiness()
  private var waits = Waits()
  private var watched: UInt32 = 0
  private var sawEnd = false
  private var isOver = false

  /// What each kind of work waits for.
  private struct Waits {
    var receiving: UInt32 = 0
    var sending: UInt32 = 0
    var securing: UInt32 = 0
  }

  /// - Parameter handshakeTimeout: How long a TLS handshake may take; nil for no limit.
  package init(handshakeTimeout: Duration? = nil) { self.handshakeTimeout = handshakeTimeout }

  package func setEvents(_ events: Events) { state.withLock { $0.events = events } }

  // MARK: The program's calls

  /// Reads at least `minimum` bytes, or fewer at the end.
  @discardableResult package func read(
    minimum: Int, maximum: Int, timeout: Duration?, _ reader: @escaping Reader
  ) -> Operation {
    let deadline = timeout.map { Monotonic.now() + $0 }
    return performNumbered { $0.read(reader, minimum: minimum, maximum: maximum, deadline: deadline) }
  }

  /// Writes all bytes.
  @discardableResult package func write(
    _ bytes: [UInt8], timeout: Duration?, _ completion: @escaping Completion
  ) -> Operation {
    let deadline = timeout.map { Monotonic.now() + $0 }
    return performNumbered { $0.write(bytes, completion, deadline: deadline) }
  }

  /// Withdraws an operation. It completes with a failure, unless it has completed already.
  package func cancel(_ operation: Operation) { perform { $0.cancel(operation) } }

  package func closeReading() { perform { $0.closeReading() } }
  package func closeWriting() { perform { $0.closeWriting() } }
  package func startTLS() { perform { $0.startTLS() } }
  package func capture() { perform { $0.capture() } }

  /// Whether the stream has ended.
  package var isEnded: Bool { state.withLock { $0.machine.isEnded } }

  /// The number of bytes that were received and not read.
  package var unreadCount: Int { state.withLock { $0.machine.unreadCount } }

  /// Whether a reader waits for bytes.
  package var wantsInput: Bool { state.withLock { $0.machine.wantsInput } }

  package var isSuspended: Bool {
    get { state.withLock { $0.machine.isSuspended } }
    set {
      state.withLock { $0.machine.isSuspended = newValue }
      wake()
    }
  }

  /// Ends the stream. All operations fail.
  package func end(_ failure: TransferFailure) { perform { $0.fail(failure) } }

  // MARK: The connection

  /// Continues over a socket.
  package func open(_ socket: ConnectedSocket, _ settings: StreamTLSSettings) {
    change { state in
      guard case .none = state.source else { return ((), []) }
      state.source = .socket(settings)
      state.newSocket = socket
      return ((), state.machine.opened())
    }
  }

  /// Continues with the body of a response. Nothing can be written.
  package func openBody() {
    change { state in
      guard case .none = state.source else { return ((), []) }
      state.source = .body
      return ((), state.machine.opened(isWritable: false))
    }
  }

  /// Takes bytes of a body. Returns whether receiving must pause.
  package func receivedBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
    change { state in
      let actions = state.machine.received(bytes)
      let pauses = !state.machine.wantsInput
      state.isBodyWanted = !pauses
      return (pauses, actions)
    }
  }

  /// The body is complete.
  package func receivedBodyEnd() { perform { $0.receivedEnd() } }

  private func perform(_ event: (inout Machine) -> [Machine.Action]) {
    change { ((), event(&$0.machine)) }
  }

  private func performNumbered(_ event: (inout Machine) -> (Operation, [Machine.Action])) -> Operation {
    let operation = change { event(&$0.machine) }
    // The loop learns the new deadline, even if there is nothing to do.
    wake()
    return operation
  }

  private func change<Answer: Sendable>(_ event: (inout State) -> (Answer, [Machine.Action])) -> Answer {
    let (answer, isOurTurn) = state.withLock { state in
      let (answer, actions) = event(&state)
      return (answer, state.turns.add(actions.lazy.map { [events = state.events] in .action($0, events) }))
    }
    if isOurTurn { takeTurn() }
    return answer
  }

  private func takeTurn() {
    while let step = state.withLock({ $0.turns.next() }) {
      switch step {
      case .action(let action, let events): perform(action, events)
      case .didCapture(let events): events?.didCapture()
      }
    }
  }

  private func perform(_ action: Machine.Action, _ events: Events?) {
    switch action {
    case .deliver(let reader, let bytes, let atEnd): reader(.success((bytes, atEnd)))
    case .refuse(let reader, let failure): reader(.failure(failure))
    case .complete(let completion, let failure): completion(failure)
    case .didCloseReading: events?.didCloseReading()
    case .didCloseWriting: events?.didCloseWriting()
    case .finish(let failure):
      state.withLock { $0.events = nil }
      events?.didFinish(failure)
      wake()
    case .work: wake()
    }
  }

  private func wake() {
    let (isNew, isBody) = state.withLock { state in
      if case .body = state.source {
        // Its bytes arrive elsewhere, but the loop ends what takes too long.
        let deadline = state.machine.deadline
        guard deadline != state.bodyDeadline else { return (false, true) }
        state.bodyDeadline = deadline
        defer { state.isPosted = true }
        return (!state.isPosted, true)
      }
      if state.isStepping {
        state.needsStep = true
        return (false, false)
      }
      defer { state.isPosted = true }
      return (!state.isPosted, false)
    }
    if isNew { post() }
    if isBody { continueBody() }
  }

  private func post() {
    guard let loop = StreamLoop.shared() else {
      state.withLock { $0.isPosted = false }
      return end(TransferFailure(.outOfDescriptors, message: "Could not wait for the connection."))
    }
    loop.post(self)
  }

  /// Does what can be done for a stream that continues a response.
  private func continueBody() {
    let (work, events) = state.withLock { state -> (Machine.Work?, Events?) in
      let work = state.machine.nextWork(.init(receiving: !state.isBodyWanted))
      if case .receive = work { state.isBodyWanted = true }
      return (work, state.events)
    }
    switch work {
    case .receive: events?.wantsMore()
    case .closeReading:
      perform { $0.didCloseReading() }
    case .capture: passCapture()
    case .startTLS:
      end(
        TransferFailure(
          .secureConnectionFailed, message: "TLS cannot be started in the middle of an HTTP response."))
    case .send, .closeWriting, nil: break
    }
  }

  private func passCapture() {
    let isOurTurn = state.withLock { state in
      let events = state.events
      state.events = events.map { Events(wantsMore: $0.wantsMore) }
      let actions = state.machine.captured().map { Step.action($0, state.events) }
      return state.turns.add(actions + [.didCapture(events)])
    }
    if isOurTurn { takeTurn() }
  }

  // MARK: On the loop's thread

  func wasTaken() { state.withLock { $0.isPosted = false } }

  var deadline: Monotonic? { isOver ? nil : state.withLock { $0.machine.deadline } }

  func expire(_ now: Monotonic) { perform { $0.expire(now) } }

  /// The socket is ready.
  func isReady(_ events: UInt32) {
    watched = 0
    let ends = EPOLLHUP.rawValue | EPOLLERR.rawValue
    let isOver = events & ends != 0
    if isOver || events & waits.receiving != 0 { readiness.receiving = true }
    if isOver || events & waits.sending != 0 { readiness.sending = true }
    if isOver || events & waits.securing != 0 { readiness.securing = true }
    if events & (ends | EPOLLRDHUP.rawValue) != 0, !sawEnd {
      sawEnd = true
      readiness = Machine.Readiness()
      perform { $0.noticedEnd() }
    }
  }

  /// Does what can be done now. Returns true if there is more to do.
  func step(on loop: StreamLoop) -> Bool {
    guard !isOver else { return false }
    let new = state.withLock { state in
      state.isStepping = true
      return state.newSocket.take()
    }
    if let new { adopt(new, loop) }
    if hasNewTrust.exchange(false, ordering: .acquiring) { readiness.securing = true }
    var steps = 0
    while steps < Self.maximumSteps {
      let (work, isEnded) = state.withLock { state in
        state.needsStep = false
        return (state.machine.takeWork(readiness), state.machine.isEnded)
      }
      if isEnded {
        leave(loop)
        return false
      }
      guard let work, socket != nil else { break }
      steps += 1
      perform(work, loop)
    }
    watch(loop)
    let needsStep = state.withLock { state in
      state.isStepping = false
      return state.needsStep
    }
    return needsStep || steps == Self.maximumSteps
  }

  private func adopt(_ new: ConnectedSocket, _ loop: StreamLoop) {
    let descriptor = new.take()
    guard descriptor >= 0 else { return }
    socket = StreamSocket(descriptor)
    if !loop.add(descriptor, of: self) {
      end(TransferFailure(.outOfMemory, message: "Could not wait for the connection: out of memory."))
    }
  }

  private func leave(_ loop: StreamLoop) {
    isOver = true
    guard let descriptor = socket?.descriptor else { return }
    loop.remove(descriptor)
    socket = nil
  }

  /// Waits for what the work needs, and for the end of the server's side.
  private func watch(_ loop: StreamLoop) {
    guard let descriptor = socket?.descriptor else { return }
    var events: UInt32 = 0
    if !readiness.receiving { events |= waits.receiving }
    if !readiness.sending { events |= waits.sending }
    if !readiness.securing { events |= waits.securing }
    if !sawEnd { events |= EPOLLRDHUP.rawValue }
    guard events != 0, events != watched else { return }
    watched = events
    loop.watch(descriptor, for: events)
  }

  private func perform(_ work: Machine.Work, _ loop: StreamLoop) {
    switch work {
    case .receive(let maximum): receive(maximum, loop)
    case .send(let bytes): send(bytes)
    case .startTLS: startTLS(loop)
    case .closeReading:
      socket?.endReceiving()
      perform { $0.didCloseReading() }
    case .closeWriting:
      switch socket?.endSending() {
      case .waitsForInput: wait(for: EPOLLIN.rawValue, \.sending, \.sending)
      case .waitsForOutput: wait(for: EPOLLOUT.rawValue, \.sending, \.sending)
      default: perform { $0.didCloseWriting() }
      }
    case .capture: passCapture()
    }
  }

  private func wait(
    for event: UInt32, _ flag: WritableKeyPath<Machine.Readiness, Bool>,
    _ place: WritableKeyPath<Waits, UInt32>
  ) {
    readiness[keyPath: flag] = false
    waits[keyPath: place] = event
  }

  private func receive(_ maximum: Int, _ loop: StreamLoop) {
    let buffer = UnsafeMutableRawBufferPointer(rebasing: loop.buffer[..<min(maximum, loop.buffer.count)])
    let step = socket?.receive(into: buffer)
    // What was received may be what sending waits for.
    if waits.sending == EPOLLIN.rawValue { readiness.sending = true }
    switch step {
    case .done(let count):
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
      perform { $0.received(bytes) }
    case .waitsForInput: wait(for: EPOLLIN.rawValue, \.receiving, \.receiving)
    case .waitsForOutput: wait(for: EPOLLOUT.rawValue, \.receiving, \.receiving)
    case .end: perform { $0.receivedEnd() }
    case .failed(let failure): perform { $0.fail(failure) }
    case nil: break
    }
  }

  private func send(_ bytes: ArraySlice<UInt8>) {
    let piece = bytes.prefix(4 * Self.maximumPiece)
    switch piece.withUnsafeBytes({ socket?.send($0) }) {
    case .done(let count): perform { $0.sent(count) }
    case .waitsForInput:
      // The server wants another handshake before it takes more.
      state.withLock { $0.machine.waitsToSend(isEncrypted: true) }
      wait(for: EPOLLIN.rawValue, \.sending, \.sending)
    case .waitsForOutput:
      let isSecure = socket?.isSecure == true
      state.withLock { $0.machine.waitsToSend(isEncrypted: isSecure) }
      wait(for: EPOLLOUT.rawValue, \.sending, \.sending)
    case .end: perform { $0.failWriting(.streamConnectionLost(EPIPE)) }
    case .failed(let failure): perform { $0.failWriting(failure) }
    case nil: break
    }
  }

  private func startTLS(_ loop: StreamLoop) {
    let (source, trust, unread) = state.withLock { ($0.source, $0.trust, $0.machine.unreadCount) }
    guard case .socket(let settings) = source else { return }
    // Bytes from before the handshake must not be taken for bytes that TLS protects.
    guard unread == 0 else {
      return end(
        TransferFailure(
          .secureConnectionFailed, message: "The server sent data before the TLS handshake."))
    }
    let limit = handshakeTimeout.map { Monotonic.now() + $0 }
    state.withLock { $0.machine.beganTLS(deadline: limit) }
    guard let trust = trust ?? loadTrust(settings) else {
      readiness.securing = false
      waits.securing = 0
      return
    }
    guard case .success(let store) = trust else {
      if case .failure(let failure) = trust { end(failure) }
      return
    }
    switch socket?.secure(settings, store: store) {
    case .done:
      // TLS may have received more than the handshake.
      readiness = Machine.Readiness()
      perform { $0.passedBarrier() }
    case .waitsForInput: wait(for: EPOLLIN.rawValue, \.securing, \.securing)
    case .waitsForOutput: wait(for: EPOLLOUT.rawValue, \.securing, \.securing)
    case .end: end(.streamCutOff)
    case .failed(let failure): end(failure)
    case nil: break
    }
  }

  /// Returns the trusted certificates if they are known. Otherwise they arrive later.
  private func loadTrust(_ settings: StreamTLSSettings) -> Result<TrustStore?, TransferFailure>? {
    guard case .unread(let source) = TrustState(settings.trust) else { return .success(nil) }
    let isFirst = state.withLock { state in
      defer { state.isTrustAsked = true }
      return !state.isTrustAsked
    }
    guard isFirst else { return nil }
    let known = TrustStores.shared.provide(source) { [weak self] result in
      guard let self else { return }
      state.withLock { $0.trust = result.map { $0 } }
      hasNewTrust.store(true, ordering: .releasing)
      wake()
    }
    guard let known else { return nil }
    state.withLock { $0.trust = .success(known) }
    return .success(known)
  }

  private let hasNewTrust = Atomic<Bool>(false)
}

extension StreamConnection.Events {
  /// After the capture, nobody but the streams is informed.
  fileprivate init(wantsMore: @escaping @Sendable () -> Void) {
    self.init(
      didCloseReading: {}, didCloseWriting: {}, didCapture: {}, didFinish: { _ in }, wantsMore: wantsMore)
  }
}
