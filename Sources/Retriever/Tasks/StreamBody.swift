#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

/// A body that is read from an `InputStream`. Its reads may block, so they run on a separate queue, one buffer ahead.
///
/// If the request states the length, the last bytes are sent only after the stream has ended there. A server
/// therefore never accepts the beginning of a longer stream as the body. The engine detects a stream that is too
/// short.
///
/// `@unchecked Sendable`: `stream` and `total` are used on `queue` only, except that a `BoundInputStream`, which is safe to
/// use from several threads, may be closed during a read. The rest is immutable or protected by the lock.
final class StreamBody: TransferBodySource, @unchecked Sendable {
  private struct State: Sendable {
    var buffered: [UInt8] = []
    var offset = 0
    /// The bytes of a short body that were sent, to send them again; nil if there are too many.
    var sent: [UInt8]? = []
    var isReading = false
    var isWaiting = false
    var end: TransferBodyRead?
    var moreAvailable: (@Sendable () -> Void)?

    /// Keeps the beginning of the body for another attempt, because a server may refuse a request before it reads it.
    mutating func keep(_ count: Int) {
      guard let kept = sent?.count, kept + count <= StreamBody.maximumKeptBytes else {
        sent = nil
        return
      }
      sent?.append(contentsOf: buffered[offset..<offset + count])
    }
  }

  static let maximumKeptBytes = 256 << 10
  /// The number of bytes that are read ahead.
  static let bufferSize = 64 << 10

  let length: Int64?
  private let stream: InputStream
  private let onProblem: @Sendable (String) -> Void
  /// The number of bytes that have been read; used on the queue only.
  private var total: Int64 = 0
  private let queue = DispatchQueue(label: "retriever.body-stream")
  private let state = Mutex(State())

  /// - Parameters:
  ///   - length: the stated length of the stream; nil if it is unknown.
  ///   - onProblem: called with a message, before the transfer ends, if the stream is longer.
  init(_ stream: InputStream, length: Int64?, onProblem: @escaping @Sendable (String) -> Void) {
    self.stream = stream
    self.length = length
    self.onProblem = onProblem
  }

  func start(moreAvailable: @escaping @Sendable () -> Void) {
    state.withLock { $0.moreAvailable = moreAvailable }
    queue.async { [self] in openStream() }
    readAhead()
  }

  /// Checks whether the stream is empty, instead of reading it.
  func checkEmpty(then: @escaping @Sendable (_ isEmpty: Bool) -> Void) {
    queue.async { [self] in
      openStream()
      then(endsHere())
      stream.close()
    }
  }

  /// Closes the stream, unless it has ended before.
  func transferDidEnd() {
    let (hasEnded, isReading) = state.withLock { state in
      defer { (state.end, state.moreAvailable) = (state.end ?? .failed, nil) }
      return (state.end != nil, state.isReading)
    }
    guard !hasEnded else { return }
    // A read may wait until the other end of the stream writes, which may never happen. Only this class may be closed
    // meanwhile. Closing calls the program.
    if isReading, stream is BoundInputStream {
      DispatchQueue.global().async { [self] in stream.close() }
    } else {
      queue.async { [self] in stream.close() }
    }
  }

  private func openStream() {
    if stream.streamStatus == .notOpen { stream.open() }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
    let (answer, readsAhead) = state.withLock { state -> (TransferBodyRead, Bool) in
      let count = min(buffer.count, state.buffered.count - state.offset)
      if count > 0 {
        state.buffered.withUnsafeBytes { bytes in
          buffer.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: bytes[state.offset..<state.offset + count]))
        }
        state.keep(count)
        state.offset += count
        return (.bytes(count), state.offset == state.buffered.count)
      }
      if let end = state.end { return (end, false) }
      state.isWaiting = true
      return (.wait, true)
    }
    if readsAhead { readAhead() }
    return answer
  }

  /// A stream can be read only once, but the beginning of what was sent is still available.
  func rewind() -> Bool {
    state.withLock { state in
      guard let sent = state.sent else { return false }
      state.buffered = sent + state.buffered[state.offset...]
      (state.sent, state.offset) = ([], 0)
      return true
    }
  }

  /// Returns whether the bytes may be sent, which is not the case if the stream is longer than stated. Runs on the
  /// queue.
  private func endsHere() -> Bool {
    guard let length, total >= length else { return true }
    var next: UInt8 = 0
    if total == length, stream.read(&next, maxLength: 1) <= 0 { return true }
    onProblem(
      "The body stream is longer than the \(length) bytes that the request's Content-Length states. "
        + "Set the field to the stream's length, or remove the field.")
    return false
  }

  private func readAhead() {
    let starts = state.withLock { state in
      guard !state.isReading, state.end == nil, state.offset == state.buffered.count else { return false }
      state.isReading = true
      return true
    }
    guard starts else { return }
    queue.async { [self] in
      var bytes = [UInt8](repeating: 0, count: Self.bufferSize)
      var count = stream.read(&bytes, maxLength: bytes.count)
      if count > 0 {
        bytes.removeLast(bytes.count - count)
        total += Int64(count)
        if !endsHere() { count = -1 }
      }
      let wake = state.withLock { state -> (@Sendable () -> Void)? in
        state.isReading = false
        if count > 0, state.offset < state.buffered.count {
          // The stream was rewound in the meantime.
          state.buffered += bytes
        } else if count > 0 {
          state.buffered = bytes
          state.offset = 0
        } else {
          state.end = state.end ?? (count == 0 ? .end : .failed)
        }
        defer { state.isWaiting = false }
        return state.isWaiting ? state.moreAvailable : nil
      }
      if count <= 0 { stream.close() }
      wake?()
    }
  }
}

extension URLRequest {
  /// Whether the request has a body to send.
  var hasBody: Bool { httpBody.map { !$0.isEmpty } ?? (httpBodyStream != nil) }

  /// The length that the program states for a body stream; nil if it states none, or a value that is not a length.
  var statedBodyLength: Int64? {
    guard let text = headerFields["Content-Length"], !text.isEmpty,
      text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    return Int64(text)
  }
}

/// A stream that is passed from the delegate to the one queue that reads it.
///
/// `@unchecked Sendable`: the stream is transferred, and its previous owner does not use it any more.
struct SendableStream: @unchecked Sendable {
  let stream: InputStream?
  init(_ stream: InputStream?) { self.stream = stream }
}
#endif
