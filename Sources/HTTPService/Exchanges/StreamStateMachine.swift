import Foundation

/// The body of a streamed response between its writer and the server's thread, which sends it.
///
/// A pure value: the driver holds a lock while it asks, and acts afterwards. `Waiter` stands for the writer's
/// continuation.
struct StreamStateMachine<Waiter: Sendable>: Sendable {
  enum WriteAction: Sendable {
    /// Go on; when `wakes`, tell the server that there is something to send.
    case proceed(wakes: Bool)
    /// Too much lies here: register a waiter.
    case wait(wakes: Bool)
    /// Nobody will send it.
    case fail
    /// It is more than was announced.
    case exceed
  }

  enum PullAction: Sendable {
    /// So many bytes were copied; writers that wait may go on.
    case bytes(Int, [Waiter])
    /// Nothing is there: the server stops asking until it is told.
    case starve
    case finish
    case fail
  }

  private enum State: Sendable {
    case open
    /// The writer is done; what lies here is still to be sent.
    case finished
    /// The writer failed: the connection is cut, so that the client sees that something is missing.
    case failed
    /// The response is over: nothing will be sent.
    case closed
  }

  private let highWaterMark: Int
  private let lowWaterMark: Int
  private var chunks: [Data] = []
  /// The first chunk that is not sent whole, and how much of it is.
  private var first = 0
  private var offset = 0
  private var state = State.open
  private var isStarved = false
  /// Several tasks may write: a heartbeat beside events, say.
  private var waiters: [Waiter] = []
  private(set) var bufferedCount = 0
  private(set) var sentCount: Int64 = 0
  /// The places for pieces, those of pieces that were sent among them.
  var pieceCount: Int { chunks.count }

  /// What may still be written; nil when no length was announced.
  private var remaining: Int64?

  init(highWaterMark: Int, length: Int64?) {
    self.highWaterMark = highWaterMark
    remaining = length
    lowWaterMark = highWaterMark / 2
  }

  // MARK: The writer's side

  mutating func write(_ data: Data) -> WriteAction {
    guard state == .open else { return .fail }
    guard !data.isEmpty else { return .proceed(wakes: false) }
    if let left = remaining {
      guard left >= Int64(data.count) else { return .exceed }
      remaining = left - Int64(data.count)
    }
    // Many small pieces must not cost more than the bytes they hold.
    if chunks.count > first + 1, let last = chunks.last, last.count + data.count <= 4096 {
      chunks[chunks.count - 1].append(data)
    } else {
      chunks.append(data)
    }
    bufferedCount += data.count
    let wakes = isStarved
    isStarved = false
    return bufferedCount >= highWaterMark ? .wait(wakes: wakes) : .proceed(wakes: wakes)
  }

  /// Registers the writer; false when there is room by now, or the response is over.
  mutating func register(_ waiter: Waiter) -> Bool {
    guard state == .open, bufferedCount > lowWaterMark else { return false }
    waiters.append(waiter)
    return true
  }

  /// Whatever waits goes on: there is room, or a writer's task is cancelled, or the response is over.
  mutating func takeWaiters() -> [Waiter] {
    defer { waiters = [] }
    return waiters
  }

  /// The writer is done; true when the server has to be told.
  mutating func finish(failed: Bool) -> Bool {
    guard state == .open else { return false }
    state = failed ? .failed : .finished
    defer { isStarved = false }
    return isStarved
  }

  var isOpen: Bool { state == .open }

  // MARK: The server's side

  mutating func pull(into target: UnsafeMutableRawBufferPointer) -> PullAction {
    if state == .failed || state == .closed { return .fail }
    var count = 0
    while count < target.count, first < chunks.count {
      let length = min(chunks[first].count - offset, target.count - count)
      chunks[first].withUnsafeBytes { source in
        target[count..<count + length].copyBytes(from: source[offset..<offset + length])
      }
      count += length
      offset += length
      if offset == chunks[first].count {
        chunks[first] = Data()
        first += 1
        offset = 0
      }
    }
    if first == chunks.count {
      chunks.removeAll(keepingCapacity: chunks.count <= 64)
      first = 0
    } else if first > 64, first > chunks.count / 2 {
      // A stream whose writer is always ahead would keep the places of all that was sent.
      chunks.removeFirst(first)
      first = 0
    }
    bufferedCount -= count
    sentCount += Int64(count)
    guard count == 0 else {
      return .bytes(count, bufferedCount <= lowWaterMark ? takeWaiters() : [])
    }
    if state == .finished { return .finish }
    isStarved = true
    return .starve
  }

  /// The response is over, sent or not.
  mutating func close() -> [Waiter] {
    state = .closed
    chunks = []
    first = 0
    offset = 0
    bufferedCount = 0
    return takeWaiters()
  }
}
