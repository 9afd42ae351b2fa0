/// A request that a connection carries, and what receives its response.
///
/// Only the holder of the loop's lock calls it. Its end is ``ended(_:)``, or ``lost(isReused:wasRefused:_:)``, after which
/// it may be carried again.
protocol Exchange: AnyObject {
  var request: TransferRequest { get }
  /// The path and query of the request's URL.
  var target: RequestTarget? { get }
  /// Its stream over HTTP/2, which the connection sets.
  var stream: Int32 { get set }
  /// The number of bytes of the request's body that the connection has taken.
  var sentBodyBytes: Int64 { get }
  /// Why the exchange stopped, if it knows.
  var noticedFailure: TransferFailure? { get }
  /// Whether the body is sent in chunks, as the head has it that arrived last.
  var isChunked: Bool { get }

  /// The exchange waits until a connection is ready.
  func waits(for connection: Connection)
  /// A connection that is ready is about to send the request.
  func isCarried(by connection: Connection)
  /// The head of the request was sent.
  func didSendHead(byteCount: Int)
  /// A body that is in memory was sent.
  func didSendShortBody()
  /// A connection that the exchange has waited for is not for it: it looks for another one.
  func isNotCarried()

  /// Whether the consumer pauses. If so, ``Connection/applyPauses(of:isSendPaused:)`` is called when it continues.
  func pausesConnection() -> Bool

  /// Takes a line of the response's head.
  func receiveHead(_ line: UnsafeRawBufferPointer) -> HeadCollector.Outcome
  func receive(informational head: TransferHead)
  /// Takes the final head. False ends the exchange.
  func deliver(_ head: TransferHead) -> Bool
  func receive(_ bytes: UnsafeRawBufferPointer) -> Reception
  /// The stream ended with END_STREAM.
  func sawEndOfStream()
  /// Whether it did, and nothing is wrong with the response.
  var hasEndOfStream: Bool { get }
  func readBody(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead

  /// Records why the exchange is about to stop.
  func fails(with failure: TransferFailure)
  /// The response is complete, but the consumer pauses: the exchange delivers these bytes later, and then ends.
  func keepsRest(_ bytes: [UInt8])

  /// The connection has nothing more for this exchange.
  func ended(_ failure: TransferFailure?)
  /// The connection was lost before the response was complete.
  ///
  /// - Parameters:
  ///   - isReused: Whether another request was sent over the connection before.
  ///   - wasRefused: Whether the server reported that it has not processed the request.
  func lost(isReused: Bool, wasRefused: Bool, _ failure: TransferFailure)
}

/// What becomes of received bytes.
enum Reception { case accepted, keep, stop }

extension TransferRequest {
  /// Whether no response to this request with this status has a body (RFC 9112, 6.3).
  func hasNoResponseBody(status: Int) -> Bool { method == "HEAD" || status == 204 || status == 304 }
}
