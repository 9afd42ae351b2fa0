import CCurl
import CHTTP2Tap
import CTransferMemory

/// A curl easy handle, which is reused for one transfer after another.
///
/// Setting up a handle is a large part of the work of a short transfer. After a transfer without complications, the
/// handle therefore keeps its options, and only differences are set. After any other transfer it is reset. libcurl
/// counts the retries of a handle until it is reset, and fails further loads for no reason after five retries. libcurl
/// holds an unretained pointer to this object as long as the handle lives. The core that owns the object frees the
/// handle explicitly.
///
/// `@unchecked Sendable`: only the holder of its loop's lock uses it.
final class EasyHandle: @unchecked Sendable {
  private(set) var easy: UnsafeMutableRawPointer
  unowned let core: ClientCore
  var transfer: Transfer?

  /// HTTP/2: whether any HEADERS frame of a response has arrived.
  var sawResponse = false
  /// Whether the HTTP/2 stream of the last attempt ended with END_STREAM, if streams are observed.
  var sawEndOfStream = false
  /// The number of body bytes received on that stream.
  var streamBytes: Int64 = 0
  /// The error code that closed that stream.
  var streamErrorCode: UInt32?
  /// The data of that stream that libcurl has no room for.
  var backlog = StreamBacklog(room: nil)
  /// The stream that the backlog belongs to.
  private var keptStream: retriever_http2_stream?
  /// Whether the stream's window is closed, so that the server may not send more for now.
  private(set) var isWindowShut = false

  private var optionSignature: OptionSignature?
  private var preparedFor: Destination?
  /// The request's fields that `headerList` was made from; nil if libcurl has no list yet.
  private var headers: [TransferHeader]?
  private var headerList: HeaderListOwner?
  /// The same for the fields for a proxy.
  private var proxyHeaders: [TransferHeader] = []
  private var proxyHeaderList: HeaderListOwner?
  private var resolveList: HeaderListOwner?
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// The size of libcurl's receive buffer for a body that is not loaded into memory.
  static let longBodyBytes = 100 << 10

  /// Before 8.0, libcurl puts the head and body of an HTTP/2 response into the same buffer. The maximum size of the
  /// head is 128 KiB (DYN_H2_HEADERS), so this many bytes of the body always fit as well.
  private static let streamBytes = retriever_stream_receive_bytes / 2

  /// The properties of a request that decide which libcurl options and fields a handle needs, apart from the URL, the
  /// header fields and the body's bytes.
  private struct OptionSignature: Equatable {
    enum Body: Equatable {
      case none, bytes
      case stream(length: Int64?)
    }
    enum Version: Equatable {
      case http11, http2PriorKnowledge
      /// By ALPN. Requests that arrive while a connection is being established may wait for it, to share it.
      case negotiated(waits: Bool)
      /// HTTP/3 or TCP, whichever connects first.
      case race
      case http3
    }
    var method: String
    var body: Body
    var acceptedEncodings: String?
    var version: Version
    var connectTimeout: Duration?
    var expectsLongBody: Bool
    var isUpgrade: Bool
    var signIn: ConnectionSignIn?
    var proxySignIn: ConnectionSignIn?
    var isConnection: Bool
    /// The maximum length of a body over HTTP/3, before decoding.
    var maximumBytes: Int64?
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
    proxyHeaderList = nil
    resolveList = nil
    errorText.deallocate()
  }

  /// Makes a transfer that is ended close its connection, unless others share it. Over HTTP/2, libcurl would notify the
  /// server only when it next has something to send.
  func closesConnection() {
    Curl.forbidReuse(easy)
    optionSignature = nil
  }

  /// Marks the handle for a reset, so that a transfer with complications does not affect the next one.
  func needsReset() { optionSignature = nil }

  /// libcurl's message about the last failure; empty if there is none.
  var failureText: String { String(cString: errorText) }

  /// Clears the state of the last stream when an attempt to send the request begins.
  func resetStreamState() {
    sawResponse = false
    sawEndOfStream = false
    streamBytes = 0
    streamErrorCode = nil
    backlog = StreamBacklog(room: Curl.losesStreamBytes ? Self.streamBytes : nil)
    keptStream = nil
    isWindowShut = false
  }

  /// Records that bytes of this stream wait until libcurl has room for them. libcurl alone would let the server keep
  /// sending.
  func keeps(_ stream: retriever_http2_stream) {
    keptStream = stream
    guard !isWindowShut else { return }
    isWindowShut = true
    retriever_http2_shut_window(stream)
  }

  /// Records that no bytes are kept any longer. libcurl opens the window again when the next pause ends.
  func allowWindowToOpen() { isWindowShut = false }

  /// Passes kept bytes to libcurl, as far as it has room. Returns false if it has none.
  func passKeptBytes() -> Bool {
    guard let stream = keptStream else { return false }
    return backlog.give(
      bytes: { retriever_http2_give(stream, easy, $0.baseAddress, $0.count) },
      end: { retriever_http2_close(stream, easy, $0) })
  }

  /// Whether the server closed the stream. STREAM_CLOSED is the code that libcurl uses when it gives a stream up.
  var serverClosedStream: Bool { streamErrorCode.map { $0 != 5 } ?? false }

  /// Whether the server did not process the request (RFC 9113, 7 and 8.7). The code is then REFUSED_STREAM or
  /// HTTP_1_1_REQUIRED. nghttp2 also reports REFUSED_STREAM for a GOAWAY that excludes the stream.
  /// A server that has begun to answer has processed the request, although it contradicts itself.
  var streamWasRefused: Bool { !sawResponse && (streamErrorCode == 7 || streamErrorCode == 13) }

  /// Whether the server wants the request over HTTP/1.1 (HTTP_1_1_REQUIRED).
  var serverRequiresHTTP11: Bool { streamErrorCode == 13 }

  // MARK: Setting up

  /// Sets up everything that a transfer needs.
  ///
  /// - Parameter fresh: Whether to use a new connection instead of one that is already open.
  func prepare(for transfer: Transfer, at destination: Destination, fresh: Bool) throws(TransferFailure) {
    self.transfer = transfer
    errorText.pointee = 0
    resetStreamState()
    let request = transfer.request
    let wanted = OptionSignature(
      method: request.method, body: Self.body(of: request.body), acceptedEncodings: request.acceptedEncodings,
      version: Self.version(for: transfer, destination),
      connectTimeout: request.connectTimeout, expectsLongBody: request.expectsLongBody,
      isUpgrade: request.isUpgrade, signIn: request.signIn, proxySignIn: request.proxySignIn,
      isConnection: request.isConnection,
      maximumBytes: transfer.attempt.route == .tcp ? nil : Self.maximumBytes(for: request))
    do {
      if optionSignature != wanted || preparedFor !== destination {
        optionSignature = nil
        preparedFor = destination
        try reset(receiveBytes: Self.receiveBytes(wanted))
        headers = nil
        headerList = nil
        proxyHeaders = []
        proxyHeaderList = nil
        resolveList = nil
        try applyClientOptions()
        try apply(destination, wanted.version)
        // A proxy would forward the request, but not the bytes after it.
        if wanted.isUpgrade || wanted.isConnection, destination.proxy?.kind == .http {
          try Curl.set(easy, CURLOPT_HTTPPROXYTUNNEL, 1)
        }
        try apply(wanted)
        optionSignature = wanted
      }
      // libcurl would also upgrade a connection that uses HTTP/2.
      let isNewForTest = wanted.version == .http3 && !core.options.reusesHTTP3Connections
      if fresh || request.isUpgrade || request.isConnection || isNewForTest {
        optionSignature = nil
        try Curl.set(easy, CURLOPT_FRESH_CONNECT, 1)
      }
      try Curl.set(easy, CURLOPT_URL, request.isConnection ? request.plainURL : request.url)
      if case .bytes(let bytes) = request.body { try Curl.set(easy, copiedBody: bytes) }
    } catch {
      throw TransferFailure(
        error.code == CURLE_OUT_OF_MEMORY.rawValue ? .outOfMemory : .other, curl: error.code,
        message: "Could not set up the transfer: \(error.message).")
    }
    try applyFields(of: request, transfer.headers)
    try applyAddresses(of: destination)
  }

  /// Returns the limit for a body over HTTP/3. Encoding may make a body slightly longer.
  private static func maximumBytes(for request: TransferRequest) -> Int64? {
    guard request.method != "HEAD", let limit = request.limits.bodyBytes else { return nil }
    let (sum, overflow) = limit.addingReportingOverflow(limit / 1024 + 64 << 10)
    return overflow ? nil : sum
  }

  private static func body(of body: TransferBody) -> OptionSignature.Body {
    switch body {
    case .none: .none
    case .bytes: .bytes
    case .source(let source): .stream(length: source.length)
    }
  }

  /// How long HTTP/3 is tried before TCP is tried as well. libcurl waits for half of it if the server does not react.
  private static let advantageMilliseconds = 600
  /// The seconds after which an idle connection of HTTP/3 is not used again. Nothing shows that its server is gone. A
  /// request that cannot be repeated is more careful.
  private static let (maximumIdle, maximumIdleBeforeOnce) = (10, 1)
  /// How long a connection over HTTP/3 may take if the server was reached with it before.
  private static let http3Timeout = Duration.seconds(2)

  /// Without TLS there is no negotiation, and so there is nothing to wait for.
  private static func version(for transfer: Transfer, _ destination: Destination) -> OptionSignature.Version {
    switch transfer.attempt.route {
    case .race: return .race
    case .http3: return .http3
    case .tcp: break
    }
    let request = transfer.request
    return switch request.httpVersion {
    case .automatic where request.isUpgrade || request.isConnection || request.signIn != nil: .http11
    case .automatic:
      Curl.hasHTTP2 && destination.address.isSecure && !destination.requiresHTTP11
        ? .negotiated(waits: destination.isMultiplexed != false) : .http11
    case .http11: .http11
    case .http2PriorKnowledge: .http2PriorKnowledge
    }
  }

  /// Returns the request's header fields and the supported codings, and removes the fields that libcurl would add
  /// itself.
  private static func fields(
    of request: TransferRequest, _ headers: [TransferHeader]
  ) -> [TransferHeader] {
    var fields = headers
    // libcurl does not decode, so it does not ask for encodings either.
    let encodings = request.acceptedEncodings ?? ContentCoding.defaultAcceptEncoding
    if !encodings.isEmpty { fields.append(TransferHeader("Accept-Encoding", encodings)) }
    guard case .none = request.body else {
      // A server that ignores “Expect: 100-continue” would delay the request by one second.
      fields.append(.removal(of: "Expect"))
      if !fields.contains(where: { $0.name.lowercased() == "content-type" }) {
        fields.append(.removal(of: "Content-Type"))
      }
      // After the upgrade, the bytes are sent as they are.
      if request.isUpgrade { fields.append(.removal(of: "Transfer-Encoding")) }
      return fields
    }
    return fields
  }

  /// Sets the header fields. They depend on the request's fields and the handle's options; if both are unchanged, so is
  /// libcurl's list.
  private func applyFields(
    of request: TransferRequest, _ wanted: [TransferHeader]
  ) throws(TransferFailure) {
    try applyProxyFields(of: request)
    guard wanted != headers else { return }
    let fields = Self.fields(of: request, wanted)
    let owner = fields.isEmpty ? nil : try HeaderListOwner(fields)
    do {
      try Curl.set(easy, CURLOPT_HTTPHEADER, list: owner?.list.first)
    } catch {
      throw TransferFailure(.other, curl: error.code, message: "Could not set the header fields.")
    }
    headers = wanted
    headerList = owner
  }

  /// Sets the fields for the proxy. libcurl sends them with CONNECT, or with a request to an HTTP proxy without a tunnel.
  private func applyProxyFields(of request: TransferRequest) throws(TransferFailure) {
    guard request.proxyHeaders != proxyHeaders else { return }
    let owner = request.proxyHeaders.isEmpty ? nil : try HeaderListOwner(request.proxyHeaders)
    do {
      try Curl.set(easy, CURLOPT_PROXYHEADER, list: owner?.list.first)
    } catch {
      throw TransferFailure(.other, curl: error.code, message: "Could not set the proxy's header fields.")
    }
    proxyHeaders = request.proxyHeaders
    proxyHeaderList = owner
  }

  /// Sets the addresses that were looked up. libcurl finds them in its cache and does not look them up itself.
  private func applyAddresses(of destination: Destination) throws(TransferFailure) {
    let lines = core.scheduler.resolveLines(for: destination)
    guard !lines.isEmpty else { return }
    let owner = try HeaderListOwner(lines: lines)
    // libcurl keeps the pointer.
    optionSignature = nil
    do {
      try Curl.set(easy, CURLOPT_RESOLVE, list: owner.list.first)
    } catch {
      throw TransferFailure(.other, curl: error.code, message: "Could not set the server's addresses.")
    }
    resolveList = owner
  }

  private static func receiveBytes(_ signature: OptionSignature) -> Int {
    if Curl.losesStreamBytes, signature.version != .http11 { return retriever_stream_receive_bytes }
    return signature.expectsLongBody ? Self.longBodyBytes : retriever_receive_bytes
  }

  /// Resets the handle completely. libcurl rejects another buffer size as long as it has a buffer. If other streams
  /// still used the last transfer's connection, libcurl kept the buffer and with it the paused part of that transfer's
  /// body. Such a handle is replaced.
  private func reset(receiveBytes: Int) throws(CurlError) {
    Curl.reset(easy)
    if (try? Curl.set(easy, CURLOPT_BUFFERSIZE, receiveBytes)) != nil { return }
    let fresh = try Curl.makeEasy()
    Curl.free(easy: easy)
    easy = fresh
    try Curl.set(easy, CURLOPT_BUFFERSIZE, receiveBytes)
  }

  private func apply(_ signature: OptionSignature) throws(CurlError) {
    switch signature.body {
    case .none where signature.method == "GET": break
    case .none where signature.method == "HEAD":
      try Curl.set(easy, CURLOPT_NOBODY, 1)
    case .none:
      try Curl.set(easy, CURLOPT_CUSTOMREQUEST, signature.method)
    case .bytes:
      try Curl.set(easy, CURLOPT_POST, 1)
      if signature.method != "POST" { try Curl.set(easy, CURLOPT_CUSTOMREQUEST, signature.method) }
    case .stream(let length):
      try Curl.set(easy, CURLOPT_UPLOAD, 1)
      try Curl.set(easy, CURLOPT_INFILESIZE_LARGE, offset: length ?? -1)
      if signature.method != "PUT" { try Curl.set(easy, CURLOPT_CUSTOMREQUEST, signature.method) }
    }
    if signature.isUpgrade {
      // Some servers send “Content-Length: 0” with status 101. The refusals during a sign-in need their lengths.
      if signature.signIn == nil { try Curl.set(easy, CURLOPT_IGNORE_CONTENT_LENGTH, 1) }
      try Curl.set(easy, CURLOPT_FORBID_REUSE, 1)
    }
    if signature.isConnection {
      try Curl.set(easy, CURLOPT_CONNECT_ONLY, 1)
      try Curl.set(easy, CURLOPT_FORBID_REUSE, 1)
    }
    try apply(signature.signIn, signature.proxySignIn, usesTunnel: preparedFor?.usesTunnel == true)
    if let maximumBytes = signature.maximumBytes {
      // This also limits what libcurl keeps while the transfer is paused.
      try Curl.set(easy, CURLOPT_MAXFILESIZE_LARGE, offset: maximumBytes)
    }
    if signature.version == .race || signature.version == .http3 {
      let seconds =
        RetryRule(method: signature.method).isIdempotent ? Self.maximumIdle : Self.maximumIdleBeforeOnce
      try Curl.set(easy, CURLOPT_MAXAGE_CONN, seconds)
    }
    if signature.version == .race {
      try Curl.set(easy, CURLOPT_HAPPY_EYEBALLS_TIMEOUT_MS, Self.advantageMilliseconds)
    }
    var timeout = signature.connectTimeout
    if signature.version == .http3 { timeout = min(timeout ?? Self.http3Timeout, Self.http3Timeout) }
    if let timeout {
      try Curl.set(easy, CURLOPT_CONNECTTIMEOUT_MS, Int(max(1, timeout.clampedNanoseconds / 1_000_000)))
    }
  }

  private func apply(_ destination: Destination, _ version: OptionSignature.Version) throws(CurlError) {
    let number =
      switch version {
      case .negotiated: CURL_HTTP_VERSION_2TLS
      case .http11: CURL_HTTP_VERSION_1_1
      case .http2PriorKnowledge: CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
      case .race: CURL_HTTP_VERSION_3
      case .http3: CURL_HTTP_VERSION_3ONLY
      }
    try Curl.set(easy, CURLOPT_HTTP_VERSION, Int(number))
    if version != .http11, version != .negotiated(waits: false) { try Curl.set(easy, CURLOPT_PIPEWAIT, 1) }
    // We read the environment ourselves: an empty string keeps libcurl from reading it as well.
    try Curl.set(easy, CURLOPT_PROXY, destination.proxy?.text ?? "")
    if let proxy = destination.proxy { try apply(proxy) }
    if destination.usesTLS { try applyTLS(core.options, destination) }
    // libcurl 8.14 with GnuTLS fails to resume a TLS session over HTTP/3 if TLS 1.2 is allowed. The versions must be those
    // of the race that opened the connection, or libcurl does not use it again.
    if version == .http3 || version == .race { try Curl.set(easy, CURLOPT_SSL_SESSIONID_CACHE, 0) }
  }

  private func apply(_ proxy: ProxyAddress) throws(CurlError) {
    try Curl.set(easy, CURLOPT_NOPROXY, "")
    guard proxy.kind == .http else {
      // SOCKS asks for them while it opens the connection.
      if let user = proxy.user {
        try Curl.set(easy, CURLOPT_PROXYUSERNAME, user)
        try Curl.set(easy, CURLOPT_PROXYPASSWORD, proxy.password ?? "")
      }
      return
    }
    // The fields for the proxy must not reach the server.
    try Curl.set(easy, CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
  }

  /// Sets the options that are the same for all transfers of the client.
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
      // A connection outlives the handle that created it, so the core receives the close callback.
      context: UnsafeRawPointer(Unmanaged.passUnretained(core).toOpaque()))
    try Curl.set(easy, CURLOPT_OPENSOCKETDATA, pointer: context)
    try Curl.set(easy, CURLOPT_ERRORBUFFER, pointer: UnsafeRawPointer(errorText))
    try Curl.set(easy, CURLOPT_NOSIGNAL, 1)
    try Curl.set(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    try Curl.set(easy, CURLOPT_USERAGENT, options.userAgent.isEmpty ? nil : options.userAgent)
    if let path = options.unixSocketPath { try Curl.set(easy, CURLOPT_UNIX_SOCKET_PATH, path) }
    // Entries stay in libcurl's cache until we replace them.
    try Curl.set(easy, CURLOPT_DNS_CACHE_TIMEOUT, -1)
    if let share = core.tlsSessions { try Curl.set(easy, share: share) }
  }

  private func applyTLS(
    _ options: TransferClientOptions, _ destination: Destination
  ) throws(CurlError) {
    let lowest = [
      CURL_SSLVERSION_TLSv1_0, CURL_SSLVERSION_TLSv1_1, CURL_SSLVERSION_TLSv1_2, CURL_SSLVERSION_TLSv1_3,
    ][options.minimumTLS.rawValue]
    let highest = [
      CURL_SSLVERSION_MAX_TLSv1_0, CURL_SSLVERSION_MAX_TLSv1_1, CURL_SSLVERSION_MAX_TLSv1_2,
      CURL_SSLVERSION_MAX_TLSv1_3,
    ][options.maximumTLS.rawValue]
    try Curl.set(easy, CURLOPT_SSLVERSION, Int(lowest | highest))
    if destination.checksHandshakes || destination.checksProxyHandshakes {
      try Curl.setTLSContextFunction(
        easy, Self.connectionBegins, context: UnsafeRawPointer(Unmanaged.passUnretained(core).toOpaque()))
      // A delegate may accept another name, so the check is ours.
      if destination.gate != nil { try Curl.set(easy, CURLOPT_SSL_VERIFYHOST, 0) }
    }
    if case .anything = options.trust {
      try Curl.set(easy, CURLOPT_SSL_VERIFYPEER, 0)
      try Curl.set(easy, CURLOPT_SSL_VERIFYHOST, 0)
    } else if core.trust.store != nil {
      // The certificates were parsed once for all connections, so libcurl must not read any.
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

  /// Sets the trusted certificates if libcurl uses a TLS library other than OpenSSL.
  private func applyLibcurlsTrust(_ trust: TransferClientOptions.Trust) throws(CurlError) {
    switch trust {
    case .system, .anything: break
    // Without CURLOPT_CAPATH set to nil, libcurl would also look for certificates in the system's directory.
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
