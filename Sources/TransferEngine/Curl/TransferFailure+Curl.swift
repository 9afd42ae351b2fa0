import CCurl

/// Translates libcurl's result codes into the engine's failures.
extension TransferFailure {
  init(curl result: CURLcode, easy: UnsafeMutableRawPointer, text: String) {
    if let refusal = Self.proxyRefusal(easy, result) {
      self = refusal
      return
    }
    let code = Self.rejectedCertificate(text) ?? Self.code(for: result, easy: easy)
    self.init(code, curl: result.rawValue, message: Self.message(for: result, code, easy, text: text))
  }

  /// Returns a failure if the proxy refused to open a tunnel.
  private static func proxyRefusal(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) -> TransferFailure? {
    let status = Curl.integer(easy, CURLINFO_HTTP_CONNECTCODE)
    guard status != 0, !(200..<300 ~= status) else { return nil }
    let advice =
      status == 407
      ? "It requires a user name and password." : "Check the proxy's rules, or add the host to no_proxy."
    return TransferFailure(
      .proxyRefused, curl: result.rawValue,
      message: "The proxy refused to connect to the server: it responded with status \(status). \(advice)")
  }

  private static func message(
    for result: CURLcode, _ code: Code, _ easy: UnsafeMutableRawPointer, text: String
  ) -> String {
    if code == .headTooLarge { return "The response's header is too long." }
    if code == .clientCertificateRequired {
      return "The server requires a client certificate. Set one, or answer the challenge with one."
    }
    if code == .clientCertificateRejected {
      let reason = text.isEmpty ? "" : ": \(text)"
      return "The server rejected the client certificate\(reason). Check its authority and its dates."
    }
    // libcurl repeats the address of the proxy here, which may contain a password.
    if text.hasPrefix("Unsupported proxy") { return TransferFailure.unusableProxy.message }
    return FailureText.sentences(
      code, detail: text.isEmpty ? CurlError(code: result.rawValue).message : text,
      systemError: Int32(truncatingIfNeeded: Curl.integer(easy, CURLINFO_OS_ERRNO)))
  }

  /// Returns the code for a server that wants a certificate from the client, or another one. OpenSSL names the alerts of
  /// the server.
  static func rejectedCertificate(_ text: String) -> Code? {
    guard let alert = text.firstRange(of: " alert ") else { return nil }
    let name = text[alert.upperBound...]
    if name.hasPrefix("certificate required") { return .clientCertificateRequired }
    let rejections = [
      "bad certificate", "unsupported certificate", "certificate revoked", "certificate expired",
      "certificate unknown", "unknown ca", "access denied",
    ]
    return rejections.contains { name.hasPrefix($0) } ? .clientCertificateRejected : nil
  }

  private static func code(for result: CURLcode, easy: UnsafeMutableRawPointer) -> Code {
    switch result {
    case CURLE_URL_MALFORMAT: .badURL
    case CURLE_UNSUPPORTED_PROTOCOL:
      // The same code means “unknown scheme”, where nothing is sent, and “this reply is not valid HTTP”.
      Curl.integer(easy, CURLINFO_REQUEST_SIZE) > 0 ? .badReply : .unsupportedScheme
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .hostNotFound
    case CURLE_COULDNT_CONNECT: .cannotConnect
    case CURLE_PROXY: .proxyRefused
    case CURLE_OPERATION_TIMEDOUT: .timedOut
    case CURLE_OUT_OF_MEMORY, tooLarge:
      // libcurl also returns the first code for a header line that is longer than its limit.
      Curl.integer(easy, CURLINFO_REQUEST_SIZE) > 0 ? .headTooLarge : .outOfMemory
    // libcurl decodes no content codings here: a bad encoding is a transfer coding that it does not know.
    case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_TOO_MANY_REDIRECTS, CURLE_HTTP2,
      CURLE_HTTP3:
      .badReply
    case CURLE_HTTP2_STREAM, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      .connectionLost
    case CURLE_ABORTED_BY_CALLBACK, CURLE_WRITE_ERROR: .cancelled
    case CURLE_READ_ERROR: .requestBodyFailed
    case CURLE_SEND_FAIL_REWIND: .requestBodyNotRewindable
    case CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CRL_BADFILE: .trustStoreUnreadable
    case CURLE_PEER_FAILED_VERIFICATION:
      Code(verification: Curl.integer(easy, CURLINFO_SSL_VERIFYRESULT))
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CLIENTCERT: .clientCertificateRejected
    case CURLE_QUIC_CONNECT_ERROR: .cannotConnect
    case CURLE_NO_CONNECTION_AVAILABLE: .cannotConnect
    case CURLE_SSL_ISSUER_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH: .certificateUntrusted
    case CURLE_INTERFACE_FAILED: .cannotConnect
    case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
      .secureConnectionFailed
    case CURLE_FILESIZE_EXCEEDED: .bodyTooLarge
    // libcurl's code for header lines and chunks that it cannot parse.
    case CURLE_BAD_FUNCTION_ARGUMENT where Curl.integer(easy, CURLINFO_REQUEST_SIZE) > 0: .badReply
    default: .other
    }
  }

  /// CURLE_TOO_LARGE, which exists since libcurl 8.6: a header line, or all of them together, exceed a limit of libcurl.
  private static let tooLarge = CURLcode(rawValue: 100)
}

extension TransferTimings {
  /// Reads libcurl's measurements; only valid while the handle is still attached.
  init(easy: UnsafeMutableRawPointer) {
    self.init()
    func moment(_ info: CURLINFO) -> Duration? {
      let value = Curl.offset(easy, info)
      return value > 0 ? .microseconds(value) : nil
    }
    total = moment(CURLINFO_TOTAL_TIME_T) ?? .zero
    let remote = Curl.string(easy, CURLINFO_PRIMARY_IP) ?? ""
    let triesToConnect = Curl.integer(easy, CURLINFO_NUM_CONNECTS) > 0
    // If no connection was established, libcurl also reports zero connects, but no address.
    isReusedConnection = !triesToConnect && !remote.isEmpty
    if triesToConnect {
      nameLookupEnd = moment(CURLINFO_NAMELOOKUP_TIME_T)
      connectEnd = moment(CURLINFO_CONNECT_TIME_T)
      secureConnectionEnd = moment(CURLINFO_APPCONNECT_TIME_T)
    }
    requestStart = moment(CURLINFO_PRETRANSFER_TIME_T)
    responseStart = moment(CURLINFO_STARTTRANSFER_TIME_T)
    requestEnd = responseStart == nil ? nil : requestStart
    if isReusedConnection || connectEnd != nil {
      // The client's end of a Unix socket has no address.
      if let local = Curl.string(easy, CURLINFO_LOCAL_IP), !local.isEmpty {
        localAddress = local
        localPort = Curl.integer(easy, CURLINFO_LOCAL_PORT)
      }
      remoteAddress = remote
      remotePort = Curl.integer(easy, CURLINFO_PRIMARY_PORT)
    }
    requestHeaderBytes = Int64(Curl.integer(easy, CURLINFO_REQUEST_SIZE))
    requestBodyBytes = Curl.offset(easy, CURLINFO_SIZE_UPLOAD_T)
    responseHeaderBytes = Int64(Curl.integer(easy, CURLINFO_HEADER_SIZE))
    responseBodyBytes = Curl.offset(easy, CURLINFO_SIZE_DOWNLOAD_T)
    protocolName =
      switch Curl.integer(easy, CURLINFO_HTTP_VERSION) {
      case Int(CURL_HTTP_VERSION_1_0): "http/1.0"
      case Int(CURL_HTTP_VERSION_1_1): "http/1.1"
      case Int(CURL_HTTP_VERSION_2_0): "h2"
      case Int(CURL_HTTP_VERSION_3): "h3"
      default: nil
      }
  }

  /// Shifts the timings: libcurl's clock starts when it gets the transfer, after the queue and the name look-up.
  mutating func shift(by wait: Duration, lookupStart: Duration) {
    total += wait
    for field in [
      \TransferTimings.connectEnd, \.secureConnectionEnd, \.requestStart, \.requestEnd, \.responseStart,
    ] {
      self[keyPath: field] = self[keyPath: field].map { $0 + wait }
    }
    guard let lookupEnd = nameLookupEnd else { return }
    self.nameLookupStart = lookupStart
    self.nameLookupEnd = lookupEnd + wait
  }
}
