import Foundation

/// The body of a request between the server's thread, which brings bytes, and one reader, who takes them.
///
/// A pure value: the driver holds a lock while it asks, and acts afterwards. `Waiter` stands for the reader's
/// continuation.
struct UploadStateMachine<Waiter: Sendable>: Sendable {
  enum End: Sendable {
    case complete
    case failed(HTTPServerError)
  }

  enum AppendAction: Sendable {
    /// Give the bytes to the waiter; bring more.
    case deliver(Waiter, Data)
    /// They are kept; bring more.
    case keep
    /// They are kept, and there are enough of them: bring no more until asked.
    case withhold
    /// Nobody will read them.
    case drop
  }

  enum NextAction: Sendable {
    /// Take it; when `asks`, tell the server to bring more.
    case deliver(Data, asks: Bool)
    /// Nothing is there: register a waiter.
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
  /// The server holds the body back until it is asked for. So it is at first: a body is wanted when it is read.
  private var isWithheld = true

  init(highWaterMark: Int) {
    self.highWaterMark = highWaterMark
  }

  /// A body that is all there.
  init(whole: Data) {
    highWaterMark = .max
    buffer = whole
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

  /// No more bytes come; the waiter, if there is one, is to be told.
  mutating func finish(_ end: End) -> Waiter? {
    guard self.end == nil else { return nil }
    self.end = end
    return takeWaiter()
  }

  // MARK: The reader's side

  /// Begins a read; ``register(_:)`` follows when it says to wait.
  mutating func next() -> NextAction {
    if isCancelled { return .fail(CancellationError()) }
    guard !isReading else {
      return .fail(HTTPServerError(.bodyAlreadyRead, "Two tasks read the same request body."))
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
    /// Wait; when `asks`, tell the server to bring bytes.
    case wait(asks: Bool)
    /// Something came in between: begin again.
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

  /// The reader's task is cancelled, before, while or after it waits; nobody reads any more.
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
