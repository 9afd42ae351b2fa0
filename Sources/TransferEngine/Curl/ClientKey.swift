/// A private key with its certificate and intermediate certificates, for servers that ask for one.
///
/// `@unchecked Sendable`: the objects never change after they were read, and OpenSSL's reference counts are atomic.
package final class ClientKey: ClientKeyMaterial, @unchecked Sendable {
  package enum Failure: Error, Hashable, Sendable {
    /// No library can read keys: libcurl does not use OpenSSL.
    case unavailable
    case noCertificate, noKey
    /// The password is wrong, or is missing.
    case wrongPassword
    /// The key does not belong to the certificate.
    case mismatch
    /// An algorithm that the library refuses, such as RC2 in old PKCS#12 files.
    case unsupportedAlgorithm
    case damaged
  }

  private let key: OpenSSL.Pointer
  /// The certificate, then the intermediate ones.
  private let chain: [OpenSSL.Pointer]
  /// A stack of the intermediate certificates; nil if there are none.
  private let intermediates: OpenSSL.Pointer?

  /// The certificates in DER, the key's own first.
  package let certificates: [[UInt8]]

  /// Takes over the key and the certificates, also if it fails.
  private init(key: OpenSSL.Pointer?, chain: [OpenSSL.Pointer]) throws(Failure) {
    var stack: OpenSSL.Pointer?
    do throws(Failure) {
      guard let keys = OpenSSL.keys, let functions = OpenSSL.certificates else { throw .unavailable }
      guard let key else { throw .noKey }
      guard let own = chain.first else { throw .noCertificate }
      guard keys.belongsTo(own, key) == 1 else {
        _ = OpenSSL.takeErrors()
        throw .mismatch
      }
      if chain.count > 1 {
        stack = functions.makeStack()
        for certificate in chain.dropFirst() where functions.pushStack(stack, certificate) <= 0 {
          throw .unavailable
        }
      }
      self.key = key
    } catch {
      Self.free(key, chain, stack)
      throw error
    }
    self.chain = chain
    intermediates = stack
    certificates = chain.compactMap { OpenSSL.encoded(certificate: $0) }
  }

  deinit { Self.free(key, chain, intermediates) }

  private static func free(
    _ key: OpenSSL.Pointer?, _ chain: [OpenSSL.Pointer], _ stack: OpenSSL.Pointer?
  ) {
    if let key { OpenSSL.keys?.freeKey(key) }
    if let stack { OpenSSL.certificates?.freeStack(stack) }
    for certificate in chain { OpenSSL.trust?.freeCertificate(certificate) }
  }

  /// Reads a certificate, intermediate certificates and a key in PEM.
  ///
  /// - Parameter password: The password of an encrypted key.
  package convenience init(
    certificates: [UInt8], key: [UInt8], password: String?
  ) throws(Failure) {
    guard Curl.isReady, let keys = OpenSSL.keys else { throw .unavailable }
    let chain: [OpenSSL.Pointer] =
      OpenSSL.withInput(certificates) { input in
        var chain: [OpenSSL.Pointer] = []
        while let certificate = keys.readCertificate(input, nil, nil, "") { chain.append(certificate) }
        return chain
      } ?? []
    _ = OpenSSL.takeErrors()
    // Without any password, OpenSSL would ask for one on the terminal.
    let privateKey = OpenSSL.withInput(key) { keys.readKey($0, nil, nil, password ?? "") }
    let reasons = OpenSSL.takeErrors()
    guard privateKey != nil else {
      for certificate in chain { OpenSSL.trust?.freeCertificate(certificate) }
      throw Self.failure(reasons, pem: String(decoding: key, as: UTF8.self))
    }
    try self.init(key: privateKey, chain: chain)
  }

  /// Reads a PKCS#12 archive.
  package convenience init(archive: [UInt8], password: String) throws(Failure) {
    guard Curl.isReady, let keys = OpenSSL.keys else { throw .unavailable }
    _ = OpenSSL.takeErrors()
    let decoded = OpenSSL.withInput(archive) { keys.decodeArchive($0, nil) }
    guard let decoded else {
      _ = OpenSSL.takeErrors()
      throw .damaged
    }
    defer { keys.freeArchive(decoded) }
    var key: OpenSSL.Pointer?
    var certificate: OpenSSL.Pointer?
    var others: OpenSSL.Pointer?
    let isOpen = keys.openArchive(decoded, password, &key, &certificate, &others) == 1
    let reasons = OpenSSL.takeErrors()
    // The stack owns its certificates. The elements are kept, and only the stack is freed.
    let intermediates = OpenSSL.elements(of: others)
    if let others { OpenSSL.certificates?.freeStack(others) }
    let chain = [certificate].compactMap { $0 } + intermediates
    guard isOpen else {
      Self.free(key, chain, nil)
      throw Self.failure(reasons, pem: nil)
    }
    try self.init(key: key, chain: certificate == nil ? [] : chain)
  }

  /// The same key and certificate with other intermediate certificates; nil if one of them is damaged.
  package convenience init?(_ original: ClientKey, intermediates: [[UInt8]]) {
    guard let keys = OpenSSL.keys, let own = original.certificates.first, keys.retainKey(original.key) == 1
    else { return nil }
    let chain = ([own] + intermediates).compactMap { OpenSSL.decoded(certificate: $0) }
    guard chain.count == intermediates.count + 1 else {
      Self.free(original.key, chain, nil)
      return nil
    }
    try? self.init(key: original.key, chain: chain)
  }

  private static func failure(_ reasons: [String], pem: String?) -> Failure {
    func mentions(_ texts: String...) -> Bool {
      reasons.contains { reason in texts.contains { reason.contains($0) } }
    }
    if mentions(
      "mac verify", "bad decrypt", "bad password", "maybe wrong password", "problems getting password")
    {
      return .wrongPassword
    }
    if let pem {
      // OpenSSL 3 reports anything that it cannot read as unsupported.
      guard pem.contains("PRIVATE KEY-----") else { return .noKey }
      guard pem.contains("ENCRYPTED") else { return .damaged }
    }
    if mentions("unsupported", "unknown pbe", "unknown cipher") { return .unsupportedAlgorithm }
    return .damaged
  }

  /// Presents the key on a connection (`SSL *`). Returns false if OpenSSL refuses the key.
  func use(on connection: OpenSSL.Pointer) -> Bool {
    guard let handshake = OpenSSL.handshake, let own = chain.first else { return false }
    return handshake.useKey(connection, own, key, intermediates, 1) == 1
  }
}
