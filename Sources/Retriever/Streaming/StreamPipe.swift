#if !canImport(Darwin)
import Foundation

/// A bounded buffer between one writer and one reader. Both may wait, or ask to be called.
///
/// `@unchecked Sendable`: `condition` protects every variable.
final class StreamPipe: @unchecked Sendable {
  enum Failure: Error { case closed }

  let capacity: Int
  private let condition = NSCondition()
  private var bytes: [UInt8] = []
  private var start = 0
  private var isWriterClosed = false
  private var isReaderClosed = false
  private var failure: (any Error)?
  private var onReadable: (@Sendable () -> Void)?
  private var onWritable: (@Sendable () -> Void)?
  private var observesReadable: (@Sendable () -> Void)?
  private var observesWritable: (@Sendable () -> Void)?

  init(capacity: Int) { self.capacity = max(1, capacity) }

  private var count: Int { bytes.count - start }
  private var isReadable: Bool { count > 0 || isWriterClosed || failure != nil }
  private var isWritable: Bool { count < capacity || isReaderClosed || failure != nil }

  private func locked<Result>(_ body: () -> Result) -> Result {
    condition.lock()
    defer { condition.unlock() }
    return body()
  }

  // MARK: State

  /// Whether a read returns without waiting.
  var canRead: Bool { locked { isReadable } }
  /// Whether a write returns without waiting.
  var canWrite: Bool { locked { isWritable } }
  /// Whether all bytes were read, and no more will follow.
  var isAtEnd: Bool { locked { count == 0 && isWriterClosed && failure == nil } }
  /// Whether nobody will read any more.
  var isReaderGone: Bool { locked { isReaderClosed } }
  /// The number of bytes that can be written without waiting.
  var room: Int { locked { max(0, capacity - count) } }
  var error: (any Error)? { locked { failure } }

  /// Sets what is called, without a lock, whenever reading has become possible.
  func observeReadable(_ observer: (@Sendable () -> Void)?) { locked { observesReadable = observer } }
  /// The same for writing.
  func observeWritable(_ observer: (@Sendable () -> Void)?) { locked { observesWritable = observer } }

  /// Calls `action` once, as soon as reading is possible.
  func whenReadable(_ action: @escaping @Sendable () -> Void) {
    let isNow = locked {
      if !isReadable { onReadable = action }
      return isReadable
    }
    if isNow { action() }
  }

  /// Calls `action` once, as soon as writing is possible.
  func whenWritable(_ action: @escaping @Sendable () -> Void) {
    let isNow = locked {
      if !isWritable { onWritable = action }
      return isWritable
    }
    if isNow { action() }
  }

  // MARK: Reading and writing

  /// Takes at most `buffer.count` bytes. Returns 0 at the end, and -1 after a failure and after ``closeReading()``.
  ///
  /// - Parameter waits: Whether to wait for bytes; otherwise 0 is also returned if there are none.
  func read(into buffer: UnsafeMutableRawBufferPointer, waits: Bool) -> Int {
    condition.lock()
    while waits, !isReadable, !isReaderClosed, !buffer.isEmpty { condition.wait() }
    let taken = min(count, buffer.count)
    if taken == 0, failure != nil || isReaderClosed {
      condition.unlock()
      return -1
    }
    if taken > 0 { buffer.copyBytes(from: bytes[start..<start + taken]) }
    start += taken
    if start == bytes.count {
      bytes.removeAll(keepingCapacity: true)
      start = 0
    } else if start > capacity {
      bytes.removeFirst(start)
      start = 0
    }
    finishChange(hasRoom: taken > 0, hasBytes: false)
    return taken
  }

  /// Adds as many bytes as there is room for, at least one if `waits` is true. Returns -1 if nobody reads.
  func write(_ source: UnsafeRawBufferPointer, waits: Bool) -> Int {
    condition.lock()
    while waits, !isWritable, !isWriterClosed, !source.isEmpty { condition.wait() }
    guard !isReaderClosed, !isWriterClosed, failure == nil else {
      condition.unlock()
      return -1
    }
    let added = min(source.count, max(0, capacity - count))
    if added > 0 { bytes.append(contentsOf: source[..<added]) }
    finishChange(hasRoom: false, hasBytes: added > 0)
    return added
  }

  /// No more bytes follow.
  func closeWriting() {
    condition.lock()
    isWriterClosed = true
    finishChange(hasRoom: true, hasBytes: true)
  }

  /// Nobody reads the rest.
  func closeReading() {
    condition.lock()
    isReaderClosed = true
    bytes = []
    start = 0
    finishChange(hasRoom: true, hasBytes: true)
  }

  /// Ends both sides. Bytes that have arrived can still be read.
  func fail(_ error: any Error) {
    condition.lock()
    failure = failure ?? error
    finishChange(hasRoom: true, hasBytes: true)
  }

  /// Unlocks, and calls those who wait.
  private func finishChange(hasRoom: Bool, hasBytes: Bool) {
    var calls: [@Sendable () -> Void] = []
    if hasRoom {
      if let onWritable { calls.append(onWritable) }
      onWritable = nil
      if let observesWritable { calls.append(observesWritable) }
    }
    if hasBytes {
      if let onReadable { calls.append(onReadable) }
      onReadable = nil
      if let observesReadable { calls.append(observesReadable) }
    }
    if hasRoom || hasBytes { condition.broadcast() }
    condition.unlock()
    for call in calls { call() }
  }
}
#endif
