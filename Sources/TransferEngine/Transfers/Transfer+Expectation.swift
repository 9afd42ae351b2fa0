import CCurl

// Requests whose body waits for the server's agreement: `Expect: 100-continue`.
extension Transfer {
  /// The header fields to send.
  var headers: [TransferHeader] {
    omitsExpectation ? request.headersWithoutExpectation : request.headers
  }

  /// Whether no part of the body was sent, because the server has not agreed to it yet.
  var awaitsContinue: Bool {
    guard request.expectsContinue, !omitsExpectation, sentBodyBytes == 0, let handle else { return false }
    return Curl.offset(handle.easy, CURLINFO_SIZE_UPLOAD_T) == 0
  }

  /// Returns whether the request is sent again without the expectation that the server has just refused. libcurl would
  /// repeat it by itself, but that is our decision.
  func repeatsWithoutExpectation() -> Bool {
    guard request.expectsContinue, !omitsExpectation,
      retry.repeatsWithoutExpectation(sentBody: !awaitsContinue)
    else { return false }
    omitsExpectation = true
    attempt.restart = .overNewConnection
    head = HeadCollector()
    return true
  }

  /// Reports a short body as sent. libcurl sends it without a callback, so this is known only when a response arrives.
  func reportShortBodySent() {
    guard case .bytes(let bytes) = request.body, sentBodyBytes < bytes.count, !awaitsContinue else { return }
    sentBodyBytes = Int64(bytes.count)
    observer?.transferDidSend(total: sentBodyBytes)
  }
}
