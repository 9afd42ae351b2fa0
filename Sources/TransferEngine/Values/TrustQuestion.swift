/// The certificates of a server, as it presented them in a handshake.
package struct ServerChain: Hashable, Sendable {
  /// Identifies exactly these certificates in this order: a SHA-256 hash.
  package let digest: [UInt8]
  /// The certificates in DER, the server's own first. If they were verified, this is the path to the trusted
  /// certificate. Otherwise it is what the server sent.
  package let certificates: [[UInt8]]

  package init(digest: [UInt8], certificates: [[UInt8]]) {
    self.digest = digest
    self.certificates = certificates
  }
}

/// What was decided about a server's certificates.
package enum ServerDecision: Hashable, Sendable {
  /// The client's verification decides, again at each handshake.
  case standard
  /// They are accepted although they may be invalid. The host name must match, unless it is ignored.
  case accepted(ignoringHostName: Bool)
}

/// A key and its certificates, with which a client identifies itself.
package protocol ClientKeyMaterial: AnyObject, Sendable {}

/// A question that a server's handshake raised. The transfer waits for the answer, and the handshake is then repeated.
package struct TrustQuestion: Sendable {
  package enum Subject: Hashable, Sendable {
    /// Whether to accept the server. The failure is the result of the verification; nil if the server is valid.
    case server(ServerChain, failure: TransferFailure?)
    /// Which certificate to present. The authorities that the server accepts are distinguished names in DER.
    case clientCertificate(authorities: [[UInt8]])
  }

  package let subject: Subject
  package let host: String
  package let port: UInt16
  private let reply: @Sendable (TrustAnswer) -> Void

  init(
    _ subject: Subject, host: String, port: UInt16, reply: @escaping @Sendable (TrustAnswer) -> Void
  ) {
    self.subject = subject
    self.host = host
    self.port = port
    self.reply = reply
  }

  /// Answers the question, from any thread. Only the first answer has an effect.
  package func answer(_ answer: TrustAnswer) { reply(answer) }
}

package enum TrustAnswer: Sendable {
  /// Accept the server if its certificates are valid; present no certificate.
  case performDefault
  /// Accept exactly the server's certificates.
  case accept(ignoringHostName: Bool)
  /// Present this key, or none.
  case present((any ClientKeyMaterial)?)
  /// End the transfer. The next transfer asks again.
  case refuse(TransferFailure)
}
