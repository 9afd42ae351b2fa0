import Foundation

/// The body of a request, between the server's thread that receives it and one reader.
///
/// A pure value: the driver updates it under a lock and acts afterwards. `Waiter` is the continuation of the reader.
struct UploadStateMachine<Waiter: Sendable>: Sendable {
  enum End: Sendable {
    case complete
    case failed(HTTPServerError)
  }

  enum AppendAction: Sendable {
    /// Pass the bytes to the waiter; the server can bring more.
    case deliver(Waiter, Data)
    /// The bytes are buffered; the server can bring more.
    case keep
    /// The bytes are buffered, and the buffer is full: the server must wait until it is asked.
    case withhold
    /// The bytes have no reader.
    case drop
  }

  enum NextAction: Sendable {
    /// Return the data; if `asks` is true, ask the server for more.
    case deliver(Data, asks: Bool)
    /// The buffer is empty: register a waiter.
    case wait
    case finish
    case fail(any Error)
  }

  private let highWaterMark: Int
  private var buffer = Data()
  private var end: End?
  private var waiter: Waiter?
  private var isReading = false
  private var isCancelled = false
  /// Whether the server holds the body back. This is true at first, because a body is requested when it is read.
  private var isWithheld = true

  init(highWaterMark: Int) {
    self.highWaterMark = highWaterMark
  }

  /// Creates a body whose bytes are all present.
  init(complete data: Data) {
    highWaterMark = .max
    buffer = data
    end = .complete
    isWithheld = false
  }

  var bufferedCount: Int { buffer.count }

  // MARK: The server's side

  mutating func append(_ bytes: UnsafeRawBufferPointer) -> AppendAction {
    guard end == nil, !isCancelled else { return .drop }
    isWithheld = false
    if let waiter = takeWaiter() { return .deliver(waiter, Data(bytes)) }
    buffer.append(contentsOf: bytes)
    guard buffer.count >= highWaterMark else { return .keep }
    isWithheld = true
    return .withhold
  }

  /// Ends the body. Returns the waiter to resume, if there is one.
  mutating func finish(_ end: End) -> Waiter? {
    guard self.end == nil else { return nil }
    self.end = end
    return takeWaiter()
  }

  // MARK: The reader's side

  /// Starts a read. If the action is `wait`, call ``register(_:)`` next.
  mutating func next() -> NextAction {
    if isCancelled { return .fail(CancellationError()) }
    guard !isReading else {
      return .fail(HTTPServerError(.bodyAlreadyRead, "Only one task can read a request body."))
    }
    guard buffer.isEmpty else {
      defer {
        buffer = Data()
        isWithheld = false
      }
      return .deliver(buffer, asks: isWithheld && end == nil)
    }
    switch end {
    case nil:
      isReading = true
      return .wait
    case .complete: return .finish
    case .failed(let error): return .fail(error)
    }
  }

  enum RegisterAction: Sendable {
    /// Wait; if `asks` is true, ask the server for bytes.
    case wait(asks: Bool)
    /// The state has changed since ``next()``: start the read again.
    case retry
  }

  mutating func register(_ waiter: Waiter) -> RegisterAction {
    guard !isCancelled, end == nil, buffer.isEmpty else {
      isReading = false
      return .retry
    }
    self.waiter = waiter
    defer { isWithheld = false }
    return .wait(asks: isWithheld)
  }

  /// Handles the cancellation of the reader's task before, during or after its wait. The body is not read after that.
  mutating func cancel() -> Waiter? {
    isCancelled = true
    buffer = Data()
    return takeWaiter()
  }

  private mutating func takeWaiter() -> Waiter? {
    guard let taken = waiter else { return nil }
    waiter = nil
    isReading = false
    return taken
  }
}
