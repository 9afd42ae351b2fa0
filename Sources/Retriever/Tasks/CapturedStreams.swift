#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

/// The two streams of a connection. Bytes move between their buffers and the connection as there is room.
///
/// `@unchecked Sendable`: the streams are created here and used by the one delegate that receives them.
struct CapturedStreams: @unchecked Sendable {
  static let bufferSize = 64 << 10

  let input: InputStream
  let output: OutputStream

  init(_ connection: StreamConnection) {
    let (received, sent) = (StreamPipe(capacity: Self.bufferSize), StreamPipe(capacity: Self.bufferSize))
    input = BoundInputStream(received)
    output = BoundOutputStream(sent)
    StreamPump(connection, received: received, sent: sent).start()
  }
}

/// Moves bytes between a connection and the buffers of its two streams. It lives as long as one of its steps waits.
private final class StreamPump: Sendable {
  private let connection: StreamConnection
  private let received: StreamPipe
  private let sent: StreamPipe
  private let reading = Mutex<StreamConnection.Operation?>(nil)

  init(_ connection: StreamConnection, received: StreamPipe, sent: StreamPipe) {
    self.connection = connection
    self.received = received
    self.sent = sent
  }

  func start() {
    received.observeWritable { [self] in if received.isReaderGone { stopReceiving() } }
    receive()
    send()
  }

  /// The program has closed the input stream, perhaps while a read waits.
  private func stopReceiving() {
    received.observeWritable(nil)
    if let operation = reading.withLock({ $0 }) { connection.cancel(operation) }
    connection.closeReading()
  }

  /// Receives as many bytes as the program has room for.
  private func receive() {
    received.whenWritable { [self] in
      guard !received.isReaderGone else { return stopReceiving() }
      let operation = connection.read(minimum: 1, maximum: received.room, timeout: nil) { [self] result in
        switch result {
        case .success(let (bytes, atEnd)):
          _ = bytes.withUnsafeBytes { received.write($0, waits: false) }
          guard atEnd else { return receive() }
          received.observeWritable(nil)
          received.closeWriting()
          connection.closeReading()
        case .failure(let failure):
          received.observeWritable(nil)
          received.fail(URLError(failure, url: nil))
        }
      }
      reading.withLock { $0 = max($0 ?? 0, operation) }
      if received.isReaderGone { stopReceiving() }
    }
  }

  /// Sends what the program has written.
  private func send() {
    sent.whenReadable { [self] in
      let bytes = [UInt8](unsafeUninitializedCapacity: CapturedStreams.bufferSize) { buffer, count in
        count = max(0, sent.read(into: UnsafeMutableRawBufferPointer(buffer), waits: false))
      }
      guard !bytes.isEmpty else { return connection.closeWriting() }
      connection.write(bytes, timeout: nil) { [self] failure in
        if let failure { sent.fail(URLError(failure, url: nil)) } else { send() }
      }
    }
  }
}
#endif
