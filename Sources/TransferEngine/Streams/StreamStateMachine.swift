/// The order of the operations of a stream: takes an event and returns actions. It uses no socket, no thread and no
/// clock.
///
/// Reads complete in the order of their calls, and so do writes. Reads and writes do not wait for each other. A barrier
/// (the start of TLS, and the conversion into streams) waits for all operations before it, and all later ones wait for
/// the barrier.
struct StreamStateMachine<Reader: Sendable, Completion: Sendable>: Sendable {
  typealias Identifier = UInt64

  enum Action: Sendable {
    case deliver(Reader, [UInt8], atEnd: Bool)
    case refuse(Reader, TransferFailure)
    case complete(Completion, TransferFailure?)
    /// The read side is closed, by the server or by the program. Reported once.
    case didCloseReading
    /// The write side is closed. Reported once.
    case didCloseWriting
    /// The stream is over: without a failure if both sides were closed.
    case finish(TransferFailure?)
    /// There may be work for the owner of the connection.
    case work
  }

  /// What the owner of the connection does next.
  enum Work: Sendable, Equatable {
    /// Receive at most this number of bytes.
    case receive(Int)
    case send(ArraySlice<UInt8>)
    case closeReading
    case closeWriting
    case startTLS
    case capture
  }

  /// The kinds of work for which the connection need not be waited for.
  struct Readiness: Sendable, Equatable {
    var receiving = true
    var sending = true
    var securing = true
  }

  private enum Phase: Sendable {
    case opening
    case open
    case ended
  }

  private enum Barrier: Sendable { case startTLS, capture }

  private struct Read: Sendable {
    let minimum: Int
    let maximum: Int
    let deadline: Monotonic?
    let reader: Reader
  }

  private struct Write: Sendable {
    let bytes: [UInt8]
    var sent = 0
    /// Whether TLS has encrypted its next bytes, so that they must be sent.
    var isEncrypted = false
    /// Whether the owner of the connection is sending its next bytes at this moment.
    var isBeingSent = false
    /// Whether it can be withdrawn, as if it had never been there.
    var canBeWithdrawn: Bool { sent == 0 && !isEncrypted && !isBeingSent }
    let deadline: Monotonic?
    let completion: Completion
  }

  private enum Step<Operation: Sendable>: Sendable {
    case operation(Operation)
    case close
    case barrier(Barrier)
  }

  private struct Direction<Operation: Sendable>: Sendable {
    var steps: [(id: Identifier, step: Step<Operation>)] = []
    private var next = 0

    var isEmpty: Bool { next == steps.count }
    var first: (id: Identifier, step: Step<Operation>)? { isEmpty ? nil : steps[next] }
    var waiting: ArraySlice<(id: Identifier, step: Step<Operation>)> { steps[next...] }

    mutating func append(_ id: Identifier, _ step: Step<Operation>) { steps.append((id, step)) }

    mutating func replaceFirst(_ operation: Operation) { steps[next].step = .operation(operation) }

    mutating func removeFirst() {
      guard !isEmpty else { return }
      next += 1
      guard next == steps.count || next >= 64 else { return }
      steps.removeFirst(next)
      next = 0
    }

    mutating func remove(_ id: Identifier) -> Operation? {
      guard let index = waiting.firstIndex(where: { $0.id == id }),
        case .operation(let operation) = steps[index].step
      else { return nil }
      steps.remove(at: index)
      return operation
    }

    mutating func removeAll() -> [Step<Operation>] {
      defer { (steps, next) = ([], 0) }
      return waiting.map(\.step)
    }

    /// Whether the last close is among the waiting steps.
    var isClosing: Bool { waiting.contains { if case .close = $0.step { true } else { false } } }
  }

  /// The maximum number of bytes to receive at one time.
  static var maximumPiece: Int { 64 << 10 }

  private var phase = Phase.opening
  private var reads = Direction<Read>()
  private var writes = Direction<Write>()
  private var lastIdentifier: Identifier = 0
  private var input = ByteQueue()
  /// Whether the server has ended its side.
  private var inputEnded = false
  /// Whether a reader knows that the server has ended its side.
  private var endWasDelivered = false
  private var isReadingClosed = false
  private var isWritingClosed = false
  private var reportedReadingClosed = false
  private var reportedWritingClosed = false
  private var writeFailure: TransferFailure?
  private var tlsDeadline: Monotonic?
  var isSuspended = false

  /// Whether the stream has ended.
  var isEnded: Bool { if case .ended = phase { true } else { false } }
  /// The number of bytes that wait for a reader.
  var unreadCount: Int { input.count }

  private mutating func newIdentifier() -> Identifier {
    lastIdentifier += 1
    return lastIdentifier
  }

  // MARK: The program's calls

  /// Adds a read. It completes with at least `minimum` bytes, or with fewer at the end.
  mutating func read(
    _ reader: Reader, minimum: Int, maximum: Int, deadline: Monotonic? = nil
  ) -> (Identifier, [Action]) {
    let id = newIdentifier()
    if isEnded { return (id, [.refuse(reader, .streamEnded)]) }
    if isReadingClosed || reads.isClosing { return (id, [.refuse(reader, .streamReadingClosed)]) }
    let maximum = max(0, maximum)
    let read = Read(
      minimum: max(maximum == 0 ? 0 : 1, min(minimum, maximum)), maximum: maximum, deadline: deadline,
      reader: reader)
    reads.append(id, .operation(read))
    return (id, settle())
  }

  /// Adds a write.
  mutating func write(
    _ bytes: [UInt8], _ completion: Completion, deadline: Monotonic? = nil
  ) -> (Identifier, [Action]) {
    let id = newIdentifier()
    if isEnded { return (id, [.complete(completion, writeFailure ?? .streamEnded)]) }
    if isWritingClosed || writes.isClosing {
      return (id, [.complete(completion, writeFailure ?? .streamWritingClosed)])
    }
    writes.append(id, .operation(Write(bytes: bytes, deadline: deadline, completion: completion)))
    return (id, settle())
  }

  /// Closes the read side after the reads so far.
  mutating func closeReading() -> [Action] {
    guard !isEnded, !isReadingClosed, !reads.isClosing else { return [] }
    reads.append(newIdentifier(), .close)
    return settle()
  }

  /// Closes the write side after the writes so far.
  mutating func closeWriting() -> [Action] {
    guard !isEnded, !isWritingClosed, !writes.isClosing else { return [] }
    writes.append(newIdentifier(), .close)
    return settle()
  }

  /// Starts TLS after all operations so far.
  mutating func startTLS() -> [Action] { add(.startTLS) }

  /// Converts the connection into streams after all operations so far.
  mutating func capture() -> [Action] { add(.capture) }

  private mutating func add(_ barrier: Barrier) -> [Action] {
    guard !isEnded else { return [] }
    let id = newIdentifier()
    reads.append(id, .barrier(barrier))
    writes.append(id, .barrier(barrier))
    return settle()
  }

  /// Withdraws an operation whose caller does not wait any longer. Bytes that have arrived stay for the next read. A
  /// write that has begun cannot be withdrawn, so the write side fails.
  mutating func cancel(_ id: Identifier) -> [Action] { fail(id, .streamOperationCancelled) }

  private mutating func fail(_ id: Identifier, _ failure: TransferFailure) -> [Action] {
    if let read = reads.remove(id) { return [.refuse(read.reader, failure)] + settle() }
    if let first = writes.first, first.id == id, case .operation(let write) = first.step,
      !write.canBeWithdrawn
    {
      return failWriting(failure)
    }
    if let write = writes.remove(id) { return [.complete(write.completion, failure)] + settle() }
    return []
  }

  // MARK: Time

  /// The earliest time at which an operation fails.
  var deadline: Monotonic? {
    guard !isEnded else { return nil }
    var earliest = tlsDeadline
    func include(_ moment: Monotonic?) {
      guard let moment else { return }
      earliest = earliest.map { min($0, moment) } ?? moment
    }
    for (_, step) in reads.waiting { if case .operation(let read) = step { include(read.deadline) } }
    for (_, step) in writes.waiting { if case .operation(let write) = step { include(write.deadline) } }
    return earliest
  }

  /// Fails the operations whose time is over.
  mutating func expire(_ now: Monotonic) -> [Action] {
    guard !isEnded else { return [] }
    if let tlsDeadline, tlsDeadline <= now { return fail(.streamTimedOut) }
    var late: [Identifier] = []
    for (id, step) in reads.waiting {
      if case .operation(let read) = step, let deadline = read.deadline, deadline <= now { late.append(id) }
    }
    for (id, step) in writes.waiting {
      if case .operation(let write) = step, let deadline = write.deadline, deadline <= now { late.append(id) }
    }
    return late.flatMap { fail($0, .streamTimedOut) }
  }

  /// The TLS handshake has begun.
  mutating func beganTLS(deadline: Monotonic?) { if tlsDeadline == nil { tlsDeadline = deadline } }

  // MARK: The connection

  /// The connection is established.
  ///
  /// - Parameter isWritable: False for a stream that only continues a response.
  mutating func opened(isWritable: Bool = true) -> [Action] {
    guard case .opening = phase else { return [] }
    phase = .open
    return (isWritable ? [] : failWriting(.streamWritingClosed)) + settle() + [.work]
  }

  /// What to do next. Nil if there is nothing, or if it has to wait for the connection.
  func nextWork(_ readiness: Readiness = Readiness()) -> Work? {
    guard case .open = phase, !isSuspended else { return nil }
    if case .close = reads.first?.step { return .closeReading }
    if readiness.sending, case .close = writes.first?.step { return .closeWriting }
    if let read = reads.first, let write = writes.first, read.id == write.id {
      if case .barrier(.capture) = read.step { return .capture }
      if case .barrier(.startTLS) = read.step, readiness.securing { return .startTLS }
    }
    if readiness.receiving, !inputEnded, case .operation(let read) = reads.first?.step {
      return .receive(min(Self.maximumPiece, read.maximum - input.count))
    }
    if readiness.sending, case .operation(let write) = writes.first?.step {
      return .send(write.bytes[write.sent...])
    }
    return nil
  }

  /// Returns what to do next, like ``nextWork(_:)``. A write that is to be sent cannot be withdrawn until ``sent(_:)`` or
  /// ``waitsToSend(isEncrypted:)``: other threads may ask for that while its bytes are being sent.
  mutating func takeWork(_ readiness: Readiness = Readiness()) -> Work? {
    let work = nextWork(readiness)
    if case .send = work, case .operation(var write) = writes.first?.step {
      write.isBeingSent = true
      writes.replaceFirst(write)
    }
    return work
  }

  /// Whether a reader waits for more than has arrived.
  var wantsInput: Bool {
    guard case .open = phase, !inputEnded, case .operation = reads.first?.step else { return false }
    return true
  }

  mutating func received(_ bytes: UnsafeRawBufferPointer) -> [Action] {
    guard !isEnded, !isReadingClosed else { return [] }
    input.append(bytes)
    return settle()
  }

  /// The server has ended its side.
  mutating func receivedEnd() -> [Action] {
    guard !isEnded else { return [] }
    inputEnded = true
    return reportReadingClosed() + settle()
  }

  /// The server has ended its side, but there may be unread bytes before the end.
  mutating func noticedEnd() -> [Action] { isEnded ? [] : reportReadingClosed() }

  mutating func sent(_ count: Int) -> [Action] {
    guard !isEnded, case .operation(var write) = writes.first?.step else { return [] }
    write.sent += min(max(0, count), write.bytes.count - write.sent)
    (write.isEncrypted, write.isBeingSent) = (false, false)
    writes.replaceFirst(write)
    return settle()
  }

  /// No bytes could be sent yet.
  ///
  /// - Parameter isEncrypted: Whether TLS has encrypted them, so that they must be sent.
  mutating func waitsToSend(isEncrypted: Bool) {
    guard case .operation(var write) = writes.first?.step else { return }
    write.isEncrypted = write.isEncrypted || isEncrypted
    write.isBeingSent = false
    writes.replaceFirst(write)
  }

  /// Nothing more can be sent. Receiving continues.
  mutating func failWriting(_ failure: TransferFailure) -> [Action] {
    guard !isEnded, !isWritingClosed else { return [] }
    isWritingClosed = true
    writeFailure = failure
    var actions: [Action] = []
    var needsBarrier = false
    for step in writes.removeAll() {
      switch step {
      case .operation(let write): actions.append(.complete(write.completion, failure))
      case .close: break
      case .barrier: needsBarrier = true
      }
    }
    // A barrier needs both sides.
    if needsBarrier { return actions + fail(failure) }
    return actions + reportWritingClosed() + settle()
  }

  mutating func didCloseReading() -> [Action] {
    guard !isEnded, case .close = reads.first?.step else { return [] }
    reads.removeFirst()
    isReadingClosed = true
    input = ByteQueue()
    return reportReadingClosed() + settle()
  }

  mutating func didCloseWriting() -> [Action] {
    guard !isEnded, case .close = writes.first?.step else { return [] }
    writes.removeFirst()
    isWritingClosed = true
    return reportWritingClosed() + settle()
  }

  /// The barrier at the head of both sides is passed.
  mutating func passedBarrier() -> [Action] {
    guard !isEnded, case .barrier = reads.first?.step, reads.first?.id == writes.first?.id else { return [] }
    tlsDeadline = nil
    reads.removeFirst()
    writes.removeFirst()
    return settle()
  }

  /// The connection now belongs to two streams. Operations after the barrier are refused.
  mutating func captured() -> [Action] {
    guard !isEnded, case .barrier(.capture) = reads.first?.step, reads.first?.id == writes.first?.id else {
      return []
    }
    return refuseAll(.streamCaptured)
  }

  /// Ends the stream, because the connection has failed or the task has ended.
  mutating func fail(_ failure: TransferFailure) -> [Action] {
    guard !isEnded else { return [] }
    phase = .ended
    return refuseAll(failure) + [.finish(failure), .work]
  }

  private mutating func refuseAll(_ failure: TransferFailure) -> [Action] {
    var actions: [Action] = []
    for step in reads.removeAll() {
      if case .operation(let read) = step { actions.append(.refuse(read.reader, failure)) }
    }
    for step in writes.removeAll() {
      if case .operation(let write) = step { actions.append(.complete(write.completion, failure)) }
    }
    return actions
  }

  private mutating func reportReadingClosed() -> [Action] {
    defer { reportedReadingClosed = true }
    return reportedReadingClosed ? [] : [.didCloseReading]
  }

  private mutating func reportWritingClosed() -> [Action] {
    defer { reportedWritingClosed = true }
    return reportedWritingClosed ? [] : [.didCloseWriting]
  }

  // MARK: Completing

  /// Completes the operations that need nothing more.
  private mutating func settle() -> [Action] {
    guard case .open = phase else { return [] }
    var actions: [Action] = []
    while case .operation(let read) = reads.first?.step,
      input.count >= read.minimum || inputEnded
    {
      reads.removeFirst()
      let bytes = input.take(read.maximum)
      let atEnd = inputEnded && input.isEmpty
      if atEnd { endWasDelivered = true }
      actions.append(.deliver(read.reader, bytes, atEnd: atEnd))
    }
    while case .operation(let write) = writes.first?.step, write.sent == write.bytes.count {
      writes.removeFirst()
      actions.append(.complete(write.completion, nil))
    }
    let isReadingOver = isReadingClosed || inputEnded && endWasDelivered
    if isReadingOver, isWritingClosed, reads.isEmpty, writes.isEmpty {
      phase = .ended
      actions.append(.finish(writeFailure == .streamWritingClosed ? nil : writeFailure))
    }
    actions.append(.work)
    return actions
  }
}

extension TransferFailure {
  package static let streamEnded = TransferFailure(.connectionLost, message: "The stream has ended.")
  static let streamReadingClosed = TransferFailure(
    .connectionLost, message: "Nothing can be read: the read side of the stream is closed.")
  static let streamWritingClosed = TransferFailure(
    .connectionLost, message: "Nothing can be written: the write side of the stream is closed.")
  package static let streamTaskEnded = TransferFailure(.cancelled, message: "The task has ended.")
  package static let streamCaptured = TransferFailure(
    .cancelled, message: "The connection belongs to the streams that the delegate has received.")
  static let streamOperationCancelled = TransferFailure(.cancelled, message: "The operation was cancelled.")
  static let streamTimedOut = TransferFailure(
    .timedOut, message: "The operation of the stream timed out.")
}
