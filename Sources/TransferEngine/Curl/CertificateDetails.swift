import Glibc

/// The readable parts of a certificate.
package struct CertificateDetails: Sendable, Hashable {
  /// The distinguished names in the form of RFC 4514.
  package var subject = ""
  package var issuer = ""
  /// The host names and addresses in the subject alternative name.
  package var names: [String] = []
  /// The validity, in seconds since 1970.
  package var start: Int
  package var end: Int
  /// The SHA-256 hash of the subject public key info.
  package var publicKeyDigest: [UInt8]

  /// Reads a certificate in DER. Returns nil if it is damaged, or without OpenSSL.
  package init?(_ bytes: [UInt8]) {
    guard Curl.isReady, let functions = OpenSSL.certificates,
      let certificate = OpenSSL.decoded(certificate: bytes)
    else { return nil }
    defer { OpenSSL.trust?.freeCertificate(certificate) }
    guard let start = Self.seconds(functions.start(certificate)),
      let end = Self.seconds(functions.end(certificate)),
      let key = OpenSSL.encodedPublicKey(of: certificate), let digest = Digests.sha256(key)
    else { return nil }
    self.start = start
    self.end = end
    publicKeyDigest = digest
    subject = Self.text(functions.subject(certificate))
    issuer = Self.text(functions.issuer(certificate))
    names = Self.names(certificate)
  }

  /// The certificates of a PEM file, in DER. Other parts of it are skipped.
  package static func certificates(pem: [UInt8]) -> [[UInt8]] {
    guard Curl.isReady, let keys = OpenSSL.keys else { return [] }
    let found: [[UInt8]]? = OpenSSL.withInput(pem) { input in
      var found: [[UInt8]] = []
      while let certificate = keys.readCertificate(input, nil, nil, "") {
        if let bytes = OpenSSL.encoded(certificate: certificate) { found.append(bytes) }
        OpenSSL.trust?.freeCertificate(certificate)
      }
      return found
    }
    _ = OpenSSL.takeErrors()
    return found ?? []
  }

  private static func seconds(_ time: OpenSSL.Pointer?) -> Int? {
    var parts = tm()
    guard let time, OpenSSL.certificates?.time(time, &parts) == 1 else { return nil }
    return timegm(&parts)
  }

  private static func text(_ name: OpenSSL.Pointer?) -> String {
    guard let name, let functions = OpenSSL.certificates, let trust = OpenSSL.trust,
      let output = functions.makeOutput(functions.memoryMethod())
    else { return "" }
    defer { _ = trust.freeMemory(output) }
    // XN_FLAG_RFC2253 without ASN1_STRFLGS_ESC_MSB: letters beyond ASCII are kept.
    guard functions.printName(output, name, 0, 0x111_0313) >= 0 else { return "" }
    var start: UnsafeMutablePointer<UInt8>?
    // BIO_CTRL_INFO
    let count = withUnsafeMutablePointer(to: &start) { functions.control(output, 3, 0, $0) }
    guard let start, count > 0 else { return "" }
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  private static func names(_ certificate: OpenSSL.Pointer) -> [String] {
    guard let functions = OpenSSL.certificates, let trust = OpenSSL.trust,
      // NID_subject_alt_name
      let names = trust.extensionValue(certificate, 85, nil, nil)
    else { return [] }
    defer { trust.freeNames(names) }
    return OpenSSL.elements(of: names).compactMap { name in
      var kind: Int32 = 0
      guard let value = functions.nameValue(name, &kind), kind == 2 || kind == 7,
        let start = functions.stringBytes(value)
      else { return nil }
      let bytes = UnsafeBufferPointer(start: start, count: Int(max(0, functions.stringLength(value))))
      return kind == 2 ? String(decoding: bytes, as: UTF8.self) : address(bytes)
    }
  }

  private static func address(_ bytes: UnsafeBufferPointer<UInt8>) -> String? {
    guard let start = bytes.baseAddress, bytes.count == 4 || bytes.count == 16 else { return nil }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = bytes.count == 4 ? AF_INET : AF_INET6
    guard inet_ntop(family, start, &text, socklen_t(text.count)) != nil else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Verifies certificates outside a connection.
package enum CertificateVerifier {
  /// Returns the reason why certificates are not valid for a host; nil if they are valid.
  ///
  /// - Parameters:
  ///   - chain: The certificates in DER, the server's own first.
  ///   - anchors: The trusted certificates in PEM; nil for those of the system.
  package static func failure(of chain: [[UInt8]], host: String, anchors: [UInt8]?) -> TransferFailure? {
    guard Curl.isReady, Curl.usesOpenSSL else { return unavailable }
    let store: TrustStore?
    if let anchors {
      store = anchors.withUnsafeBytes { TrustStore(pem: $0) }
    } else {
      store = TrustStores.systemFile.flatMap { try? TrustStores.shared.load(.file($0)).get() }
    }
    guard let store else {
      return TransferFailure(
        .trustStoreUnreadable, message: "Could not read the trusted certificates, or there are none.")
    }
    let code = OpenSSL.verify(chain, host: host, with: store)
    return code == 0 ? nil : TransferFailure(verification: code, host: host)
  }

  private static let unavailable = TransferFailure(
    .secureConnectionFailed, message: "Certificates can only be verified if libcurl uses OpenSSL.")
}
