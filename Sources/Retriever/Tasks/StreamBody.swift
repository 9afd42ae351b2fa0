#if !canImport(Darwin)
  import Foundation
  import Synchronization
  import TransferEngine

  /// A body that is read from an `InputStream`, whose reads may wait, on a queue of its own, one buffer ahead.
  ///
  /// `@unchecked Sendable`: `stream` is used on `queue` only; the rest is behind the lock.
  final class StreamBody: TransferBodySource, @unchecked Sendable {
    private struct State: Sendable {
      var buffered: [UInt8] = []
      var offset = 0
      var isReading = false
      var isWaiting = false
      var end: TransferBodyRead?
      var moreAvailable: (@Sendable () -> Void)?
    }

    let length: Int64? = nil
    private let stream: InputStream
    private let queue = DispatchQueue(label: "retriever.body-stream")
    private let state = Mutex(State())

    init(_ stream: InputStream) { self.stream = stream }

    func start(moreAvailable: @escaping @Sendable () -> Void) {
      state.withLock { $0.moreAvailable = moreAvailable }
      queue.async { [self] in if stream.streamStatus == .notOpen { stream.open() } }
      readAhead()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
      let (answer, readsAhead) = state.withLock { state -> (TransferBodyRead, Bool) in
        let count = min(buffer.count, state.buffered.count - state.offset)
        if count > 0 {
          state.buffered.withUnsafeBytes { bytes in
            buffer.copyMemory(
              from: UnsafeRawBufferPointer(rebasing: bytes[state.offset..<state.offset + count]))
          }
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

    func rewind() -> Bool { false }

    private func readAhead() {
      let starts = state.withLock { state in
        guard !state.isReading, state.end == nil, state.offset == state.buffered.count else { return false }
        state.isReading = true
        return true
      }
      guard starts else { return }
      queue.async { [self] in
        var bytes = [UInt8](repeating: 0, count: 64 << 10)
        let count = stream.read(&bytes, maxLength: bytes.count)
        if count > 0 { bytes.removeLast(bytes.count - count) }
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
          state.isReading = false
          if count > 0 {
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
#endif
