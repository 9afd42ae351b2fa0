/// Decides whether a body that the transport calls complete is complete. Pure.
///
/// An HTTP/1 body has its length, its last chunk or the end of its connection, and the transport judges the first two.
/// With TLS the end of a connection is announced; an end that is not may be an attacker's, who cut the connection. An
/// HTTP/2 body without a length ends with END_STREAM and with nothing else: libcurl also takes RST_STREAM with
/// NO_ERROR, and the end of a connection that broke the protocol, for its end.
enum EndingRule {
  /// What is known of a response when the transport reports success.
  struct Observation: Equatable, Sendable {
    var isHTTP2 = false
    /// Whether END_STREAM was seen; nil when frames are not observed.
    var sawEndOfStream: Bool?
    /// HTTP/2: the bytes of body that the server sent; nil when frames are not observed.
    var streamLength: Int64?
    /// The length that the head announced.
    var announcedLength: Int64?
    /// The body's bytes that arrived, before decoding.
    var receivedLength: Int64 = 0
    /// A response that has no body whatever its head says: to HEAD, or with status 204 or 304.
    var hasNoBody = false
    /// HTTP/1 over TLS, for a body that ends with its connection: whether the server announced that end; nil otherwise.
    var sawCloseNotify: Bool?
    /// The head is complete.
    var hasHead = true
  }

  enum Verdict: Equatable, Sendable {
    case complete
    case cutOff
  }

  static func verdict(_ observation: Observation) -> Verdict {
    guard observation.hasHead else { return .cutOff }
    if observation.hasNoBody { return .complete }
    guard observation.isHTTP2 else { return observation.sawCloseNotify == false ? .cutOff : .complete }
    // libcurl 7.88 may lose bytes of a body when streams share a connection.
    if let length = observation.streamLength, observation.receivedLength != length { return .cutOff }
    if let length = observation.announcedLength {
      return observation.receivedLength == length ? .complete : .cutOff
    }
    return observation.sawEndOfStream == false ? .cutOff : .complete
  }
}
