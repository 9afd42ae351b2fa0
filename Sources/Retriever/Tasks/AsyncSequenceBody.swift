#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

/// A body that a Swift task takes from an asynchronous sequence, one chunk ahead of the transfer.
///
/// If the length is stated, the last chunk is sent only after the sequence has ended there, so that a server never accepts
/// the beginning of a longer sequence as the body.
final class AsyncSequenceBody: TransferBodySource {
  private struct State: Sendable {
    var buffered: [UInt8] = []
    var offset = 0
    var end: TransferBodyRead?
    /// What was read so far, to send it again; nil if it is too much.
    var sent: [UInt8]? = []
    var isStopped = false
    var isWaiting = false
    var moreAvailable: (@Sendable () -> Void)?
    /// The producer, which waits until the transfer has taken what is buffered.
    var producer: UnsafeContinuation<Void, Never>?
    var task: Task<Void, Never>?
    var onFailure: (@Sendable (any Error) -> Void)?

    var isEmpty: Bool { offset == buffered.count }
  }

  /// The maximum number of bytes that can be sent again, after a challenge or a redirect.
  static let maximumRepeatable = 256 << 10

  let length: Int64?
  private let state = Mutex(State())
  private let produce: @Sendable (AsyncSequenceBody) async throws -> Void

  /// - Parameters:
  ///   - length: the number of bytes; nil if it is unknown.
  ///   - produce: passes the chunks to ``add(_:)``, one after the other.
  init(length: Int64?, produce: @escaping @Sendable (AsyncSequenceBody) async throws -> Void) {
    self.length = length
    self.produce = produce
  }

  /// Sets what is called with the error of the sequence.
  func onFailure(_ handler: @escaping @Sendable (any Error) -> Void) {
    state.withLock { $0.onFailure = handler }
  }

  /// Ends the producer. The transfer needs no more.
  func stop() {
    let (task, producer) = state.withLock { state in
      state.isStopped = true
      (state.moreAvailable, state.onFailure) = (nil, nil)
      return (state.task.take(), state.producer.take())
    }
    task?.cancel()
    producer?.resume()
  }

  // MARK: The transfer

  func start(moreAvailable: @escaping @Sendable () -> Void) {
    let isFirst = state.withLock { state in
      state.moreAvailable = moreAvailable
      return state.task == nil && !state.isStopped
    }
    guard isFirst else { return }
    let task = Task { await self.run() }
    let isStopped = state.withLock { state in
      if !state.isStopped { state.task = task }
      return state.isStopped
    }
    if isStopped { task.cancel() }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
    let (answer, producer) = state.withLock { state -> (TransferBodyRead, UnsafeContinuation<Void, Never>?) in
      let count = min(buffer.count, state.buffered.count - state.offset)
      guard count > 0 else {
        if state.end == nil { state.isWaiting = true }
        return (state.end ?? .wait, state.producer.take())
      }
      let piece = state.buffered[state.offset..<state.offset + count]
      buffer.copyBytes(from: piece)
      state.offset += count
      if let sent = state.sent {
        state.sent = sent.count + count <= Self.maximumRepeatable ? sent + piece : nil
      }
      if state.isEmpty { (state.buffered, state.offset) = ([], 0) }
      return (.bytes(count), state.isEmpty ? state.producer.take() : nil)
    }
    producer?.resume()
    return answer
  }

  /// A sequence can be iterated only once, but the beginning of what was sent is still available.
  func rewind() -> Bool {
    state.withLock { state in
      guard let sent = state.sent else { return false }
      state.buffered = sent + state.buffered[state.offset...]
      (state.sent, state.offset) = ([], 0)
      return true
    }
  }

  // MARK: The producer

  private func run() async {
    do {
      try await produce(self)
      finish(.end)
    } catch {
      // Before the transfer fails: its failure would hide the reason.
      state.withLock { $0.onFailure }?(error)
      finish(.failed)
    }
  }

  /// Adds a chunk, and returns when there is room for the next one. Throws if nobody needs more.
  func add(_ bytes: [UInt8]) async throws {
    guard !bytes.isEmpty else { return }
    let (isStopped, wake) = state.withLock { state -> (Bool, (@Sendable () -> Void)?) in
      if state.isStopped { return (true, nil) }
      state.buffered += bytes
      defer { state.isWaiting = false }
      return (false, state.isWaiting ? state.moreAvailable : nil)
    }
    if isStopped { throw CancellationError() }
    wake?()
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      let isReady = state.withLock { state in
        if state.isStopped || state.isEmpty { return true }
        state.producer = continuation
        return false
      }
      if isReady { continuation.resume() }
    }
  }

  private func finish(_ end: TransferBodyRead) {
    let wake = state.withLock { state -> (@Sendable () -> Void)? in
      state.end = end
      defer { state.isWaiting = false }
      return state.isWaiting ? state.moreAvailable : nil
    }
    wake?()
  }
}

extension AsyncSequenceBody {
  /// A body from a sequence of chunks.
  convenience init<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, length: Int64?, bytes: @escaping @Sendable (Chunks.Element) -> [UInt8]
  ) {
    self.init(length: length) { body in
      var total: Int64 = 0
      var last: [UInt8] = []
      for try await chunk in chunks {
        let next = bytes(chunk)
        if next.isEmpty { continue }
        guard let length else {
          try await body.add(next)
          continue
        }
        total += Int64(next.count)
        guard total <= length else { throw Self.tooLong(length) }
        // Kept until the sequence has shown that it ends here.
        if total == length { last = next } else { try await body.add(next) }
      }
      if let length, total < length { throw Self.tooShort(total, length) }
      try await body.add(last)
    }
  }

  private static func tooLong(_ length: Int64) -> URLError {
    URLError(
      .requestBodyStreamExhausted,
      message: "The sequence of the upload is longer than the stated \(length) bytes.")
  }

  private static func tooShort(_ total: Int64, _ length: Int64) -> URLError {
    URLError(
      .requestBodyStreamExhausted,
      message: "The sequence of the upload ended after \(total) of the stated \(length) bytes.")
  }
}
#endif
