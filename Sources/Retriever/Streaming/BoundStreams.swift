#if !canImport(Darwin)
import Foundation
import Synchronization

extension Stream {
  /// Creates two streams that are connected by a buffer: what is written to the output stream can be read from the
  /// input stream.
  ///
  /// Foundation has this method on Apple's platforms only. A write waits while the buffer is full, and a read waits while
  /// it is empty, so the two streams need different threads, or a run loop and a delegate.
  ///
  ///     var input: InputStream?
  ///     var output: OutputStream?
  ///     Stream.getBoundStreams(withBufferSize: 64 << 10, inputStream: &input, outputStream: &output)
  ///
  /// - Parameters:
  ///   - bufferSize: the size of the buffer in bytes; at least 1 is used.
  ///   - inputStream: receives the input stream.
  ///   - outputStream: receives the output stream.
  public class func getBoundStreams(
    withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
    outputStream: UnsafeMutablePointer<OutputStream?>?
  ) {
    let pipe = StreamPipe(capacity: bufferSize)
    let (input, output) = (BoundInputStream(pipe), BoundOutputStream(pipe))
    inputStream?.pointee = input
    outputStream?.pointee = output
  }
}

/// Refers to a stream without keeping it.
///
/// `@unchecked Sendable`: Foundation's streams are not, but everything in these classes is immutable or protected by a
/// lock.
private struct StreamReference<Object: Stream>: @unchecked Sendable {
  weak var stream: Object?
  init(_ stream: Object) { self.stream = stream }
}

/// The reading end of a ``StreamPipe``.
final class BoundInputStream: InputStream {
  private let pipe: StreamPipe
  private let events = StreamEvents()
  private let state = Mutex(Stream.Status.notOpen)

  init(_ pipe: StreamPipe) {
    self.pipe = pipe
    super.init(data: Data())
    events.attach(to: self)
  }

  deinit { pipe.closeReading() }

  override func open() {
    let opens = state.withLock { status in
      guard status == .notOpen else { return false }
      status = .open
      return true
    }
    guard opens else { return }
    events.report(.openCompleted)
    let reference = StreamReference(self)
    pipe.observeReadable { reference.stream?.reportReadable() }
    reportReadable()
  }

  override func close() {
    state.withLock { $0 = .closed }
    pipe.observeReadable(nil)
    pipe.closeReading()
  }

  fileprivate func reportReadable() {
    guard state.withLock({ $0 == .open }), pipe.canRead else { return }
    if pipe.isAtEnd {
      events.report(.endEncountered)
    } else if pipe.error != nil, !hasBytes {
      events.report(.errorOccurred)
    } else {
      events.report(.hasBytesAvailable)
    }
  }

  private var hasBytes: Bool { pipe.room < pipe.capacity }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    guard state.withLock({ $0 == .open }) else { return -1 }
    guard len > 0 else { return 0 }
    let count = pipe.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: len), waits: true)
    if count > 0 { reportReadable() }
    return count
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override var hasBytesAvailable: Bool { state.withLock { $0 == .open } && hasBytes }

  override var streamStatus: Stream.Status {
    let status = state.withLock { $0 }
    guard status == .open else { return status }
    if pipe.isAtEnd { return .atEnd }
    return pipe.error != nil && !hasBytes ? .error : .open
  }

  override var streamError: (any Error)? { hasBytes ? nil : pipe.error }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    events.schedule(in: aRunLoop, mode)
    reportReadable()
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    events.remove(from: aRunLoop, mode)
  }
}

/// The writing end of a ``StreamPipe``.
final class BoundOutputStream: OutputStream {
  private let pipe: StreamPipe
  private let events: StreamEvents
  private let state: Mutex<Stream.Status>

  init(_ pipe: StreamPipe) {
    self.pipe = pipe
    events = StreamEvents()
    state = Mutex(.notOpen)
    super.init(toMemory: ())
    events.attach(to: self)
  }

  /// Creates a stream that nobody reads. Needed by Foundation's class only.
  required init(toMemory: ()) {
    pipe = StreamPipe(capacity: 1)
    events = StreamEvents()
    state = Mutex(.notOpen)
    super.init(toMemory: ())
  }

  deinit { pipe.closeWriting() }

  override func open() {
    let opens = state.withLock { status in
      guard status == .notOpen else { return false }
      status = .open
      return true
    }
    guard opens else { return }
    events.report(.openCompleted)
    let reference = StreamReference(self)
    pipe.observeWritable { reference.stream?.reportWritable() }
    reportWritable()
  }

  override func close() {
    state.withLock { $0 = .closed }
    pipe.observeWritable(nil)
    pipe.closeWriting()
  }

  fileprivate func reportWritable() {
    guard state.withLock({ $0 == .open }), pipe.canWrite else { return }
    if pipe.error != nil || pipe.isReaderGone {
      events.report(.errorOccurred)
    } else {
      events.report(.hasSpaceAvailable)
    }
  }

  override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
    guard state.withLock({ $0 == .open }) else { return -1 }
    guard len > 0 else { return 0 }
    let count = pipe.write(UnsafeRawBufferPointer(start: buffer, count: len), waits: true)
    if count > 0 { reportWritable() }
    return count
  }

  override var hasSpaceAvailable: Bool { state.withLock { $0 == .open } && pipe.room > 0 }

  override var streamStatus: Stream.Status {
    let status = state.withLock { $0 }
    return status == .open && (pipe.error != nil || pipe.isReaderGone) ? .error : status
  }

  override var streamError: (any Error)? {
    pipe.error
      ?? (pipe.isReaderGone ? URLError(.networkConnectionLost, message: "Nobody reads the stream.") : nil)
  }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }
  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool { false }

  override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    events.schedule(in: aRunLoop, mode)
    reportWritable()
  }

  override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {
    events.remove(from: aRunLoop, mode)
  }
}
#endif
