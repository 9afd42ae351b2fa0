import Synchronization

// Every call into OpenSSL that reports how a server ends its connections.

extension OpenSSL {
  typealias InfoCallback = @convention(c) (Pointer?, Int32, Int32) -> Void

  private static let setInfo = find(
    "SSL_CTX_set_info_callback", as: (@convention(c) (Pointer?, InfoCallback?) -> Void).self)

  /// Makes the connections of a context (`SSL_CTX *`) report when their servers end them.
  static func watchEnds(of context: Pointer) {
    setInfo?(context) { connection, place, alert in
      // SSL_CB_READ_ALERT; the alert description of close_notify is 0.
      guard place == 0x4004 else { return }
      guard alert & 0xff == 0 else { return OpenSSL.noteAlert(UInt8(alert & 0xff), on: connection) }
      OpenSSL.noteEnd(UInt(bitPattern: connection))
    }
  }

  /// The addresses of the connections that are watched, and whether their end was announced. There are few at any time.
  private static let watched = Mutex<[UInt: Bool]>([:])

  private static func noteEnd(_ connection: UInt) {
    watched.withLock { if $0[connection] != nil { $0[connection] = true } }
  }

  /// A connection whose end is watched. Its address only identifies it and is never dereferenced: libcurl frees a
  /// connection before it reports the end of the transfer on it.
  final class WatchedConnection: Sendable {
    private let address: UInt

    init?(_ connection: Pointer) {
      guard OpenSSL.setInfo != nil else { return nil }
      let address = UInt(bitPattern: connection)
      self.address = address
      watched.withLock { $0[address] = false }
    }

    deinit {
      let address = address
      watched.withLock { $0[address] = nil }
    }

    /// Whether the server announced that it would send no more.
    var sawCloseNotify: Bool {
      let address = address
      return watched.withLock { $0[address] ?? true }
    }
  }
}
