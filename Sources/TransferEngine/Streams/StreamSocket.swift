import CLinux
import Glibc

/// A connected socket, with or without TLS. One thread uses it.
struct StreamSocket: ~Copyable {
  let descriptor: Int32
  private var tls: StreamTLS?
  private var isSendingOver = false

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
    let flags = fcntl(descriptor, F_GETFL)
    if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
  }

  deinit {
    if !isSendingOver { _ = tls?.endSending() }
    close(descriptor)
  }

  var isSecure: Bool { tls != nil }

  /// Starts or continues the TLS handshake.
  mutating func secure(_ settings: StreamTLSSettings, store: TrustStore?) -> StreamStep {
    do throws(TransferFailure) {
      let connection: StreamTLS
      if let tls {
        connection = tls
      } else {
        connection = try StreamTLS(settings, over: descriptor, store: store)
        tls = connection
      }
      return connection.handshake()
    } catch {
      return .failed(error)
    }
  }

  func receive(into buffer: UnsafeMutableRawBufferPointer) -> StreamStep {
    if let tls { return tls.receive(into: buffer) }
    while true {
      let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
      if count > 0 { return .done(count) }
      if count == 0 { return .end }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .waitsForInput
      default: return .failed(.streamConnectionLost(errno))
      }
    }
  }

  func send(_ bytes: UnsafeRawBufferPointer) -> StreamStep {
    if bytes.isEmpty { return .done(0) }
    if let tls { return tls.send(bytes) }
    while true {
      let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
      if count >= 0 { return .done(count) }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .waitsForOutput
      default: return .failed(.streamConnectionLost(errno))
      }
    }
  }

  /// Ends the write side. The server may continue to send.
  mutating func endSending() -> StreamStep {
    if let tls {
      let step = tls.endSending()
      if case .done = step { isSendingOver = true }
      return step
    }
    isSendingOver = true
    _ = shutdown(descriptor, Int32(SHUT_WR))
    return .done(0)
  }

  /// Ends the read side. TLS keeps it open, because it may need input to send.
  func endReceiving() {
    if tls == nil { _ = shutdown(descriptor, Int32(SHUT_RD)) }
  }

  /// Makes the end of the connection abrupt: nothing is announced.
  mutating func abandon() { isSendingOver = true }
}
