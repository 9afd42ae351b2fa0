/// What decides about the handshake of a connection: the transfer that opens it.
protocol HandshakeDecider: AnyObject {
  /// Returns what was decided about these certificates. Nil refuses the handshake.
  func decision(about chain: ServerChain, failure: TransferFailure?) -> ServerDecision?
  /// Returns what to present to a server that requests a certificate. Nil refuses the handshake.
  func keyToPresent(authorities: () -> [[UInt8]]) -> PresentedKey?
  /// The handshake is refused for this reason.
  func refused(_ failure: TransferFailure)
  /// The server refused the client, or the handshake, with this alert.
  func serverSent(alert: UInt8)
}

enum PresentedKey {
  case nothing
  case key(ClientKey)
}

/// The checks of one connection's handshake beyond those of libcurl: pins, decisions of a delegate, and the key of a
/// client. OpenSSL keeps it as long as the connection's context.
final class HandshakeCheck {
  private let host: String
  private let pins: Set<ServerPin>?
  /// Whether a delegate decides. libcurl then checks no host name.
  private let asks: Bool
  /// Whether the client accepts any certificate, apart from the pins.
  private let acceptsAnything: Bool
  /// The key of the configuration, if it has one for the server.
  private let key: ClientKey?
  private weak var decider: (any HandshakeDecider)?

  /// Whether the delegate has accepted the server of this connection although its certificates were not valid.
  private(set) var isException = false

  init(
    host: String, pins: Set<ServerPin>?, asks: Bool, acceptsAnything: Bool, key: ClientKey? = nil,
    decider: any HandshakeDecider
  ) {
    self.host = host
    self.pins = pins
    self.asks = asks
    self.acceptsAnything = acceptsAnything
    self.key = key
    self.decider = decider
  }

  /// X509_V_ERR_APPLICATION_VERIFICATION.
  private static let refusedByApplication: Int32 = 50

  /// Whether the certificates of a verification (`X509_STORE_CTX *`) are accepted.
  func accepts(_ verification: OpenSSL.Pointer) -> Bool {
    guard let functions = OpenSSL.certificates, let trust = OpenSSL.trust,
      let leaf = functions.leaf(verification)
    else { return false }
    var code = functions.verify(verification) == 1 ? 0 : max(1, functions.error(verification))
    if asks {
      let isNamed = OpenSSL.names(leaf, host)
      if code == 0, !isNamed { code = OpenSSL.hostNameMismatch }
      switch decision(verification, code) {
      case nil:
        trust.setError(verification, code == 0 ? Self.refusedByApplication : code)
        return false
      case .standard: break
      case .accepted(let ignoresHostName):
        guard isNamed || ignoresHostName else {
          trust.setError(verification, OpenSSL.hostNameMismatch)
          return false
        }
        isException = code != 0
        return hasPin(verification, leaf, isVerified: code == 0, trust)
      }
    }
    guard code == 0 || acceptsAnything else {
      trust.setError(verification, code)
      return false
    }
    return hasPin(verification, leaf, isVerified: code == 0, trust)
  }

  private func decision(_ verification: OpenSSL.Pointer, _ code: Int32) -> ServerDecision? {
    guard let functions = OpenSSL.certificates, let decider else { return nil }
    let sent = OpenSSL.encoded(certificates: functions.presented(verification))
    // The lengths keep two lists apart whose bytes are the same.
    let bytes = sent.flatMap { der in (0..<4).map { UInt8(truncatingIfNeeded: der.count >> ($0 * 8)) } + der }
    guard !sent.isEmpty, let digest = Digests.sha256(bytes) else { return nil }
    let path = code == 0 ? OpenSSL.encoded(certificates: functions.verified(verification)) : sent
    return decider.decision(
      about: ServerChain(digest: digest, certificates: path),
      failure: code == 0 ? nil : TransferFailure(verification: code, host: host))
  }

  /// Checks the pins. In certificates that were not verified, only the server's own key counts: the server may send any
  /// other certificate.
  private func hasPin(
    _ verification: OpenSSL.Pointer, _ leaf: OpenSSL.Pointer, isVerified: Bool,
    _ trust: OpenSSL.TrustFunctions
  ) -> Bool {
    if let pins {
      let path =
        isVerified ? OpenSSL.elements(of: OpenSSL.certificates?.verified(verification)) : [leaf]
      guard path.contains(where: { Self.matches($0, pins) }) else {
        decider?.refused(.pinMismatch(host))
        trust.setError(verification, Self.refusedByApplication)
        return false
      }
    }
    // X509_V_OK
    trust.setError(verification, 0)
    return true
  }

  private static func matches(_ certificate: OpenSSL.Pointer, _ pins: Set<ServerPin>) -> Bool {
    if let key = OpenSSL.encodedPublicKey(of: certificate).flatMap({ Digests.sha256($0) }),
      pins.contains(.publicKey(key))
    {
      return true
    }
    let digest = OpenSSL.encoded(certificate: certificate).flatMap { Digests.sha256($0) }
    return digest.map { pins.contains(.certificate($0)) } ?? false
  }

  /// Notes an alert of the server, if it can be about client certificates: handshake_failure (40), bad_certificate,
  /// unsupported_certificate, certificate_revoked, certificate_expired, certificate_unknown (46), unknown_ca (48),
  /// access_denied (49), certificate_required (116).
  func serverSent(alert: UInt8) {
    switch alert {
    case 40, 42...46, 48, 49, 116: decider?.serverSent(alert: alert)
    default: break
    }
  }

  /// Presents a key on a connection (`SSL *`) whose server requests one. Returns false to refuse the handshake.
  ///
  /// With TLS 1.3, a server may also request one after the handshake, when other transfers use the connection.
  func presentsKey(on connection: OpenSSL.Pointer) -> Bool {
    if let key { return key.use(on: connection) }
    guard let decider else { return true }
    return switch decider.keyToPresent(authorities: { OpenSSL.authorities(requestedOn: connection) }) {
    case nil: false
    case .nothing: true
    case .key(let key): key.use(on: connection)
    }
  }
}

extension TransferFailure {
  /// Creates the failure for OpenSSL's verification result (X509_V_ERR_…).
  init(verification code: Int32, host: String) {
    let reason = OpenSSL.certificates?.errorText(Int(code)).map { String(cString: $0) } ?? "error \(code)"
    let detail =
      code == OpenSSL.hostNameMismatch ? "it is not valid for the name \(host)" : reason
    let failure = Code(verification: Int(code))
    self.init(failure, curl: 60, message: FailureText.sentences(failure, detail: detail))
  }

  static func pinMismatch(_ host: String) -> TransferFailure {
    TransferFailure(
      .certificateUntrusted, curl: 90,
      message: "None of the certificates of \(host) has one of the host's pins. If the server has a new key, "
        + "update the pins of the session's configuration; otherwise the connection is not safe.")
  }
}

extension TransferFailure.Code {
  /// Translates OpenSSL's verification result (X509_V_ERR_…), which says why a certificate was rejected.
  init(verification code: Int) {
    self =
      switch code {
      case 9: .certificateNotYetValid
      case 10: .certificateExpired
      case 2, 18, 19, 20, 21: .certificateUnknownRoot
      default: .certificateUntrusted
      }
  }
}
