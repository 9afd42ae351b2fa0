/// Decides whether a body that the transport reports as complete is complete. It has no side effects.
///
/// An HTTP/1 body ends with its length, its last chunk, or the end of its connection; the transport checks the chunks. With TLS, the server announces the end of a connection. If it does not, an attacker may have cut the
/// connection. An HTTP/2 body without a length ends with END_STREAM and nothing else. libcurl also accepts RST_STREAM
/// with NO_ERROR, and the end of a connection after a protocol violation.
enum EndingRule {
  /// What is known about a response when the transport reports success.
  struct Observation: Equatable, Sendable {
    var isHTTP2 = false
    /// Whether END_STREAM was seen; nil when frames are not observed.
    var sawEndOfStream: Bool?
    /// HTTP/2: the number of body bytes that the server sent; nil if frames are not observed.
    var streamLength: Int64?
    /// The length announced in the head.
    var announcedLength: Int64?
    /// The number of body bytes received, before decoding.
    var receivedLength: Int64 = 0
    /// Whether the body is sent in chunks. An announced length then has no meaning.
    var isChunked = false
    /// Whether the response cannot have a body: to HEAD, or with status 204 or 304.
    var hasNoBody = false
    /// For a body over TLS and HTTP/1 that ends with its connection: whether the server announced the end; otherwise
    /// nil.
    var sawCloseNotify: Bool?
    /// Whether the head is complete.
    var hasHead = true
  }

  enum Verdict: Equatable, Sendable {
    case complete
    case cutOff
  }

  static func verdict(_ observation: Observation) -> Verdict {
    guard observation.hasHead else { return .cutOff }
    if observation.hasNoBody { return .complete }
    guard observation.isHTTP2 else {
      if let length = observation.announcedLength, !observation.isChunked,
        observation.receivedLength != length
      {
        return .cutOff
      }
      return observation.sawCloseNotify == false ? .cutOff : .complete
    }
    // libcurl 7.88 may lose bytes of a body when streams share a connection.
    if let length = observation.streamLength, observation.receivedLength != length { return .cutOff }
    if let length = observation.announcedLength {
      return observation.receivedLength == length ? .complete : .cutOff
    }
    return observation.sawEndOfStream == false ? .cutOff : .complete
  }
}
