// Every call into OpenSSL that reads private keys.

extension OpenSSL {
  struct KeyFunctions: Sendable {
    typealias Read = @convention(c) (Pointer?, Pointer?, Pointer?, UnsafePointer<CChar>?) -> Pointer?
    let readKey: Read
    let readCertificate: Read
    let freeKey: @convention(c) (Pointer?) -> Void
    let retainKey: @convention(c) (Pointer?) -> Int32
    let belongsTo: @convention(c) (Pointer?, Pointer?) -> Int32
    let decodeArchive: @convention(c) (Pointer?, Pointer?) -> Pointer?
    let openArchive:
      @convention(c) (
        Pointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<Pointer?>?, UnsafeMutablePointer<Pointer?>?,
        UnsafeMutablePointer<Pointer?>?
      ) -> Int32
    let freeArchive: @convention(c) (Pointer?) -> Void
    let nextError: @convention(c) () -> UInt
    let errorReason: @convention(c) (UInt) -> UnsafePointer<CChar>?
  }

  static let keys: KeyFunctions? = {
    typealias Free = @convention(c) (Pointer?) -> Void
    guard let readKey = find("PEM_read_bio_PrivateKey", as: KeyFunctions.Read.self),
      let readCertificate = find("PEM_read_bio_X509", as: KeyFunctions.Read.self),
      let freeKey = find("EVP_PKEY_free", as: Free.self),
      let retainKey = find("EVP_PKEY_up_ref", as: (@convention(c) (Pointer?) -> Int32).self),
      let belongsTo = find(
        "X509_check_private_key", as: (@convention(c) (Pointer?, Pointer?) -> Int32).self),
      let decodeArchive = find(
        "d2i_PKCS12_bio", as: (@convention(c) (Pointer?, Pointer?) -> Pointer?).self),
      let openArchive = find(
        "PKCS12_parse",
        as: (@convention(c) (
          Pointer?, UnsafePointer<CChar>?, UnsafeMutablePointer<Pointer?>?, UnsafeMutablePointer<Pointer?>?,
          UnsafeMutablePointer<Pointer?>?
        ) -> Int32).self),
      let freeArchive = find("PKCS12_free", as: Free.self),
      let nextError = find("ERR_get_error", as: (@convention(c) () -> UInt).self),
      let errorReason = find(
        "ERR_reason_error_string", as: (@convention(c) (UInt) -> UnsafePointer<CChar>?).self)
    else { return nil }
    return KeyFunctions(
      readKey: readKey, readCertificate: readCertificate, freeKey: freeKey, retainKey: retainKey,
      belongsTo: belongsTo,
      decodeArchive: decodeArchive, openArchive: openArchive, freeArchive: freeArchive, nextError: nextError,
      errorReason: errorReason)
  }()

  /// Takes the reasons of the errors that OpenSSL has recorded for this thread.
  static func takeErrors() -> [String] {
    guard let keys else { return [] }
    var reasons: [String] = []
    while reasons.count < 32 {
      let code = keys.nextError()
      if code == 0 { break }
      if let reason = keys.errorReason(code) { reasons.append(String(cString: reason)) }
    }
    trust?.clearErrors()
    return reasons
  }

  /// Reads bytes through a `BIO`.
  static func withInput<Result>(_ bytes: [UInt8], _ body: (Pointer) -> Result?) -> Result? {
    guard let trust else { return nil }
    return bytes.withUnsafeBytes { buffer in
      guard let input = trust.makeMemory(buffer.baseAddress, Int32(clamping: buffer.count)) else {
        return nil
      }
      defer { _ = trust.freeMemory(input) }
      return body(input)
    }
  }
}
