import CCurl
import CHTTP2Tap
import CTransferMemory

/// One curl easy handle, used for one transfer after another.
///
/// Setting a handle up costs a good part of a short transfer's own work, so after a transfer that went straight through
/// its options stay, and only what differs is set. After any other one it is reset: libcurl counts a handle's retries
/// until then, and fails loads for nothing when there were five in the handle's life. libcurl holds an unretained pointer
/// to this object as long as the handle lives; the core that owns it frees the handle explicitly.
///
/// `@unchecked Sendable`: touched by the holder of its loop's turn only.
final class EasyHandle: @unchecked Sendable {
  private(set) var easy: UnsafeMutableRawPointer
  unowned let core: ClientCore
  var transfer: Transfer?

  /// Whether the HTTP/2 stream of the last attempt ended with END_STREAM, as far as streams are observed.
  var sawEndOfStream = false
  /// The bytes of body that came over that stream.
  var streamBytes: Int64 = 0
  /// The error code with which that stream was closed.
  var streamErrorCode: UInt32?
  /// What of that stream libcurl has no room for.
  var backlog = StreamBacklog(room: nil)
  /// The stream that the backlog is of.
  private var keptStream: retriever_http2_stream?
  /// The server may send no more of it for now.
  private(set) var isWindowShut = false

  private var shape: Shape?
  private var preparedFor: Destination?
  /// The request's fields that `headerList` was made from; nil when libcurl has no list yet.
  private var headers: [TransferHeader]?
  private var headerList: HeaderListOwner?
  private var resolveList: HeaderListOwner?
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// Before 8.0, libcurl puts an HTTP/2 response's head and its body into the same buffer. The head has 128 KiB at most
  /// (DYN_H2_HEADERS), so that many bytes of the body always fit beside it.
  private static let streamBytes = retriever_stream_receive_bytes / 2

  /// What of a request decides which options and fields of libcurl's a handle needs, beside URL, header fields and the
  /// body's bytes.
  private struct Shape: Equatable {
    enum Body: Equatable {
      case none, bytes
      case stream(length: Int64?)
    }
    enum Version: Equatable {
      case http11, http2PriorKnowledge
      /// By ALPN. Those who come while a connection is being made may wait for it, to share it.
      case negotiated(waits: Bool)
    }
    var method: String
    var body: Body
    var acceptedEncodings: String?
    var version: Version
    var connectTimeout: Duration?
    var expectsLongBody: Bool
  }

  private final class HeaderListOwner {
    let list: HeaderList
    init(_ headers: [TransferHeader]) throws(TransferFailure) { list = try HeaderList(headers) }
    init(lines: [String]) throws(TransferFailure) { list = try HeaderList(lines: lines) }
  }

  init(core: ClientCore) throws(CurlError) {
    self.core = core
    self.easy = try Curl.makeEasy()
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  func free() {
    Curl.free(easy: easy)
    headerList = nil
    resolveList = nil
    errorText.deallocate()
  }

  /// A transfer that is ended takes its connection along, unless others share it: over HTTP/2 libcurl would tell the
  /// server only when it next has something to send.
  func closesConnection() {
    try? Curl.set(easy, CURLOPT_FORBID_REUSE, 1)
    shape = nil
  }

  /// The transfer did not go straight through: nothing of it may show in the next one.
  func needsReset() { shape = nil }

  /// libcurl's own sentence about the last failure; empty when it left none.
  var failureText: String { String(cString: errorText) }

  /// An attempt to send the request begins.
  func forgetStream() {
    sawEndOfStream = false
    streamBytes = 0
    streamErrorCode = nil
    backlog = StreamBacklog(room: Curl.losesStreamBytes ? Self.streamBytes : nil)
    keptStream = nil
    isWindowShut = false
  }

  /// Bytes of this stream wait until libcurl has room for them. libcurl would let the server go on sending.
  func keeps(_ stream: retriever_http2_stream) {
    keptStream = stream
    guard !isWindowShut else { return }
    isWindowShut = true
    retriever_http2_shut_window(stream)
  }

  /// Nothing is kept any more: libcurl opens the window again when the next pause ends.
  func letsWindowOpen() { isWindowShut = false }

  /// Gives libcurl what it has room for by now; false when that is nothing.
  func giveKept() -> Bool {
    guard let stream = keptStream else { return false }
    return backlog.give(
      bytes: { retriever_http2_give(stream, easy, $0.baseAddress, $0.count) },
      end: { retriever_http2_close(stream, easy, $0) })
  }

  /// Whether the stream was closed by the server; STREAM_CLOSED is what libcurl says when it gives a stream up.
  var serverClosedStream: Bool { streamErrorCode.map { $0 != 5 } ?? false }

  /// REFUSED_STREAM, which nghttp2 also makes of a GOAWAY that excludes the stream, and HTTP_1_1_REQUIRED: the server
  /// has not processed the request (RFC 9113, 7 and 8.7).
  var streamWasRefused: Bool { streamErrorCode == 7 || streamErrorCode == 13 }

  // MARK: Setting up

  /// Sets up all that a transfer needs.
  ///
  /// - Parameter fresh: whether no connection that is open already may be used.
  func prepare(for transfer: Transfer, at destination: Destination, fresh: Bool) throws(TransferFailure) {
    self.transfer = transfer
    errorText.pointee = 0
    forgetStream()
    let request = transfer.request
    let wanted = Shape(
      method: request.method, body: Self.body(of: request.body), acceptedEncodings: request.acceptedEncodings,
      version: Self.version(for: request, destination),
      connectTimeout: request.connectTimeout, expectsLongBody: request.expectsLongBody)
    do {
      if shape != wanted || preparedFor !== destination {
        shape = nil
        preparedFor = destination
        try reset(receiveBytes: Self.receiveBytes(wanted))
        headers = nil
        headerList = nil
        resolveList = nil
        try applyClientOptions()
        try apply(destination, wanted.version)
        try apply(wanted)
        shape = wanted
      }
      if fresh {
        shape = nil
        try Curl.set(easy, CURLOPT_FRESH_CONNECT, 1)
      }
      try Curl.set(easy, CURLOPT_URL, request.url)
      if case .bytes(let bytes) = request.body { try Curl.set(easy, copiedBody: bytes) }
    } catch {
      throw TransferFailure(
        error.code == CURLE_OUT_OF_MEMORY.rawValue ? .outOfMemory : .other, curl: error.code,
        message: "The transfer could not be set up: \(error.message).")
    }
    try applyFields(of: request)
    try applyAddresses(of: destination)
  }

  private static func body(of body: TransferBody) -> Shape.Body {
    switch body {
    case .none: .none
    case .bytes: .bytes
    case .source(let source): .stream(length: source.length)
    }
  }

  /// Without TLS there is nothing to negotiate with, and so nothing to wait for.
  private static func version(for request: TransferRequest, _ destination: Destination) -> Shape.Version {
    switch request.httpVersion {
    case .automatic:
      Curl.hasHTTP2 && destination.address.isSecure
        ? .negotiated(waits: destination.isMultiplexed != false) : .http11
    case .http11: .http11
    case .http2PriorKnowledge: .http2PriorKnowledge
    }
  }

  /// The header fields as asked, the codings that can be decoded, and nothing that libcurl adds to a body unasked.
  private static func fields(of request: TransferRequest) -> [TransferHeader] {
    var fields = request.headers
    // libcurl is not told to decode, so it does not ask either.
    let encodings = request.acceptedEncodings ?? ContentCoding.everyName
    if !encodings.isEmpty { fields.append(TransferHeader("Accept-Encoding", encodings)) }
    guard case .none = request.body else {
      // A server that ignores “Expect: 100-continue” would cost a second.
      fields.append(.removal(of: "Expect"))
      if !fields.contains(where: { $0.name.lowercased() == "content-type" }) {
        fields.append(.removal(of: "Content-Type"))
      }
      return fields
    }
    return fields
  }

  /// The fields follow from the request's own and the handle's shape: with these unchanged, libcurl's list is too.
  private func applyFields(of request: TransferRequest) throws(TransferFailure) {
    guard request.headers != headers else { return }
    let fields = Self.fields(of: request)
    let owner = fields.isEmpty ? nil : try HeaderListOwner(fields)
    do {
      try Curl.set(easy, CURLOPT_HTTPHEADER, list: owner?.list.first)
    } catch {
      throw TransferFailure(.other, curl: error.code, message: "The header fields could not be set.")
    }
    headers = request.headers
    headerList = owner
  }

  /// The addresses that were looked up: libcurl finds them in its cache and asks nobody.
  private func applyAddresses(of destination: Destination) throws(TransferFailure) {
    let lines = core.scheduler.resolveLines(for: destination)
    guard !lines.isEmpty else { return }
    let owner = try HeaderListOwner(lines: lines)
    // libcurl keeps the pointer.
    shape = nil
    do {
      try Curl.set(easy, CURLOPT_RESOLVE, list: owner.list.first)
    } catch {
      throw TransferFailure(.other, curl: error.code, message: "The server's addresses could not be set.")
    }
    resolveList = owner
  }

  private static func receiveBytes(_ shape: Shape) -> Int {
    if Curl.losesStreamBytes, shape.version != .http11 { return retriever_stream_receive_bytes }
    return shape.expectsLongBody ? 100 << 10 : retriever_receive_bytes
  }

  /// Nothing of the transfers before is left behind. libcurl refuses another size of its buffer as long as it has one: when
  /// other streams still used the last transfer's connection, it kept the buffer, and with it what was paused of that
  /// transfer's body. Such a handle is replaced.
  private func reset(receiveBytes: Int) throws(CurlError) {
    Curl.reset(easy)
    if (try? Curl.set(easy, CURLOPT_BUFFERSIZE, receiveBytes)) != nil { return }
    let fresh = try Curl.makeEasy()
    Curl.free(easy: easy)
    easy = fresh
    try Curl.set(easy, CURLOPT_BUFFERSIZE, receiveBytes)
  }

  private func apply(_ shape: Shape) throws(CurlError) {
    switch shape.body {
    case .none where shape.method == "GET": break
    case .none where shape.method == "HEAD":
      try Curl.set(easy, CURLOPT_NOBODY, 1)
    case .none:
      try Curl.set(easy, CURLOPT_CUSTOMREQUEST, shape.method)
    case .bytes:
      try Curl.set(easy, CURLOPT_POST, 1)
      if shape.method != "POST" { try Curl.set(easy, CURLOPT_CUSTOMREQUEST, shape.method) }
    case .stream(let length):
      try Curl.set(easy, CURLOPT_UPLOAD, 1)
      try Curl.set(easy, CURLOPT_INFILESIZE_LARGE, offset: length ?? -1)
      if shape.method != "PUT" { try Curl.set(easy, CURLOPT_CUSTOMREQUEST, shape.method) }
    }
    if let timeout = shape.connectTimeout {
      try Curl.set(easy, CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, timeout.wholeNanoseconds / 1_000_000)))
    }
  }

  private func apply(_ destination: Destination, _ version: Shape.Version) throws(CurlError) {
    let number =
      switch version {
      case .negotiated: CURL_HTTP_VERSION_2TLS
      case .http11: CURL_HTTP_VERSION_1_1
      case .http2PriorKnowledge: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
      }
    try Curl.set(easy, CURLOPT_HTTP_VERSION, Int(number))
    if version != .http11, version != .negotiated(waits: false) { try Curl.set(easy, CURLOPT_PIPEWAIT, 1) }
    // The environment is read by us: an empty text keeps libcurl from reading it as well.
    try Curl.set(easy, CURLOPT_PROXY, destination.proxy?.text ?? "")
    if destination.proxy != nil {
      // What a proxy says while a tunnel is made is no part of the server's response.
      try Curl.set(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
      try Curl.set(easy, CURLOPT_NOPROXY, "")
    }
    if destination.usesTLS { try applyTLS(core.options) }
  }

  /// What holds for every transfer of the client.
  private func applyClientOptions() throws(CurlError) {
    let options = core.options
    let context = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    try Curl.set(easy, CURLOPT_PRIVATE, pointer: context)
    try Curl.set(easy, CURLOPT_WRITEDATA, pointer: context)
    try Curl.set(easy, CURLOPT_HEADERDATA, pointer: context)
    try Curl.set(easy, CURLOPT_READDATA, pointer: context)
    try Curl.set(easy, CURLOPT_WRITEFUNCTION, function: Self.receivedBytes)
    try Curl.set(easy, CURLOPT_HEADERFUNCTION, function: Self.receivedHeaderLine)
    try Curl.set(easy, CURLOPT_READFUNCTION, function: Self.readsBody)
    try Curl.setSeekFunction(easy, Self.seeksBody, context: context)
    try Curl.setPrerequisiteFunction(easy, Self.requestBegins, context: context)
    try Curl.setSocketFunctions(
      easy, open: Self.opensSocket, close: Self.closesSocket,
      // A connection outlives the handle that made it: closing is told to the core.
      context: UnsafeRawPointer(Unmanaged.passUnretained(core).toOpaque()))
    try Curl.set(easy, CURLOPT_OPENSOCKETDATA, pointer: context)
    try Curl.set(easy, CURLOPT_ERRORBUFFER, pointer: UnsafeRawPointer(errorText))
    try Curl.set(easy, CURLOPT_NOSIGNAL, 1)
    try Curl.set(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    try Curl.set(easy, CURLOPT_USERAGENT, options.userAgent.isEmpty ? nil : options.userAgent)
    if let path = options.unixSocketPath { try Curl.set(easy, CURLOPT_UNIX_SOCKET_PATH, path) }
    // What is in libcurl's cache stays until we replace it.
    try Curl.set(easy, CURLOPT_DNS_CACHE_TIMEOUT, -1)
    if let share = core.tlsSessions { try Curl.set(easy, share: share) }
  }

  private func applyTLS(_ options: TransferClientOptions) throws(CurlError) {
    let lowest = [
      CURL_SSLVERSION_TLSv1_0, CURL_SSLVERSION_TLSv1_1, CURL_SSLVERSION_TLSv1_2, CURL_SSLVERSION_TLSv1_3,
    ][options.minimumTLS.rawValue]
    let highest = [
      CURL_SSLVERSION_MAX_TLSv1_0, CURL_SSLVERSION_MAX_TLSv1_1, CURL_SSLVERSION_MAX_TLSv1_2,
      CURL_SSLVERSION_MAX_TLSv1_3,
    ][options.maximumTLS.rawValue]
    try Curl.set(easy, CURLOPT_SSLVERSION, Int(lowest | highest))
    if case .anything = options.trust {
      try Curl.set(easy, CURLOPT_SSL_VERIFYPEER, 0)
      try Curl.set(easy, CURLOPT_SSL_VERIFYHOST, 0)
    } else if core.trust.store != nil {
      // Parsed once for all: libcurl is to read none.
      try Curl.set(easy, CURLOPT_CAINFO, nil)
      try Curl.set(easy, CURLOPT_CAPATH, nil)
      try Curl.set(easy, CURLOPT_PROXY_CAINFO, nil)
      try Curl.set(easy, CURLOPT_PROXY_CAPATH, nil)
      try Curl.setTLSContextFunction(
        easy, Self.connectionBegins, context: UnsafeRawPointer(Unmanaged.passUnretained(core).toOpaque()))
    } else {
      try applyLibcurlsTrust(options.trust)
    }
  }

  /// For a libcurl that stands on another TLS library than OpenSSL.
  private func applyLibcurlsTrust(_ trust: TransferClientOptions.Trust) throws(CurlError) {
    switch trust {
    case .system, .anything: break
    // Without a word about it, libcurl would go on to look certificates up in the system's directory.
    case .file(let path):
      try Curl.set(easy, CURLOPT_CAINFO, path)
      try Curl.set(easy, CURLOPT_CAPATH, nil)
    case .pem(let bytes):
      try Curl.set(easy, CURLOPT_CAINFO, nil)
      try Curl.set(easy, CURLOPT_CAPATH, nil)
      try Curl.set(easy, CURLOPT_CAINFO_BLOB, blob: bytes)
    }
  }
}
