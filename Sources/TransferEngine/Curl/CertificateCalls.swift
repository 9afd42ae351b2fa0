import Glibc

// Every call into OpenSSL that reads or verifies certificates. Pointers do not leave the module.

extension OpenSSL {
  typealias Bytes = UnsafePointer<UInt8>
  typealias Output = UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>

  struct CertificateFunctions: Sendable {
    let verify: @convention(c) (Pointer?) -> Int32
    let error: @convention(c) (Pointer?) -> Int32
    let leaf: @convention(c) (Pointer?) -> Pointer?
    let presented: @convention(c) (Pointer?) -> Pointer?
    let verified: @convention(c) (Pointer?) -> Pointer?
    let matchesHost: @convention(c) (Pointer?, UnsafePointer<CChar>?, Int, UInt32, Pointer?) -> Int32
    let matchesAddress: @convention(c) (Pointer?, UnsafePointer<CChar>?, UInt32) -> Int32
    let encode: @convention(c) (Pointer?, Output?) -> Int32
    let decode: @convention(c) (Pointer?, UnsafeMutablePointer<Bytes?>?, Int) -> Pointer?
    let errorText: @convention(c) (Int) -> UnsafePointer<CChar>?
    let publicKey: @convention(c) (Pointer?) -> Pointer?
    let encodePublicKey: @convention(c) (Pointer?, Output?) -> Int32
    let subject: @convention(c) (Pointer?) -> Pointer?
    let issuer: @convention(c) (Pointer?) -> Pointer?
    let encodeName: @convention(c) (Pointer?, Output?) -> Int32
    let printName: @convention(c) (Pointer?, Pointer?, Int32, UInt) -> Int32
    let memoryMethod: @convention(c) () -> Pointer?
    let makeOutput: @convention(c) (Pointer?) -> Pointer?
    let control: @convention(c) (Pointer?, Int32, Int, Pointer?) -> Int
    let start: @convention(c) (Pointer?) -> Pointer?
    let end: @convention(c) (Pointer?) -> Pointer?
    let time: @convention(c) (Pointer?, UnsafeMutablePointer<tm>?) -> Int32
    let nameValue: @convention(c) (Pointer?, UnsafeMutablePointer<Int32>?) -> Pointer?
    let stringBytes: @convention(c) (Pointer?) -> Bytes?
    let stringLength: @convention(c) (Pointer?) -> Int32
    let makeVerification: @convention(c) () -> Pointer?
    let freeVerification: @convention(c) (Pointer?) -> Void
    let startVerification: @convention(c) (Pointer?, Pointer?, Pointer?, Pointer?) -> Int32
    let setPurpose: @convention(c) (Pointer?, UnsafePointer<CChar>?) -> Int32
    let makeStack: @convention(c) () -> Pointer?
    let pushStack: @convention(c) (Pointer?, Pointer?) -> Int32
    let freeStack: @convention(c) (Pointer?) -> Void
  }

  static let certificates: CertificateFunctions? = {
    typealias Get = @convention(c) (Pointer?) -> Pointer?
    typealias Count = @convention(c) (Pointer?) -> Int32
    typealias Write = @convention(c) (Pointer?, Output?) -> Int32
    typealias Make = @convention(c) () -> Pointer?
    typealias Free = @convention(c) (Pointer?) -> Void
    guard let verify = find("X509_verify_cert", as: Count.self),
      let error = find("X509_STORE_CTX_get_error", as: Count.self),
      let leaf = find("X509_STORE_CTX_get0_cert", as: Get.self),
      let presented = find("X509_STORE_CTX_get0_untrusted", as: Get.self),
      let verified = find("X509_STORE_CTX_get0_chain", as: Get.self),
      let matchesHost = find(
        "X509_check_host",
        as: (@convention(c) (Pointer?, UnsafePointer<CChar>?, Int, UInt32, Pointer?) -> Int32).self),
      let matchesAddress = find(
        "X509_check_ip_asc", as: (@convention(c) (Pointer?, UnsafePointer<CChar>?, UInt32) -> Int32).self),
      let encode = find("i2d_X509", as: Write.self),
      let decode = find(
        "d2i_X509", as: (@convention(c) (Pointer?, UnsafeMutablePointer<Bytes?>?, Int) -> Pointer?).self),
      let errorText = find(
        "X509_verify_cert_error_string", as: (@convention(c) (Int) -> UnsafePointer<CChar>?).self),
      let publicKey = find("X509_get_X509_PUBKEY", as: Get.self),
      let encodePublicKey = find("i2d_X509_PUBKEY", as: Write.self),
      let subject = find("X509_get_subject_name", as: Get.self),
      let issuer = find("X509_get_issuer_name", as: Get.self),
      let encodeName = find("i2d_X509_NAME", as: Write.self),
      let printName = find(
        "X509_NAME_print_ex", as: (@convention(c) (Pointer?, Pointer?, Int32, UInt) -> Int32).self),
      let memoryMethod = find("BIO_s_mem", as: Make.self),
      let makeOutput = find("BIO_new", as: Get.self),
      let control = find("BIO_ctrl", as: (@convention(c) (Pointer?, Int32, Int, Pointer?) -> Int).self),
      let start = find("X509_get0_notBefore", as: Get.self),
      let end = find("X509_get0_notAfter", as: Get.self),
      let time = find(
        "ASN1_TIME_to_tm", as: (@convention(c) (Pointer?, UnsafeMutablePointer<tm>?) -> Int32).self),
      let nameValue = find(
        "GENERAL_NAME_get0_value",
        as: (@convention(c) (Pointer?, UnsafeMutablePointer<Int32>?) -> Pointer?).self),
      let stringBytes = find("ASN1_STRING_get0_data", as: (@convention(c) (Pointer?) -> Bytes?).self),
      let stringLength = find("ASN1_STRING_length", as: Count.self),
      let makeVerification = find("X509_STORE_CTX_new", as: Make.self),
      let freeVerification = find("X509_STORE_CTX_free", as: Free.self),
      let startVerification = find(
        "X509_STORE_CTX_init", as: (@convention(c) (Pointer?, Pointer?, Pointer?, Pointer?) -> Int32).self),
      let setPurpose = find(
        "X509_STORE_CTX_set_default", as: (@convention(c) (Pointer?, UnsafePointer<CChar>?) -> Int32).self),
      let makeStack = find("OPENSSL_sk_new_null", as: Make.self),
      let pushStack = find("OPENSSL_sk_push", as: (@convention(c) (Pointer?, Pointer?) -> Int32).self),
      let freeStack = find("OPENSSL_sk_free", as: Free.self)
    else { return nil }
    return CertificateFunctions(
      verify: verify, error: error, leaf: leaf, presented: presented, verified: verified,
      matchesHost: matchesHost, matchesAddress: matchesAddress, encode: encode, decode: decode,
      errorText: errorText, publicKey: publicKey, encodePublicKey: encodePublicKey, subject: subject,
      issuer: issuer, encodeName: encodeName, printName: printName, memoryMethod: memoryMethod,
      makeOutput: makeOutput, control: control, start: start, end: end, time: time, nameValue: nameValue,
      stringBytes: stringBytes, stringLength: stringLength, makeVerification: makeVerification,
      freeVerification: freeVerification, startVerification: startVerification, setPurpose: setPurpose,
      makeStack: makeStack, pushStack: pushStack, freeStack: freeStack)
  }()

  // MARK: Encoding

  /// Returns what one of OpenSSL's `i2d_…` functions writes; nil if it fails.
  private static func encoded(
    _ object: Pointer?, by write: @convention(c) (Pointer?, Output?) -> Int32
  ) -> [UInt8]? {
    let count = Int(write(object, nil))
    guard object != nil, count > 0 else { return nil }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      // The function moves the pointer forward.
      var place = buffer.baseAddress
      initialized = write(object, &place) == Int32(count) ? count : 0
    }
  }

  /// Returns a certificate (`X509 *`) in DER.
  static func encoded(certificate: Pointer?) -> [UInt8]? {
    certificates.flatMap { encoded(certificate, by: $0.encode) }
  }

  /// Returns the subject public key info of a certificate in DER.
  static func encodedPublicKey(of certificate: Pointer?) -> [UInt8]? {
    certificates.flatMap { encoded($0.publicKey(certificate), by: $0.encodePublicKey) }
  }

  /// Returns the elements of a stack of certificates, in DER.
  static func encoded(certificates stack: Pointer?) -> [[UInt8]] {
    elements(of: stack).compactMap { encoded(certificate: $0) }
  }

  /// Returns the names of the authorities whose certificates a server accepts, in DER.
  static func authorities(requestedOn connection: Pointer) -> [[UInt8]] {
    guard let functions = certificates, let list = handshake?.requestedAuthorities(connection) else {
      return []
    }
    return elements(of: list).compactMap { encoded($0, by: functions.encodeName) }
  }

  static func elements(of stack: Pointer?) -> [Pointer] {
    guard let stack, let trust else { return [] }
    return (0..<max(0, trust.stackCount(stack))).compactMap { trust.stackValue(stack, $0) }
  }

  // MARK: Verifying

  /// Whether a certificate names a host or an address as a subject alternative name.
  static func names(_ certificate: Pointer, _ host: String) -> Bool {
    guard let functions = certificates else { return false }
    var address = in6_addr()
    var address4 = in_addr()
    if inet_pton(AF_INET, host, &address4) == 1 || inet_pton(AF_INET6, host, &address) == 1 {
      return functions.matchesAddress(certificate, host, 0) == 1
    }
    let name = host.last == "." && host.utf8.count > 1 ? String(host.dropLast()) : host
    // X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS and X509_CHECK_FLAG_NEVER_CHECK_SUBJECT.
    return name.withCString { functions.matchesHost(certificate, $0, name.utf8.count, 0x4 | 0x20, nil) == 1 }
  }

  /// X509_V_ERR_HOSTNAME_MISMATCH.
  static let hostNameMismatch: Int32 = 62

  /// Verifies certificates outside a handshake. The first one is the server's.
  ///
  /// - Returns: the verification's error code; 0 if they are valid for the host.
  static func verify(_ chain: [[UInt8]], host: String, with store: TrustStore) -> Int32 {
    let unspecified: Int32 = 1
    guard let functions = certificates, let trust, let stack = functions.makeStack() else {
      return unspecified
    }
    defer { functions.freeStack(stack) }
    let parsed = chain.compactMap { decoded(certificate: $0) }
    defer { for certificate in parsed { trust.freeCertificate(certificate) } }
    guard parsed.count == chain.count, let leaf = parsed.first,
      let verification = functions.makeVerification()
    else { return unspecified }
    defer {
      functions.freeVerification(verification)
      trust.clearErrors()
    }
    for certificate in parsed where functions.pushStack(stack, certificate) <= 0 { return unspecified }
    guard store.start(verification, leaf: leaf, others: stack),
      functions.setPurpose(verification, "ssl_server") == 1
    else { return unspecified }
    guard functions.verify(verification) == 1 else { return max(unspecified, functions.error(verification)) }
    return names(leaf, host) ? 0 : hostNameMismatch
  }

  /// The caller frees the certificate.
  static func decoded(certificate bytes: [UInt8]) -> Pointer? {
    guard let functions = certificates else { return nil }
    return bytes.withUnsafeBufferPointer { buffer in
      var place = buffer.baseAddress
      let certificate = functions.decode(nil, &place, buffer.count)
      if certificate == nil { trust?.clearErrors() }
      return certificate
    }
  }
}
