import COwnTransport
import Glibc
import HTTPSyntax

/// The HTTP/2 side of a connection: nghttp2 makes and understands frames, the connection moves them.
///
/// `@unchecked Sendable`: only the holder of its loop's lock uses it. nghttp2 keeps an unretained pointer to it, which
/// becomes invalid with the session that ``free()`` frees.
final class HTTP2Session: @unchecked Sendable {
  /// What a server may send of one response while its consumer pauses.
  static let windowBytes: Int32 = 1 << 20
  private static let connectionWindowBytes: Int32 = 16 << 20

  private unowned let connection: Connection
  private var session: OpaquePointer?
  private var transfers: [Int32: Transfer] = [:]
  /// The transfer whose header block arrives.
  private var current: Transfer?
  private var currentStream: Int32 = 0
  private var line: [UInt8] = []
  /// The streams that nghttp2 closed during the present call, with their error codes.
  private var ended: [(transfer: Transfer, code: UInt32)] = []
  private var stopped: [Transfer] = []
  /// The bytes of streams whose consumers pause.
  private var kept: [Int32: [UInt8]] = [:]
  /// Transfers whose stream ended while bytes were kept.
  private var endedEarly: [Int32: UInt32] = [:]
  private var isReceiving = false
  private(set) var isDraining = false

  init(_ connection: Connection) {
    self.connection = connection
    var option: OpaquePointer?
    nghttp2_option_new(&option)
    nghttp2_option_set_no_auto_window_update(option, 1)
    nghttp2_session_client_new2(
      &session, Self.callbacks, Unmanaged.passUnretained(self).toOpaque(), option)
    nghttp2_option_del(option)
    let settings = [
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0),
      nghttp2_settings_entry(
        settings_id: Int32(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), value: UInt32(Self.windowBytes)),
    ]
    nghttp2_submit_settings(session, 0, settings, settings.count)
    nghttp2_session_set_local_window_size(session, 0, 0, Self.connectionWindowBytes)
  }

  func free() {
    nghttp2_session_del(session)
    session = nil
  }

  var count: Int { transfers.count }
  var isEmpty: Bool { transfers.isEmpty }
  var hasRoom: Bool {
    guard !isDraining else { return false }
    let limit = nghttp2_session_get_remote_settings(session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
    return transfers.count < min(Int(limit), LoadScheduler.streamsPerConnection)
  }

  // MARK: Requests

  func submit(_ transfer: Transfer) {
    let request = transfer.request
    let server = connection.pool.destination.address
    var text: [UInt8] = []
    var places: [(name: Range<Int>, value: Range<Int>)] = []
    func add(_ name: some Sequence<UInt8>, _ value: some Sequence<UInt8>) {
      let start = text.count
      text.append(contentsOf: name)
      let middle = text.count
      text.append(contentsOf: value)
      places.append((start..<middle, middle..<text.count))
    }
    text.reserveCapacity(512)
    add(":method".utf8, request.method.utf8)
    add(":scheme".utf8, (server.isSecure ? "https" : "http").utf8)
    let fields = connection.pool.fields(of: request, userAgent: connection.core.options.userAgent)
    let host = fields.first { ASCII.equalIgnoringCase($0.name, "Host") }
    add(":authority".utf8, (host?.value ?? "").utf8)
    guard let target = RequestTarget(request.url) else {
      return transfer.fail(TransferFailure(.badURL, message: "The URL is not valid."))
    }
    var path: [UInt8] = []
    target.append(to: &path)
    add(":path".utf8, path)
    for field in fields where !Self.isForbidden(field.name) {
      add(ASCII.lowercased(field.name).utf8, field.value.utf8)
    }
    var provider: nghttp2_data_provider?
    switch request.body {
    case .none: break
    case .bytes(let bytes):
      add("content-length".utf8, String(bytes.count).utf8)
      provider = nghttp2_data_provider()
    case .source(let source):
      if let length = source.length { add("content-length".utf8, String(length).utf8) }
      provider = nghttp2_data_provider()
    }
    provider?.read_callback = Self.readsBody
    let stream = text.withUnsafeMutableBufferPointer { text -> Int32 in
      guard let base = text.baseAddress else { return -1 }
      return withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: places.count) { list in
        for (index, place) in places.enumerated() {
          list[index] = nghttp2_nv(
            name: base + place.name.lowerBound, value: base + place.value.lowerBound,
            namelen: place.name.count, valuelen: place.value.count,
            flags: UInt8(NGHTTP2_NV_FLAG_NONE.rawValue))
        }
        if var provider {
          return nghttp2_submit_request(session, nil, list.baseAddress, places.count, &provider, nil)
        }
        return nghttp2_submit_request(session, nil, list.baseAddress, places.count, nil, nil)
      }
    }
    guard stream > 0 else {
      return transfer.fail(TransferFailure(.other, message: "Could not start an HTTP/2 stream."))
    }
    transfer.stream = stream
    transfers[stream] = transfer
  }

  /// Fields of one connection have no meaning in HTTP/2.
  private static func isForbidden(_ name: String) -> Bool {
    ["host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade", "te", "expect"]
      .contains { ASCII.equalIgnoringCase(name, $0) }
  }

  /// Gives up a stream.
  func drop(_ transfer: Transfer) {
    guard transfers.removeValue(forKey: transfer.stream) != nil else { return }
    kept[transfer.stream] = nil
    endedEarly[transfer.stream] = nil
    nghttp2_submit_rst_stream(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), transfer.stream, NGHTTP2_CANCEL.rawValue)
  }

  func resumeSending() {
    for (stream, transfer) in transfers where transfer.machine.isRunning {
      nghttp2_session_resume_data(session, stream)
    }
    connection.core.flushLater(connection)
  }

  /// Sends the frames that nghttp2 has.
  func flush() {
    let core = connection.core
    while session != nil, !connection.hasUnsent {
      core.output.removeAll(keepingCapacity: true)
      while core.output.count < 64 << 10 {
        var bytes: UnsafePointer<UInt8>?
        let count = nghttp2_session_mem_send(session, &bytes)
        if count <= 0 { break }
        core.output.append(contentsOf: UnsafeBufferPointer(start: bytes, count: count))
      }
      if core.output.isEmpty { break }
      guard core.output.withUnsafeBytes({ connection.send($0) }) else { return lose() }
    }
    if isDraining, transfers.isEmpty { connection.close() }
  }

  // MARK: Responses

  func received(_ bytes: UnsafeRawBufferPointer) {
    isReceiving = true
    let count = nghttp2_session_mem_recv(session, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    isReceiving = false
    settle()
    if count < 0 { return lose(.brokenProtocol) }
    guard session != nil else { return }
    flush()
    guard session != nil else { return }
    // After a violation of the protocol, nghttp2 only sends the reason.
    if nghttp2_session_want_read(session) == 0 { return lose(.brokenProtocol) }
    connection.wantMore()
  }

  /// Reports what happened during a call of nghttp2.
  private func settle() {
    for transfer in stopped {
      drop(transfer)
      transfer.done(transfer.noticedFailure ?? .cancelled)
    }
    stopped.removeAll(keepingCapacity: true)
    for (transfer, code) in ended { finish(transfer, code) }
    ended.removeAll(keepingCapacity: true)
  }

  private func finish(_ transfer: Transfer, _ code: UInt32) {
    if connection.requestCount == 1, connection.tlsConnection != nil {
      connection.pool.keepSession(of: connection)
    }
    switch code {
    case 0: transfer.done(nil)
    case 7: transfer.lost(reused: true, wasRefused: true, .reset(code))
    case 13 where transfer.request.httpVersion == .automatic:
      connection.pool.destination.requiresHTTP11 = true
      connection.core.learn(isMultiplexed: false, connection.pool.destination)
      transfer.lost(reused: true, wasRefused: true, .reset(code))
    default: transfer.done(.reset(code))
    }
  }

  /// The consumer of a paused stream wants more.
  func resumeReceiving(_ transfer: Transfer) {
    let stream = transfer.stream
    guard let bytes = kept.removeValue(forKey: stream) else { return }
    switch bytes.withUnsafeBytes({ transfer.receive($0) }) {
    case .accepted: nghttp2_session_consume_stream(session, stream, bytes.count)
    case .keep: kept[stream] = bytes
    case .stop:
      drop(transfer)
      return transfer.done(transfer.noticedFailure ?? .cancelled)
    }
    if kept[stream] == nil, let code = endedEarly.removeValue(forKey: stream) {
      transfers[stream] = nil
      finish(transfer, code)
    }
    connection.core.flushLater(connection)
  }

  /// The connection is lost, or unusable for the given reason.
  func lose(_ failure: TransferFailure? = nil) {
    let transfers = transfers.values
    self.transfers = [:]
    let isReused = connection.requestCount > transfers.count
    connection.close()
    for transfer in transfers {
      if let failure {
        transfer.done(failure)
      } else {
        transfer.lost(reused: isReused, wasRefused: false, .cutOff)
      }
    }
  }

  // MARK: Called by nghttp2

  // Safe: nghttp2 copies the callbacks into each session, and nothing changes them later.
  nonisolated(unsafe) private static let callbacks: OpaquePointer? = {
    var callbacks: OpaquePointer?
    nghttp2_session_callbacks_new(&callbacks)
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, context in
      guard let frame else { return 0 }
      HTTP2Session.from(context).beginsHeaders(of: frame.pointee.hd.stream_id)
      return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, _, name, nameLength, value, valueLength, _, context in
      HTTP2Session.from(context).receives(
        name: UnsafeBufferPointer(start: name, count: nameLength),
        value: UnsafeBufferPointer(start: value, count: valueLength))
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, context in
      guard let frame else { return 0 }
      HTTP2Session.from(context).receives(frame.pointee)
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
      _, _, stream, bytes, count, context in
      HTTP2Session.from(context).receives(UnsafeRawBufferPointer(start: bytes, count: count), on: stream)
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, code, context in
      HTTP2Session.from(context).closes(stream, code)
      return 0
    }
    return callbacks
  }()

  private static func from(_ context: UnsafeMutableRawPointer?) -> HTTP2Session {
    Unmanaged<HTTP2Session>.fromOpaque(context!).takeUnretainedValue()
  }

  private func beginsHeaders(of stream: Int32) {
    current = transfers[stream]
    currentStream = stream
  }

  private static let temporalFailure = Int32(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue)

  private func receives(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) -> Int32 {
    guard let current else { return 0 }
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
    return take(current) ? 0 : Self.temporalFailure
  }

  /// Passes the line to the transfer. False resets the stream.
  private func take(_ transfer: Transfer) -> Bool {
    switch line.withUnsafeBytes({ transfer.receiveHeaderLine($0) }) {
    case .more: return true
    case .informational(let head):
      transfer.observer?.transferDidReceive(informational: head)
      return true
    case .complete(let head):
      if transfer.deliver(head, isHTTP2: true) { return true }
    case .failure(let failure): transfer.noticedFailure = failure
    }
    stopped.append(transfer)
    current = nil
    return true
  }

  private func receives(_ frame: nghttp2_frame) {
    let isHeaders = frame.hd.type == UInt8(NGHTTP2_HEADERS.rawValue)
    if isHeaders || frame.hd.type == UInt8(NGHTTP2_DATA.rawValue),
      frame.hd.flags & UInt8(NGHTTP2_FLAG_END_STREAM.rawValue) != 0
    {
      (isHeaders ? current : transfers[frame.hd.stream_id])?.sawEndOfStream()
    }
    if isHeaders, let current {
      line.removeAll(keepingCapacity: true)
      line.append(13)
      line.append(10)
      _ = take(current)
      self.current = nil
    } else if frame.hd.type == UInt8(NGHTTP2_GOAWAY.rawValue) {
      isDraining = true
    }
  }

  private func receives(_ bytes: UnsafeRawBufferPointer, on stream: Int32) {
    nghttp2_session_consume_connection(session, bytes.count)
    guard let transfer = transfers[stream] else { return }
    if kept[stream] != nil {
      kept[stream]?.append(contentsOf: bytes)
      return
    }
    switch transfer.receive(bytes) {
    case .accepted: nghttp2_session_consume_stream(session, stream, bytes.count)
    case .keep: kept[stream] = Array(bytes)
    case .stop: stopped.append(transfer)
    }
  }

  private func closes(_ stream: Int32, _ code: UInt32) {
    guard let transfer = transfers[stream] else { return }
    if kept[stream] != nil {
      endedEarly[stream] = code
      return
    }
    transfers[stream] = nil
    guard isReceiving else { return finish(transfer, code) }
    ended.append((transfer, code))
  }

  // Safe: a constant pointer to a function.
  nonisolated(unsafe) private static let readsBody: nghttp2_data_source_read_callback = {
    _, stream, buffer, length, flags, _, context in
    HTTP2Session.from(context).reads(
      stream, UnsafeMutableRawBufferPointer(start: buffer, count: length), flags)
  }

  private func reads(
    _ stream: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ flags: UnsafeMutablePointer<UInt32>?
  ) -> Int {
    let end = NGHTTP2_DATA_FLAG_EOF.rawValue
    guard let transfer = transfers[stream] else { return Int(Self.temporalFailure) }
    switch transfer.request.body {
    case .none:
      flags?.pointee |= end
      return 0
    case .bytes(let bytes):
      let sent = Int(transfer.sentBodyBytes)
      let count = min(buffer.count, bytes.count - sent)
      bytes.withUnsafeBytes {
        buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[sent..<(sent + count)]))
      }
      transfer.didSend(count)
      if sent + count == bytes.count { flags?.pointee |= end }
      return count
    case .source(let source):
      switch transfer.readBody(source, into: buffer) {
      case .bytes(let count):
        if let length = source.length, transfer.sentBodyBytes >= length { flags?.pointee |= end }
        return count
      case .end:
        flags?.pointee |= end
        return 0
      case .wait: return Int(NGHTTP2_ERR_DEFERRED.rawValue)
      case .failed: return Int(Self.temporalFailure)
      }
    }
  }
}

extension TransferFailure {
  static func reset(_ code: UInt32) -> TransferFailure {
    TransferFailure(
      code == 1 ? .badReply : .connectionLost,
      message: "The server reset the HTTP/2 stream with error \(code).")
  }
}
