/// One exchange with a server, as the engine needs to know it: no policy, nothing to decide.
package struct TransferRequest: Sendable {
  package var url: String
  package var method: String = "GET"
  package var headers: [TransferHeader] = []
  package var body: TransferBody = .none
  /// The encodings to ask for; nil asks for every one that can be decoded. "" asks for none and decodes none.
  package var acceptedEncodings: String?
  package var httpVersion = HTTPVersionPreference.automatic
  /// How urgent the transfer is while it waits for its turn: from 0 to 1.
  package var priority: Float = 0.5
  /// How long nothing may arrive or leave before the transfer fails, counted from the moment it has its turn. Zero or
  /// less: immediately. Nil: never.
  package var idleTimeout: Duration?
  /// When the transfer fails whatever happens.
  package var deadline: TransferDeadline?
  package var connectTimeout: Duration?
  package var limits = TransferLimits()
  /// Long bodies get a larger receive buffer: fewer calls, at the price of memory.
  package var expectsLongBody = false
  /// Whether the timings and addresses of the transfer are read when it ends.
  package var collectsTimings = false

  package init(url: String) { self.url = url }
}

/// A moment on the engine's clock.
package struct TransferDeadline: Sendable, Hashable {
  let moment: Monotonic

  package init(after duration: Duration) { moment = Monotonic.now() + duration }
}

package struct TransferHeader: Sendable, Hashable {
  package var name: String
  package var value: String
  /// Leaves out a field that libcurl would add by itself, instead of sending one without a value.
  var isRemoval = false

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

package enum HTTPVersionPreference: Sendable, Hashable {
  /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
  case automatic
  case http11
  /// HTTP/2 from the first byte, without an upgrade: for cleartext peers known to speak it.
  case http2PriorKnowledge
}

/// What a peer may make the engine hold or do before the transfer is ended.
package struct TransferLimits: Sendable, Hashable {
  /// All header lines of one response together.
  package var headerBytes = 2 << 20
  package var informationalResponses = 64
  /// The body as the consumer sees it, after decoding.
  package var bodyBytes: Int64?

  package init() {}
}

package enum TransferBody: Sendable {
  case none
  /// Short bodies: libcurl sends them with the head in one write.
  case bytes([UInt8])
  case source(any TransferBodySource)

  package static let longestBytes = 64 << 10

  var isThere: Bool {
    if case .none = self { false } else { true }
  }
}

/// A body that is read piece by piece, within the loop's turn.
package protocol TransferBodySource: AnyObject, Sendable {
  /// The whole length where it is known; nil sends the body in chunks.
  var length: Int64? { get }

  /// Called once, before the first read, with what to call when a source that answered `.wait` has more.
  func start(moreAvailable: @escaping @Sendable () -> Void)

  /// Fills the buffer as far as it can without waiting.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead

  /// Goes back to the first byte; false when that is impossible.
  func rewind() -> Bool
}

package enum TransferBodyRead: Sendable, Equatable {
  case bytes(Int)
  /// Nothing yet: the transfer stops sending until the source says it has more.
  case wait
  case end
  /// The body cannot be had; the transfer ends.
  case failed
}
