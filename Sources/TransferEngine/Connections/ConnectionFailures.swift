import COwnTransport
import Glibc

/// What OpenSSL says about failures.
enum OwnTLS {
  /// Returns and forgets the last error of this thread, for example “…:tlsv13 alert certificate required”.
  static func takeError() -> String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { text in
      own_tls_take_error(text.baseAddress, text.count)
      return text.baseAddress.map { String(cString: $0) } ?? ""
    }
  }
}

extension TransferFailure {
  static let handshakeTimedOut = TransferFailure(
    .timedOut, message: "The request timed out: the server did not finish the TLS handshake. Try again later."
  )

  /// A failed handshake.
  static func handshake(
    _ tls: UnsafeMutableRawPointer, host: String, verifies: Bool
  ) -> TransferFailure {
    let verification = verifies ? own_tls_verification(tls) : 0
    let text = OwnTLS.takeError()
    if verification != 0 { return TransferFailure(verification: Int32(clamping: verification), host: host) }
    if let refusal = refusalOfClient(text) { return refusal }
    return TransferFailure(
      .secureConnectionFailed, message: FailureText.sentences(.secureConnectionFailed, detail: text))
  }

  /// The server refused the client's certificate, or wants one; nil if the error is about something else.
  static func refusalOfClient(_ text: String) -> TransferFailure? {
    guard let code = rejectedCertificate(text) else { return nil }
    return code == .clientCertificateRequired
      ? TransferFailure(code, message: "The server requires a client certificate.")
      : TransferFailure(code, message: FailureText.sentences(code, detail: text))
  }

  /// None of a server's addresses could be connected to.
  static func unreachable(_ server: ServerAddress, _ error: Int32) -> TransferFailure {
    if [ENETUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(error) {
      return TransferFailure(
        .networkUnreachable,
        message: "Could not connect to the server: there is no network that reaches it.")
    }
    return TransferFailure(
      .cannotConnect,
      message: FailureText.sentences(
        .cannotConnect, detail: "Failed to connect to \(server.host) port \(server.port)", systemError: error)
    )
  }
}
