#if !canImport(Darwin)
  import Foundation
  import Synchronization
  import TransferEngine

  /// A body that is read from an `InputStream`, whose reads may wait, on a queue of its own, one buffer ahead.
  ///
  /// With a length that was stated for it, the last bytes are held back until the stream has ended behind them: a server
  /// never takes the beginning of a longer stream for the body. That a stream is shorter is noticed by the engine.
  ///
  /// `@unchecked Sendable`: `stream` and `total` are used on `queue` only; the rest is immutable or behind the lock.
  final class StreamBody: TransferBodySource, @unchecked Sendable {
    private struct State: Sendable {
      var buffered: [UInt8] = []
      var offset = 0
      /// What was sent of a short body, to be sent again; nil when it has become too long for that.
      var sent: [UInt8]? = []
      var isReading = false
      var isWaiting = false
      var end: TransferBodyRead?
      var moreAvailable: (@Sendable () -> Void)?

      /// A server may refuse a request before it looks at it: the beginning of its body is kept for another try.
      mutating func keep(_ count: Int) {
        guard let kept = sent?.count, kept + count <= StreamBody.maximumKeptBytes else {
          sent = nil
          return
        }
        sent?.append(contentsOf: buffered[offset..<offset + count])
      }
    }

    private static let maximumKeptBytes = 256 << 10

    let length: Int64?
    private let stream: InputStream
    private let onProblem: @Sendable (String) -> Void
    /// What has been read; used on the queue only.
    private var total: Int64 = 0
    private let queue = DispatchQueue(label: "retriever.body-stream")
    private let state = Mutex(State())

    /// - Parameters:
    ///   - length: how many bytes the stream is said to have; nil when nobody knows.
    ///   - onProblem: called with a sentence, before the transfer ends, when the stream has more.
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

    /// Tells whether the stream has no byte at all, in place of being read.
    func checkEmpty(then: @escaping @Sendable (_ isEmpty: Bool) -> Void) {
      queue.async { [self] in
        openStream()
        then(endsHere())
        stream.close()
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

    /// A stream is read once; but the beginning of what was sent is still here.
    func rewind() -> Bool {
      state.withLock { state in
        guard let sent = state.sent else { return false }
        state.buffered = sent + state.buffered[state.offset...]
        (state.sent, state.offset) = ([], 0)
        return true
      }
    }

    /// Whether what was read may be sent: not when the stream has more than was stated. On the queue.
    private func endsHere() -> Bool {
      guard let length, total >= length else { return true }
      var next: UInt8 = 0
      if total == length, stream.read(&next, maxLength: 1) <= 0 { return true }
      onProblem(
        "The body stream is longer than the \(length) bytes that the request's Content-Length states. "
          + "Set the field to the stream's length, or leave it out.")
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
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        var count = stream.read(&bytes, maxLength: bytes.count)
        if count > 0 {
          bytes.removeLast(bytes.count - count)
          total += Int64(count)
          if !endsHere() { count = -1 }
        }
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
          state.isReading = false
          if count > 0, state.offset < state.buffered.count {
            // It was rewound meanwhile.
            state.buffered += bytes
          } else if count > 0 {
            state.buffered = bytes
            state.offset = 0
          } else {
            state.end = count == 0 ? .end : .failed
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
    /// Whether there is anything in the request that is sent as its body.
    var hasBody: Bool { httpBody.map { !$0.isEmpty } ?? (httpBodyStream != nil) }

    /// The length that the program says a body stream has; nil when it says none, or something that is no length.
    var statedBodyLength: Int64? {
      guard let text = headerFields["Content-Length"], !text.isEmpty,
        text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
      else { return nil }
      return Int64(text)
    }
  }

  /// A stream on its way from the delegate to the one queue that will read it.
  ///
  /// `@unchecked Sendable`: the stream is handed over; whoever gave it does not use it any more.
  struct SendableStream: @unchecked Sendable {
    let stream: InputStream?
    init(_ stream: InputStream?) { self.stream = stream }
  }
#endif
