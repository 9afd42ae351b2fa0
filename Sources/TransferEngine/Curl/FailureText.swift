import Glibc

/// The messages for libcurl's errors. Each says what happened, why, and what to do.
enum FailureText {
  /// Returns complete sentences.
  ///
  /// - Parameters:
  ///   - detail: libcurl's message about the failure.
  ///   - systemError: The error number of the last failed attempt to connect; 0 if there is none.
  static func sentences(_ code: TransferFailure.Code, detail: String, systemError: Int32 = 0) -> String {
    let detail = withoutEnd(detail)
    if code == .hostNotFound { return hostNotFound(detail) }
    if code == .cannotConnect, let server = server(of: detail) {
      let reason = systemError == 0 ? "no response" : String(cString: strerror(systemError))
      return "Could not connect to \(server): \(reason). \(advice(for: code))"
    }
    if detail == "Empty reply from server" {
      return "The server closed the connection without a response. Try again."
    }
    let event = event(of: code)
    let reason = certificateReason(detail)
    let sentence = reason.isEmpty ? "\(event)." : "\(event): \(reason)."
    // A certificate is also untrusted for other reasons than its names.
    let advice = code == .certificateUntrusted && !reason.contains("name") ? "" : advice(for: code)
    return advice.isEmpty ? sentence : "\(sentence) \(advice)"
  }

  private static func event(of code: TransferFailure.Code) -> String {
    switch code {
    case .badURL: "The URL is not valid"
    case .unsupportedScheme: "The scheme of the URL is not supported"
    case .cannotConnect: "Could not connect to the server"
    case .proxyRefused: "The proxy did not connect to the server"
    case .timedOut: "The request timed out"
    case .badReply: "The response is not valid HTTP"
    case .connectionLost: "The connection to the server was lost"
    case .secureConnectionFailed: "Could not establish a TLS connection"
    case .certificateUntrusted, .certificateUnknownRoot, .certificateExpired, .certificateNotYetValid:
      "The server's certificate is not trusted"
    case .clientCertificateRejected: "The client certificate cannot be used"
    case .trustStoreUnreadable: "Could not read the trusted certificates"
    case .requestBodyFailed: "Could not read the request body"
    case .requestBodyNotRewindable: "The request must be sent again, but its body can only be read once"
    case .bodyTooLarge: "The response body is too large"
    case .outOfMemory: "Could not allocate memory for the transfer"
    case .cancelled: "The transfer was cancelled"
    default: "The transfer failed"
    }
  }

  private static func advice(for code: TransferFailure.Code) -> String {
    switch code {
    case .badURL: "Check the spelling."
    case .unsupportedScheme: "Use http or https."
    case .cannotConnect: "Check the address, and whether the server is running."
    case .proxyRefused: "Check the address, the user name and the password of the proxy."
    case .timedOut, .connectionLost, .outOfMemory: "Try again later."
    case .badReply: "Check that the URL has the port of an HTTP server."
    case .secureConnectionFailed: "Check that the server uses TLS on this port, and which versions."
    case .certificateUntrusted: "Check the host name in the URL."
    case .certificateExpired, .certificateNotYetValid:
      "Check the clock of this machine, and the dates of the certificate."
    case .clientCertificateRejected: "Check the certificate and its key."
    case .trustStoreUnreadable: "Check the file."
    default: ""
    }
  }

  // MARK: libcurl's messages

  private static func withoutEnd(_ text: String) -> String {
    var text = Substring(text)
    while let last = text.last, last.isWhitespace || last == "." { text.removeLast() }
    return String(text)
  }

  private static func hostNotFound(_ detail: String) -> String {
    for (start, kind) in [("Could not resolve host: ", "host"), ("Could not resolve proxy: ", "proxy")]
    where detail.hasPrefix(start) {
      return "Could not find the \(kind) \(detail.dropFirst(start.count)). Check the spelling."
    }
    return "Could not find the host: \(detail). Check the spelling."
  }

  /// Returns “127.0.0.1 port 1” for “Failed to connect to 127.0.0.1 port 1 after 0 ms: Couldn't connect to server”.
  private static func server(of detail: String) -> Substring? {
    let start = "Failed to connect to "
    guard detail.hasPrefix(start) else { return nil }
    let rest = detail.dropFirst(start.count)
    let words = rest.split(separator: " ", omittingEmptySubsequences: false)
    guard let index = words.firstIndex(of: "port"), index + 1 < words.count else { return nil }
    return rest[..<words[index + 1].endIndex]
  }

  /// Removes a start that repeats what the sentence already says.
  private static func certificateReason(_ detail: String) -> Substring {
    for start in ["SSL certificate problem: ", "SSL: "] where detail.hasPrefix(start) {
      return detail.dropFirst(start.count)
    }
    return detail[...]
  }
}
