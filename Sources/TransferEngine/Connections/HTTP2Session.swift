import COwnTransport
import Glibc

/// The HTTP/2 side of a connection: nghttp2 makes and understands frames, the connection moves them.
///
/// `@unchecked Sendable`: only the holder of its loop's lock uses it. nghttp2 keeps an unretained pointer to it, which
/// becomes invalid with the session that ``free()`` frees.
final class HTTP2Session: @unchecked Sendable {
  /// The maximum number of streams at the same time; a server may allow fewer.
  static let maximumStreams = 100
  /// What a server may send of one response while its consumer pauses.
  private static let windowBytes: Int32 = 1 << 20
  /// The same for a few streams whose consumers have taken more than the first window without a pause.
  static let wideWindowBytes: Int32 = 8 << 20
  static let maximumWideStreams = 8
  private static let takenBytesOfWideStreams = 2 << 20
  private static let connectionWindowBytes: Int32 = 16 << 20
  private static let outputBytes = 64 << 10

  private unowned let connection: Connection
  private var session: UnsafeMutableRawPointer?
  private var exchanges: [Int32: any Exchange] = [:]
  /// The exchange whose header block arrives.
  private var current: (any Exchange)?
  private var line: [UInt8] = []
  /// What nghttp2 reported during the present call.
  private var ended: [(exchange: any Exchange, code: UInt32)] = []
  private var stopped: [any Exchange] = []
  /// The bytes of streams whose consumers pause.
  private var kept: [Int32: [UInt8]] = [:]
  /// Streams with a body that the server has refused, before it had all of it.
  private var refused: Set<Int32> = []
  /// Streams whose responses may be longer than the window that they begin with, and how much of them was taken.
  private var narrow: [Int32: Int] = [:]
  /// Streams whose window was made larger.
  private var wide: Set<Int32> = []
  /// The error codes of streams that ended while bytes were kept.
  private var endedEarly: [Int32: UInt32] = [:]
  /// Whether nghttp2 is at work, which must not be called again then.
  private var isInside = false
  /// Whether the server takes no further requests.
  private(set) var isDraining = false
  /// Whether it has just announced that.
  private var beginsDraining = false

  /// Nil if there is no memory.
  init?(_ connection: Connection) {
    self.connection = connection
    session = own_http2_make(
      Self.listener, Unmanaged.passUnretained(self).toOpaque(), Self.windowBytes, Self.connectionWindowBytes)
    if session == nil { return nil }
  }

  func free() {
    own_http2_free(session)
    session = nil
  }

  var count: Int { exchanges.count }
  var isEmpty: Bool { exchanges.isEmpty }
  var hasRoom: Bool {
    guard !isDraining, let session else { return false }
    return exchanges.count < min(Int(own_http2_maximum_streams(session)), Self.maximumStreams)
  }

  // MARK: Requests

  func submit(_ exchange: any Exchange) {
    do throws(TransferFailure) {
      let stream = try start(exchange.request, exchange)
      exchange.stream = stream
      exchanges[stream] = exchange
      if case .bytes = exchange.request.body { exchange.didSendShortBody() }
    } catch {
      if error == .noStreamLeft { return exchange.lost(isReused: true, wasRefused: true, error) }
      exchange.ended(error)
    }
  }

  private func start(_ request: TransferRequest, _ exchange: any Exchange) throws(TransferFailure) -> Int32 {
    guard let session, let target = exchange.target else {
      throw TransferFailure(.badURL, message: "The URL is not valid.")
    }
    let block = try HTTP2FieldBlock(
      request, target, connection.pool.server.address, userAgent: connection.pools.settings.userAgent)
    let stream = block.withFields {
      own_http2_request(session, $0.baseAddress, $0.count, request.body.isPresent)
    }
    guard stream > 0 else {
      if stream == own_http2_no_stream_left {
        isDraining = true
        throw .noStreamLeft
      }
      throw TransferFailure(.other, message: "Could not start an HTTP/2 stream.")
    }
    exchange.didSendHead(byteCount: block.byteCount)
    return stream
  }

  /// Gives up a stream. False if it has ended.
  func drop(_ exchange: any Exchange) -> Bool {
    let stream = exchange.stream
    guard exchanges[stream] === exchange else { return false }
    forget(stream)
    kept[stream] = nil
    if endedEarly.removeValue(forKey: stream) == nil, let session {
      own_http2_reset(session, stream, Self.cancel)
    }
    if current === exchange { current = nil }
    return true
  }

  private func forget(_ stream: Int32) {
    exchanges[stream] = nil
    sentBytes[stream] = nil
    refused.remove(stream)
    narrow[stream] = nil
    wide.remove(stream)
  }

  private static let cancel: UInt32 = 8

  func resumeSending(_ exchange: any Exchange) {
    guard let session, exchanges[exchange.stream] === exchange else { return }
    own_http2_resume_body(session, exchange.stream)
  }

  /// Sends the frames that nghttp2 has, but leaves the rest of long bodies for the next round.
  func flush() {
    let pools = connection.pools
    for _ in 0..<Self.piecesPerRound {
      guard let session, !connection.hasUnsent, !isInside else { return }
      pools.output.removeAll(keepingCapacity: true)
      isInside = true
      while pools.output.count < Self.outputBytes {
        var bytes: UnsafePointer<UInt8>?
        let count = own_http2_output(session, &bytes)
        if count <= 0 { break }
        pools.output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
      }
      isInside = false
      let isEmpty = pools.output.isEmpty
      let isSent = pools.output.withUnsafeBytes { connection.send($0) }
      // Streams may have ended while their frames were made. What follows may use the buffer, or close the connection.
      settle()
      if isEmpty { return }
      guard isSent else { return connection.cannotSend() }
    }
    pools.continueLater(connection)
  }

  private static let piecesPerRound = 16

  // MARK: Responses

  func received(_ bytes: UnsafeRawBufferPointer) {
    guard let session else { return }
    isInside = true
    let count = own_http2_input(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    isInside = false
    settle()
    if count < 0 { return lose(.brokenProtocol) }
    guard let session = self.session else { return }
    flush()
    guard self.session != nil else { return }
    // After a violation of the protocol, nghttp2 only sends the reason.
    if !own_http2_wants_input(session) { return lose(.brokenProtocol) }
    connection.flush()
  }

  /// Reports what happened during a call of nghttp2.
  private func settle() {
    let (stopped, ended, refused) = (stopped, ended, refused)
    self.stopped.removeAll(keepingCapacity: true)
    self.ended.removeAll(keepingCapacity: true)
    for exchange in stopped where drop(exchange) { exchange.ended(exchange.noticedFailure ?? .cancelled) }
    for (exchange, code) in ended { finish(exchange, code) }
    for stream in refused { endRefused(stream) }
    if beginsDraining { giveBackUnsent() }
  }

  /// Ends an exchange whose complete response refuses its body: the server may wait for no more of it.
  private func endRefused(_ stream: Int32) {
    guard let exchange = exchanges[stream], exchange.hasEndOfStream, let session else { return }
    if kept[stream] == nil {
      if drop(exchange) { exchange.ended(nil) }
    } else if endedEarly[stream] == nil {
      endedEarly[stream] = 0
      own_http2_reset(session, stream, Self.cancel)
    }
  }

  /// Gives up the requests that wait in nghttp2 until the server allows another stream, which it never will.
  private func giveBackUnsent() {
    beginsDraining = false
    for (stream, exchange) in exchanges.sorted(by: { $0.key < $1.key }) {
      guard let session, kept[stream] == nil, own_http2_is_unsent(session, stream) else { continue }
      if drop(exchange) { exchange.lost(isReused: true, wasRefused: true, .cutOff) }
    }
  }

  private func finish(_ exchange: any Exchange, _ code: UInt32) {
    if connection.requestCount == 1, let tls = connection.tls { connection.pool.keepSession(of: tls) }
    switch code {
    case 0: exchange.ended(nil)
    case 7: exchange.lost(isReused: true, wasRefused: true, .reset(code))
    case 13 where exchange.request.httpVersion == .automatic:
      connection.pool.server.refusedHTTP2()
      exchange.lost(isReused: true, wasRefused: true, .reset(code))
    // A server that needs no more of a body may reset the stream after its response (RFC 9113, 8.1).
    default: exchange.ended(exchange.hasEndOfStream ? nil : .reset(code))
    }
  }

  /// The consumer of a paused stream wants more.
  func resumeReceiving(_ exchange: any Exchange) {
    let stream = exchange.stream
    guard let session, exchanges[stream] === exchange, let bytes = kept.removeValue(forKey: stream) else {
      return
    }
    switch bytes.withUnsafeBytes({ exchange.receive($0) }) {
    case .accepted: own_http2_consume_stream(session, stream, bytes.count)
    case .keep: kept[stream] = bytes
    case .stop:
      if drop(exchange) { exchange.ended(exchange.noticedFailure ?? .cancelled) }
      return
    }
    if kept[stream] == nil, let code = endedEarly.removeValue(forKey: stream) {
      forget(stream)
      finish(exchange, code)
    }
  }

  /// The connection is lost, or unusable for the given reason.
  func lose(_ failure: TransferFailure? = nil) {
    let lost = exchanges
    exchanges = [:]
    let isReused = connection.requestCount > lost.count
    connection.close()
    for (stream, exchange) in lost.sorted(by: { $0.key < $1.key }) {
      if let bytes = kept[stream], exchange.hasEndOfStream || endedEarly[stream] == 0 {
        // The response is complete, but its consumer has not taken it yet.
        exchange.keepsRest(bytes)
      } else if exchange.hasEndOfStream, kept[stream] == nil {
        exchange.ended(nil)
      } else if let failure {
        exchange.ended(failure)
      } else {
        exchange.lost(isReused: isReused, wasRefused: false, .cutOff)
      }
    }
  }

  // MARK: Called by nghttp2

  // Safe: nothing changes it after it was made.
  nonisolated(unsafe) private static let listener: UnsafePointer<own_http2_listener> = {
    let listener = UnsafeMutablePointer<own_http2_listener>.allocate(capacity: 1)
    listener.initialize(
      to: own_http2_listener(
        begins_headers: { HTTP2Session.from($0).beginsHeaders(of: $1) },
        field: { context, _, name, nameLength, value, valueLength in
          HTTP2Session.from(context).receives(
            name: UnsafeBufferPointer(start: name, count: nameLength),
            value: UnsafeBufferPointer(start: value, count: valueLength))
        },
        frame: { HTTP2Session.from($0).receivesFrame(on: $1, type: $2, flags: $3) },
        data: { context, stream, bytes, count in
          HTTP2Session.from(context).receives(UnsafeRawBufferPointer(start: bytes, count: count), on: stream)
        },
        closed: { HTTP2Session.from($0).closes($1, $2) },
        body: { context, stream, bytes, count, isEnd in
          HTTP2Session.from(context).reads(
            stream, UnsafeMutableRawBufferPointer(start: bytes, count: count), isEnd)
        }))
    return UnsafePointer(listener)
  }()

  private static func from(_ context: UnsafeMutableRawPointer?) -> HTTP2Session {
    // nghttp2 passes the pointer that it was given.
    Unmanaged<HTTP2Session>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
  }

  private func beginsHeaders(of stream: Int32) { current = exchanges[stream] }

  private func receives(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    guard let current else { return }
    line.removeAll(keepingCapacity: true)
    if name.first == UInt8(ascii: ":") {
      line.append(contentsOf: "HTTP/2 ".utf8)
    } else {
      line.append(contentsOf: name)
      line.append(UInt8(ascii: ":"))
      line.append(UInt8(ascii: " "))
    }
    line.append(contentsOf: value)
    line.append(13)
    line.append(10)
    take(current)
  }

  /// Passes the line to the exchange.
  private func take(_ exchange: any Exchange) {
    var isWanted = true
    switch line.withUnsafeBytes({ exchange.receiveHead($0) }) {
    case .more: break
    case .informational(let head): exchange.receive(informational: head)
    case .complete(let head):
      if head.status >= 300, exchange.request.body.isPresent { refused.insert(exchange.stream) }
      if head.contentLength ?? .max > Int64(Self.windowBytes) { narrow[exchange.stream] = 0 }
      isWanted = exchange.deliver(head)
    case .failure(let failure):
      exchange.fails(with: failure)
      isWanted = false
    }
    guard !isWanted else { return }
    stopped.append(exchange)
    current = nil
  }

  private static let (data, headers, goAway): (UInt8, UInt8, UInt8) = (0, 1, 7)
  private static let endsStream: UInt8 = 1

  private func receivesFrame(on stream: Int32, type: UInt8, flags: UInt8) {
    if type == Self.headers || type == Self.data, flags & Self.endsStream != 0 {
      (type == Self.headers ? current : exchanges[stream])?.sawEndOfStream()
    }
    if type == Self.headers, let current {
      line.removeAll(keepingCapacity: true)
      line.append(13)
      line.append(10)
      take(current)
      self.current = nil
    } else if type == Self.goAway {
      isDraining = true
      beginsDraining = true
    }
  }

  private func receives(_ bytes: UnsafeRawBufferPointer, on stream: Int32) {
    guard let session else { return }
    own_http2_consume_connection(session, bytes.count)
    guard let exchange = exchanges[stream], !stopped.contains(where: { $0 === exchange }) else { return }
    if kept[stream] != nil {
      kept[stream]?.append(contentsOf: bytes)
      return
    }
    switch exchange.receive(bytes) {
    case .accepted:
      own_http2_consume_stream(session, stream, bytes.count)
      if let taken = narrow[stream] { widen(stream, after: taken + bytes.count, session) }
    case .keep: kept[stream] = Array(bytes)
    case .stop: stopped.append(exchange)
    }
  }

  /// Allows the server to send more of a long response ahead, as long as only a few have that.
  private func widen(_ stream: Int32, after taken: Int, _ session: UnsafeMutableRawPointer) {
    narrow[stream] = taken
    guard taken > Self.takenBytesOfWideStreams, wide.count < Self.maximumWideStreams else { return }
    narrow[stream] = nil
    wide.insert(stream)
    own_http2_widen(session, stream, Self.wideWindowBytes)
  }

  private func closes(_ stream: Int32, _ code: UInt32) {
    guard let exchange = exchanges[stream] else { return }
    if kept[stream] != nil {
      if endedEarly[stream] == nil { endedEarly[stream] = code }
      return
    }
    // Those that were stopped end with their own reason.
    guard !stopped.contains(where: { $0 === exchange }) else { return }
    forget(stream)
    guard isInside else { return finish(exchange, code) }
    ended.append((exchange, code))
  }

  private func reads(
    _ stream: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ isEnd: UnsafeMutablePointer<Bool>?
  ) -> Int {
    guard let exchange = exchanges[stream] else { return Int(own_http2_body_failed) }
    switch exchange.request.body {
    case .none:
      isEnd?.pointee = true
      return 0
    case .bytes(let bytes): return reads(bytes, of: stream, buffer, isEnd)
    case .source(let source):
      switch exchange.readBody(into: buffer) {
      case .bytes(let count):
        if let length = source.length, exchange.sentBodyBytes >= length { isEnd?.pointee = true }
        return count
      case .end:
        isEnd?.pointee = true
        return 0
      case .wait: return Int(own_http2_body_waits)
      case .failed: return Int(own_http2_body_failed)
      }
    }
  }

  /// The number of bytes that were sent of bodies that are in memory.
  private var sentBytes: [Int32: Int] = [:]

  private func reads(
    _ bytes: [UInt8], of stream: Int32, _ buffer: UnsafeMutableRawBufferPointer,
    _ isEnd: UnsafeMutablePointer<Bool>?
  ) -> Int {
    let sent = sentBytes[stream] ?? 0
    let count = min(buffer.count, bytes.count - sent)
    bytes.withUnsafeBytes {
      buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<(sent + count)]))
    }
    if sent + count == bytes.count {
      isEnd?.pointee = true
      sentBytes[stream] = nil
    } else {
      sentBytes[stream] = sent + count
    }
    return count
  }
}

extension TransferFailure {
  /// All numbers of streams of a connection are used up.
  fileprivate static let noStreamLeft = TransferFailure(
    .connectionLost, message: "The connection to the server cannot carry more requests. Try again.")

  static func reset(_ code: UInt32) -> TransferFailure {
    TransferFailure(
      code == 1 ? .badReply : .connectionLost,
      message: "The connection to the server was lost: it reset the HTTP/2 stream with error \(code). "
        + "Try again later.")
  }
}
