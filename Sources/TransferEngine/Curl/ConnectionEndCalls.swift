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

  /// Whether the end of a connection was announced.
  private final class EndNote: Sendable {
    let wasAnnounced = Atomic<Bool>(false)
  }

  /// The notes of the connections that are watched, by their addresses. There are few at any time.
  private static let watched = Mutex<[UInt: EndNote]>([:])

  static func noteEnd(_ connection: UInt) {
    watched.withLock { $0[connection] }?.wasAnnounced.store(true, ordering: .releasing)
  }

  /// A connection whose end is watched. Its address only identifies it and is never dereferenced: libcurl frees a
  /// connection before it reports the end of the transfer on it. A new connection may then have the same address.
  final class WatchedConnection: Sendable {
    private let address: UInt
    private let note = EndNote()

    init?(_ connection: Pointer) {
      guard OpenSSL.setInfo != nil else { return nil }
      let address = UInt(bitPattern: connection)
      self.address = address
      watched.withLock { $0[address] = note }
    }

    deinit {
      watched.withLock { if $0[address] === note { $0[address] = nil } }
    }

    /// Whether the server announced that it would send no more.
    var sawCloseNotify: Bool { note.wasAnnounced.load(ordering: .acquiring) }
  }
}
