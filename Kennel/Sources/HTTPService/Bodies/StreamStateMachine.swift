import Foundation
import Waiting

/// The body of a streamed response, between its writer and the server's thread that sends it.
///
/// A pure value: the driver updates it under a lock and acts afterwards. `Waiter` is the continuation of a writer.
struct StreamStateMachine<Waiter: Sendable>: Sendable {
  enum WriteAction: Sendable {
    /// Continue; if `wakes` is true, notify the server that there is something to send.
    case proceed(wakes: Bool)
    /// The buffer is full: the writer waits while ``isFull`` is true.
    case wait(wakes: Bool)
    /// The response has ended, and the bytes will not be sent.
    case fail
    /// The body is longer than announced.
    case exceed
  }

  enum PullAction: Sendable {
    /// This many bytes were copied; resume these waiting writers.
    case bytes(Int, [Waiter])
    /// The buffer is empty: the server waits for a notification.
    case waitForData
    case finish
    case fail
  }

  private enum State: Sendable {
    case open
    /// The writer has finished; the buffered bytes are still to be sent.
    case finished
    /// The writer failed. The connection is closed, so that the client notices that the body is incomplete.
    case failed
    /// The response has ended; nothing more will be sent.
    case closed
  }

  private let highWaterMark: Int
  private let lowWaterMark: Int
  private var chunks: [Data] = []
  /// The index of the first chunk that is not completely sent, and the number of its bytes that are sent.
  private var first = 0
  private var offset = 0
  private var state = State.open
  private var isWaitingForData = false
  /// The waiting writers. Several tasks may write, for example one for events and one for heartbeats.
  var waiters = Waiters<Waiter>()
  private(set) var bufferedCount = 0
  private(set) var sentCount: Int64 = 0
  /// The number of slots for chunks, including those of sent chunks.
  var pieceCount: Int { chunks.count }

  /// The number of bytes that may still be written; nil if no length was announced.
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
    // Small pieces are combined, so that they need no more memory than their bytes.
    if chunks.count > first + 1, let last = chunks.last, last.count + data.count <= 4096 {
      chunks[chunks.count - 1].append(data)
    } else {
      chunks.append(data)
    }
    bufferedCount += data.count
    let wakes = isWaitingForData
    isWaitingForData = false
    return bufferedCount >= highWaterMark ? .wait(wakes: wakes) : .proceed(wakes: wakes)
  }

  /// Whether a writer must wait: there is no room, and the response has not ended.
  var isFull: Bool { state == .open && bufferedCount > lowWaterMark }

  /// Ends the body. Returns true if the server must be notified.
  mutating func finish(failed: Bool) -> Bool {
    guard state == .open else { return false }
    state = failed ? .failed : .finished
    defer { isWaitingForData = false }
    return isWaitingForData
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
      // If the writer is always ahead, the slots of sent chunks would accumulate.
      chunks.removeFirst(first)
      first = 0
    }
    bufferedCount -= count
    sentCount += Int64(count)
    guard count == 0 else {
      return .bytes(count, bufferedCount <= lowWaterMark ? waiters.takeAll() : [])
    }
    if state == .finished { return .finish }
    isWaitingForData = true
    return .waitForData
  }

  /// Closes the stream when the response has ended, completely sent or not.
  mutating func close() -> [Waiter] {
    state = .closed
    chunks = []
    first = 0
    offset = 0
    bufferedCount = 0
    return waiters.takeAll()
  }
}
