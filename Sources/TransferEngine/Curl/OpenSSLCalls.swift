import Glibc

/// Every call into OpenSSL, the library that libcurl loads. The functions are looked up at run time.
///
/// OpenSSL's headers need not be installed. If libcurl uses another TLS library, everything here is nil, and libcurl's
/// own features are used instead. The functions have been part of OpenSSL's interface since 1.1.
enum OpenSSL {
  typealias Pointer = UnsafeMutableRawPointer
  typealias VerifyCallback = @convention(c) (Int32, Pointer?) -> Int32

  /// libcurl's number for this library (CURLSSLBACKEND_OPENSSL).
  static let backend: UInt32 = 1

  // MARK: Trust

  struct TrustFunctions: Sendable {
    let makeStore: @convention(c) () -> Pointer?
    let freeStore: @convention(c) (Pointer?) -> Void
    let addCertificate: @convention(c) (Pointer?, Pointer?) -> Int32
    let makeMemory: @convention(c) (UnsafeRawPointer?, Int32) -> Pointer?
    let freeMemory: @convention(c) (Pointer?) -> Int32
    let readCertificate: @convention(c) (Pointer?, Pointer?, Pointer?, Pointer?) -> Pointer?
    let freeCertificate: @convention(c) (Pointer?) -> Void
    let clearErrors: @convention(c) () -> Void
    let setStore: @convention(c) (Pointer?, Pointer?) -> Void
    let setVerify: @convention(c) (Pointer?, Int32, VerifyCallback?) -> Void
    let errorDepth: @convention(c) (Pointer?) -> Int32
    let setError: @convention(c) (Pointer?, Int32) -> Void
    let currentCertificate: @convention(c) (Pointer?) -> Pointer?
    let extensionValue: @convention(c) (Pointer?, Int32, Pointer?, Pointer?) -> Pointer?
    let stackCount: @convention(c) (Pointer?) -> Int32
    let stackValue: @convention(c) (Pointer?, Int32) -> Pointer?
    let freeNames: @convention(c) (Pointer?) -> Void
  }

  static let trust: TrustFunctions? = {
    guard let makeStore = find("X509_STORE_new", as: (@convention(c) () -> Pointer?).self),
      let freeStore = find("X509_STORE_free", as: (@convention(c) (Pointer?) -> Void).self),
      let addCertificate = find(
        "X509_STORE_add_cert", as: (@convention(c) (Pointer?, Pointer?) -> Int32).self),
      let makeMemory = find(
        "BIO_new_mem_buf", as: (@convention(c) (UnsafeRawPointer?, Int32) -> Pointer?).self),
      let freeMemory = find("BIO_free", as: (@convention(c) (Pointer?) -> Int32).self),
      let readCertificate = find(
        "PEM_read_bio_X509_AUX",
        as: (@convention(c) (Pointer?, Pointer?, Pointer?, Pointer?) -> Pointer?).self),
      let freeCertificate = find("X509_free", as: (@convention(c) (Pointer?) -> Void).self),
      let clearErrors = find("ERR_clear_error", as: (@convention(c) () -> Void).self),
      let setStore = find(
        "SSL_CTX_set1_cert_store", as: (@convention(c) (Pointer?, Pointer?) -> Void).self),
      let setVerify = find(
        "SSL_CTX_set_verify", as: (@convention(c) (Pointer?, Int32, VerifyCallback?) -> Void).self),
      let errorDepth = find(
        "X509_STORE_CTX_get_error_depth", as: (@convention(c) (Pointer?) -> Int32).self),
      let setError = find(
        "X509_STORE_CTX_set_error", as: (@convention(c) (Pointer?, Int32) -> Void).self),
      let currentCertificate = find(
        "X509_STORE_CTX_get_current_cert", as: (@convention(c) (Pointer?) -> Pointer?).self),
      let extensionValue = find(
        "X509_get_ext_d2i", as: (@convention(c) (Pointer?, Int32, Pointer?, Pointer?) -> Pointer?).self),
      let stackCount = find("OPENSSL_sk_num", as: (@convention(c) (Pointer?) -> Int32).self),
      let stackValue = find("OPENSSL_sk_value", as: (@convention(c) (Pointer?, Int32) -> Pointer?).self),
      let freeNames = find("GENERAL_NAMES_free", as: (@convention(c) (Pointer?) -> Void).self)
    else { return nil }
    return TrustFunctions(
      makeStore: makeStore, freeStore: freeStore, addCertificate: addCertificate, makeMemory: makeMemory,
      freeMemory: freeMemory, readCertificate: readCertificate, freeCertificate: freeCertificate,
      clearErrors: clearErrors, setStore: setStore, setVerify: setVerify, errorDepth: errorDepth,
      setError: setError, currentCertificate: currentCertificate, extensionValue: extensionValue,
      stackCount: stackCount, stackValue: stackValue, freeNames: freeNames)
  }()

  // MARK: Negotiated parameters

  private static let version = find("SSL_version", as: (@convention(c) (Pointer?) -> Int32).self)
  private static let cipher = find("SSL_get_current_cipher", as: (@convention(c) (Pointer?) -> Pointer?).self)
  private static let cipherNumber = find(
    "SSL_CIPHER_get_protocol_id", as: (@convention(c) (Pointer?) -> UInt16).self)
  private static let protocolName = find(
    "SSL_get0_alpn_selected",
    as: (@convention(c) (
      Pointer?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, UnsafeMutablePointer<UInt32>?
    ) ->
      Void).self)

  /// The TLS version as in the handshake: 0x0304 for TLS 1.3.
  static func version(of connection: Pointer) -> UInt16? {
    version.map { UInt16(truncatingIfNeeded: $0(connection)) }
  }

  /// The cipher suite's number in IANA's registry.
  static func cipherSuite(of connection: Pointer) -> UInt16? {
    guard let cipher, let cipherNumber, let current = cipher(connection) else { return nil }
    return cipherNumber(current)
  }

  /// The protocol selected by ALPN: "h2" or "http/1.1"; empty if the server selected none.
  static func applicationProtocol(of connection: Pointer) -> String? {
    guard let protocolName else { return nil }
    var name: UnsafePointer<UInt8>?
    var length: UInt32 = 0
    protocolName(connection, &name, &length)
    guard let name else { return "" }
    return String(decoding: UnsafeBufferPointer(start: name, count: Int(length)), as: UTF8.self)
  }

  /// Looks up a function in the libraries that the program has loaded.
  static func find<Function>(_ name: String, as type: Function.Type) -> Function? {
    // RTLD_DEFAULT, a null pointer.
    guard let symbol = dlsym(nil, name) else { return nil }
    return unsafeBitCast(symbol, to: type)
  }
}
