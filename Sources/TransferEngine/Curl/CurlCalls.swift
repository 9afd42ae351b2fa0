import CCurl
import CHTTP2Tap
import CTransferMemory
import Glibc

// Every call into libcurl is in this file. This makes all uses of the library easy to find, and tests can inject faults
// in one place. Raw handles do not leave the module.

/// A failed libcurl easy or multi call, with the library's error code.
package struct CurlError: Error, Hashable, Sendable {
  package var code: UInt32
  package var isMulti = false

  package var message: String {
    isMulti
      ? String(cString: curl_multi_strerror(CURLMcode(rawValue: Int32(bitPattern: code))))
      : String(cString: curl_easy_strerror(CURLcode(rawValue: code)))
  }
}

enum Curl {
  /// libcurl must be initialized once per process, before any other call.
  static let isReady: Bool = {
    retriever_memory_prepare()
    return curl_global_init_mem(
      Int(CURL_GLOBAL_ALL), retriever_memory_allocate, retriever_memory_free, retriever_memory_resize,
      { text in text.flatMap { strdup($0) } }, { count, size in calloc(count, size) })
      == CURLE_OK
  }()

  static func makeEasy() throws(CurlError) -> UnsafeMutableRawPointer {
    guard isReady, !CurlFault.shouldFail(.makeEasy), let handle = curl_easy_init() else {
      throw CurlError(code: CURLE_FAILED_INIT.rawValue)
    }
    return handle
  }

  static func makeMulti() throws(CurlError) -> UnsafeMutableRawPointer {
    guard isReady, !CurlFault.shouldFail(.makeMulti), let multi = curl_multi_init() else {
      throw CurlError(code: CURLE_FAILED_INIT.rawValue)
    }
    return multi
  }

  static func free(easy: UnsafeMutableRawPointer) { curl_easy_cleanup(easy) }
  static func free(multi: UnsafeMutableRawPointer) { _ = curl_multi_cleanup(multi) }
  static func reset(_ easy: UnsafeMutableRawPointer) { curl_easy_reset(easy) }

  // MARK: Options

  private static func check(_ call: @autoclosure () -> CURLcode) throws(CurlError) {
    // An injected fault does not make the call: libcurl would keep a value that a failed call would not have set.
    let code = CurlFault.shouldFail(.setOption) ? CURLE_OUT_OF_MEMORY : call()
    if code != CURLE_OK { throw CurlError(code: code.rawValue) }
  }

  static func set(_ easy: UnsafeMutableRawPointer, _ option: CURLoption, _ value: Int) throws(CurlError) {
    try check(retriever_easy_set_long(easy, option, value))
  }

  /// Makes the transfer close its connection when it ends. This cannot fail: libcurl only stores the value.
  static func forbidReuse(_ easy: UnsafeMutableRawPointer) {
    _ = retriever_easy_set_long(easy, CURLOPT_FORBID_REUSE, 1)
  }

  static func set(_ easy: UnsafeMutableRawPointer, _ option: CURLoption, offset: Int64) throws(CurlError) {
    try check(retriever_easy_set_offset(easy, option, curl_off_t(offset)))
  }

  static func set(_ easy: UnsafeMutableRawPointer, _ option: CURLoption, _ value: String?) throws(CurlError) {
    guard let value else { return try check(retriever_easy_set_string(easy, option, nil)) }
    try check(value.withCString { retriever_easy_set_string(easy, option, $0) })
  }

  static func set(
    _ easy: UnsafeMutableRawPointer, _ option: CURLoption, pointer: UnsafeRawPointer?
  ) throws(CurlError) {
    try check(retriever_easy_set_pointer(easy, option, pointer))
  }

  static func set(
    _ easy: UnsafeMutableRawPointer, _ option: CURLoption, list: UnsafeMutablePointer<curl_slist>?
  ) throws(CurlError) {
    try check(retriever_easy_set_list(easy, option, list))
  }

  static func set(_ easy: UnsafeMutableRawPointer, _ option: CURLoption, blob: [UInt8]) throws(CurlError) {
    try check(blob.withUnsafeBytes { retriever_easy_set_blob(easy, option, $0.baseAddress, $0.count) })
  }

  /// Passes the body to libcurl, which copies it.
  static func set(_ easy: UnsafeMutableRawPointer, copiedBody: [UInt8]) throws(CurlError) {
    try set(easy, CURLOPT_POSTFIELDSIZE_LARGE, offset: Int64(copiedBody.count))
    try check(
      copiedBody.withUnsafeBytes {
        retriever_easy_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0.baseAddress)
      })
  }

  static func set(
    _ easy: UnsafeMutableRawPointer, _ option: CURLoption, function: @escaping retriever_data_function
  ) throws(CurlError) {
    try check(retriever_easy_set_data_function(easy, option, function))
  }

  static func setSocketFunctions(
    _ easy: UnsafeMutableRawPointer, open: @escaping curl_opensocket_callback,
    close: @escaping curl_closesocket_callback, context: UnsafeRawPointer
  ) throws(CurlError) {
    try check(retriever_easy_set_open_socket_function(easy, open))
    try check(retriever_easy_set_close_socket_function(easy, close))
    try set(easy, CURLOPT_OPENSOCKETDATA, pointer: context)
    try set(easy, CURLOPT_CLOSESOCKETDATA, pointer: context)
  }

  static func setSeekFunction(
    _ easy: UnsafeMutableRawPointer, _ function: @escaping curl_seek_callback, context: UnsafeRawPointer
  ) throws(CurlError) {
    try check(retriever_easy_set_seek_function(easy, function))
    try set(easy, CURLOPT_SEEKDATA, pointer: context)
  }

  static func setPrerequisiteFunction(
    _ easy: UnsafeMutableRawPointer, _ function: @escaping curl_prereq_callback, context: UnsafeRawPointer
  ) throws(CurlError) {
    try check(retriever_easy_set_prereq_function(easy, function))
    try set(easy, CURLOPT_PREREQDATA, pointer: context)
  }

  static func setTLSContextFunction(
    _ easy: UnsafeMutableRawPointer, _ function: @escaping curl_ssl_ctx_callback, context: UnsafeRawPointer
  ) throws(CurlError) {
    try check(retriever_easy_set_ssl_context_function(easy, function))
    try set(easy, CURLOPT_SSL_CTX_DATA, pointer: context)
  }

  // MARK: Shared between handles

  /// Creates a share for TLS sessions. Only the holder of the loop's lock uses its handles, so it needs no locks.
  static func makeSessionShare() -> UnsafeMutableRawPointer? {
    guard isReady, let share = curl_share_init() else { return nil }
    guard retriever_share_tls_sessions(share) == CURLSHE_OK else {
      curl_share_cleanup(share)
      return nil
    }
    return share
  }

  static func free(share: UnsafeMutableRawPointer) { curl_share_cleanup(share) }

  static func set(_ easy: UnsafeMutableRawPointer, share: UnsafeMutableRawPointer) throws(CurlError) {
    try set(easy, CURLOPT_SHARE, pointer: UnsafeRawPointer(share))
  }

  // MARK: Information

  /// Returns OpenSSL's object for the handle's connection; nil without TLS or with another TLS library.
  static func tlsConnection(_ easy: UnsafeMutableRawPointer) -> OpenSSL.Pointer? {
    var value: UnsafeMutablePointer<curl_tlssessioninfo>?
    guard retriever_easy_get_tls(easy, &value) == CURLE_OK, let value,
      value.pointee.backend.rawValue == OpenSSL.backend
    else { return nil }
    return value.pointee.internals
  }

  static func integer(_ easy: UnsafeMutableRawPointer, _ info: CURLINFO) -> Int {
    var value = 0
    return retriever_easy_get_long(easy, info, &value) == CURLE_OK ? value : 0
  }

  static func offset(_ easy: UnsafeMutableRawPointer, _ info: CURLINFO) -> Int64 {
    var value: curl_off_t = 0
    return retriever_easy_get_offset(easy, info, &value) == CURLE_OK ? Int64(value) : 0
  }

  static func string(_ easy: UnsafeMutableRawPointer, _ info: CURLINFO) -> String? {
    var value: UnsafePointer<CChar>?
    guard retriever_easy_get_string(easy, info, &value) == CURLE_OK, let value else { return nil }
    return String(cString: value)
  }

  static func context(_ easy: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    var value: UnsafeMutableRawPointer?
    return retriever_easy_get_pointer(easy, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : nil
  }

  // MARK: Multi

  private static func check(multi code: CURLMcode) throws(CurlError) {
    if code != CURLM_OK {
      throw CurlError(code: UInt32(bitPattern: code.rawValue), isMulti: true)
    }
  }

  static func set(multi: UnsafeMutableRawPointer, _ option: CURLMoption, _ value: Int) {
    _ = retriever_multi_set_long(multi, option, value)
  }

  static func setFunctions(
    multi: UnsafeMutableRawPointer, socket: @escaping curl_socket_callback,
    timer: @escaping curl_multi_timer_callback, context: UnsafeMutableRawPointer
  ) {
    _ = retriever_multi_set_socket_function(multi, socket)
    _ = retriever_multi_set_pointer(multi, CURLMOPT_SOCKETDATA, context)
    _ = retriever_multi_set_timer_function(multi, timer)
    _ = retriever_multi_set_pointer(multi, CURLMOPT_TIMERDATA, context)
  }

  static func add(_ easy: UnsafeMutableRawPointer, to multi: UnsafeMutableRawPointer) throws(CurlError) {
    if CurlFault.shouldFail(.addHandle) {
      throw CurlError(code: UInt32(bitPattern: CURLM_OUT_OF_MEMORY.rawValue), isMulti: true)
    }
    try check(multi: curl_multi_add_handle(multi, easy))
  }

  static func remove(_ easy: UnsafeMutableRawPointer, from multi: UnsafeMutableRawPointer) {
    _ = curl_multi_remove_handle(multi, easy)
  }

  /// Makes libcurl process a socket that is ready.
  static func act(multi: UnsafeMutableRawPointer, socket: Int32, readable: Bool, writable: Bool, failed: Bool)
  {
    var mask: Int32 = 0
    if readable { mask |= CURL_CSELECT_IN }
    if writable { mask |= CURL_CSELECT_OUT }
    if failed { mask |= CURL_CSELECT_ERR }
    var running: Int32 = 0
    _ = curl_multi_socket_action(multi, socket, mask, &running)
  }

  /// Makes libcurl process what its timer announced.
  static func actOnTimer(multi: UnsafeMutableRawPointer) {
    var running: Int32 = 0
    // CURL_SOCKET_TIMEOUT is CURL_SOCKET_BAD, -1: a macro with a cast, which Swift does not import.
    _ = curl_multi_socket_action(multi, -1, 0, &running)
  }

  /// Returns the next handle that is done, with its result.
  static func nextDone(multi: UnsafeMutableRawPointer) -> (easy: UnsafeMutableRawPointer, result: CURLcode)? {
    var left: Int32 = 0
    while let message = curl_multi_info_read(multi, &left) {
      if message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle {
        return (easy, retriever_message_result(message))
      }
    }
    return nil
  }

  /// Sets which directions are paused; the others continue.
  static func pause(_ easy: UnsafeMutableRawPointer, receiving: Bool, sending: Bool) {
    _ = curl_easy_pause(easy, (receiving ? CURLPAUSE_RECV : 0) | (sending ? CURLPAUSE_SEND : 0))
  }

  /// Returns the host of a URL as libcurl parses it, for unusual spellings; nil if libcurl rejects the URL.
  static func host(of url: String) -> (host: String, port: UInt16, scheme: String)? {
    guard let parsed = curl_url() else { return nil }
    defer { curl_url_cleanup(parsed) }
    guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK,
      let host = part(CURLUPART_HOST, of: parsed),
      let port = part(CURLUPART_PORT, of: parsed).flatMap({ UInt16($0) }),
      let scheme = part(CURLUPART_SCHEME, of: parsed)
    else { return nil }
    return (host, port, scheme)
  }

  /// Returns the path and query of a URL as libcurl sends them; nil if libcurl rejects the URL.
  static func target(of url: String) -> String? {
    guard let parsed = curl_url() else { return nil }
    defer { curl_url_cleanup(parsed) }
    guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK,
      let path = part(CURLUPART_PATH, of: parsed)
    else { return nil }
    return part(CURLUPART_QUERY, of: parsed).map { "\(path)?\($0)" } ?? path
  }

  /// Returns a URL as libcurl sends it to an HTTP proxy; nil if libcurl rejects the URL.
  static func absoluteTarget(of url: String) -> String? {
    guard let parsed = curl_url() else { return nil }
    defer { curl_url_cleanup(parsed) }
    guard curl_url_set(parsed, CURLUPART_URL, url, 0) == CURLUE_OK else { return nil }
    _ = curl_url_set(parsed, CURLUPART_FRAGMENT, nil, 0)
    return part(CURLUPART_URL, of: parsed, flags: UInt32(CURLU_NO_DEFAULT_PORT))
  }

  /// - Parameter flags: By default, the port of the scheme is returned if the URL has none.
  private static func part(
    _ part: CURLUPart, of url: OpaquePointer, flags: UInt32 = UInt32(CURLU_DEFAULT_PORT)
  ) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &text, flags) == CURLUE_OK, let text else { return nil }
    defer { curl_free(text) }
    return String(cString: text)
  }

  /// The certificate file that this libcurl uses by default.
  static let defaultCertificateFile: String? = {
    guard let info = curl_version_info(CURLVERSION_TENTH),
      info.pointee.age.rawValue >= CURLVERSION_SEVENTH.rawValue
    else { return nil }
    return info.pointee.cainfo.map { String(cString: $0) }
  }()

  /// Whether this libcurl uses OpenSSL. Another part of the process may have loaded OpenSSL too.
  static let usesOpenSSL: Bool = {
    guard let info = curl_version_info(CURLVERSION_TENTH), let version = info.pointee.ssl_version else {
      return false
    }
    return isOpenSSL(String(cString: version))
  }()

  /// Whether the name of a TLS library is that of OpenSSL, or of a library with its interface.
  static func isOpenSSL(_ version: String) -> Bool {
    // Of several libraries, those in parentheses are not in use.
    let used = version.split(separator: " ").filter { !$0.hasPrefix("(") }
    return used.contains { name in ["OpenSSL", "quictls"].contains { name.hasPrefix($0) } }
  }

  /// Whether this libcurl may lose bytes of an HTTP/2 stream that it has no room for: versions before 8.0 may.
  static let losesStreamBytes: Bool = {
    guard let info = curl_version_info(CURLVERSION_TENTH) else { return true }
    return info.pointee.version_num < 0x08_00_00
  }()

  /// Whether the tap observes the ends of HTTP/2 streams.
  static var observesStreams: Bool { retriever_http2_is_tapped() }

  static var version: String { String(cString: curl_version()) }

  /// Whether this libcurl supports HTTP/2. A distribution may build it without.
  static let hasHTTP2 = features & CURL_VERSION_HTTP2 != 0

  /// Whether this libcurl supports HTTP/3. Versions before 8.14 were not tried.
  static let hasHTTP3: Bool = {
    guard let info = curl_version_info(CURLVERSION_TENTH) else { return false }
    return info.pointee.features & CURL_VERSION_HTTP3 != 0 && info.pointee.version_num >= 0x08_0e_00
  }()

  private static let features = curl_version_info(CURLVERSION_TENTH)?.pointee.features ?? 0

  fileprivate static func supports(_ scheme: ConnectionSignIn.Scheme) -> Bool {
    switch scheme {
    case .ntlm: features & CURL_VERSION_NTLM != 0
    case .negotiate: features & CURL_VERSION_SPNEGO != 0
    }
  }
}

extension ConnectionSignIn.Scheme {
  /// Whether this libcurl has the scheme.
  package var isAvailable: Bool { Curl.supports(self) }

  /// The scheme as `CURLOPT_HTTPAUTH` expects it. libcurl's constants are macros with a cast, which Swift does not import.
  var curlBits: Int {
    switch self {
    case .negotiate: 1 << 2
    case .ntlm: 1 << 3
    }
  }
}

extension TransferRequest {
  /// The path and query of the URL, with the bytes that are sent; nil if libcurl rejects the URL.
  package var target: String? { Curl.target(of: url) }

  /// The URL as it is sent to an HTTP proxy; nil if libcurl rejects the URL.
  package var absoluteTarget: String? { Curl.absoluteTarget(of: url) }

  /// The host and port of the URL as they are sent with CONNECT; nil if libcurl rejects the URL.
  package var tunnelTarget: String? { Curl.host(of: url).map { "\($0.host):\($0.port)" } }
}
