// Heads of responses. With NTLM or Negotiate, libcurl exchanges several requests and responses over one connection, and
// only the last of the responses is delivered.
extension Transfer {
  /// Delivers the head of the final response. False ends the transfer.
  func deliver(_ received: TransferHead) -> Bool {
    guard let observer else { return false }
    var head = received
    head.isFromExceptedServer = isFromExceptedServer
    head.identifiesUser = identifiesUser
    if let value = head.contentEncoding, request.acceptedEncodings != "" {
      let codings = ContentCoding.list(value)
      if !codings.isEmpty { decoder = BodyDecoder(codings) }
    }
    note(head)
    // libcurl stops sending after such a response, but does not end while sending is paused.
    if head.status >= 300, machine.isSendPaused { resumeSending() }
    let disposition = observer.transferDidReceive(head: head)
    if response.endsAtHead { return false }
    switch disposition {
    case .proceed, .gather: return true
    case .pause:
      machine.pauseReceiving()
      return true
    case .stop: return false
    }
  }

  /// Handles a line of a proxy's response to CONNECT. It only serves to answer a challenge of the proxy.
  func receiveTunnelLine(_ line: UnsafeRawBufferPointer) -> Bool {
    switch attempt.tunnelHead.append(line, limits: request.limits) {
    case .more, .informational: return true
    case .complete(let head):
      if !(200..<300 ~= head.status) { attempt.tunnelRefusal = head }
      // libcurl may ask again over the same connection.
      attempt.tunnelHead = HeadCollector()
      return true
    case .failure:
      // The framing of this response is libcurl's concern, which ignores its body.
      attempt.tunnelHead = HeadCollector()
      return true
    }
  }

  /// A complete head, and the state of its lines.
  struct HeldHead {
    let head: TransferHead
    let collector: HeadCollector
  }

  /// Whether libcurl may answer this response itself.
  func isIntermediate(_ head: TransferHead) -> Bool {
    switch head.status {
    case 401: request.signIn != nil
    // With a tunnel, the proxy's answers do not come this way.
    case 407: request.proxySignIn != nil && !usesTunnel
    default: false
    }
  }

  /// Keeps a refusal until it is known whether it is the final response: then a body or the end follows.
  func hold(_ refusal: TransferHead) -> Bool {
    heldHead = HeldHead(head: refusal, collector: head)
    head = HeadCollector()
    return true
  }

  /// Delivers the kept head, if there is one, because it belongs to the final response. False ends the transfer.
  func deliverHeldHead() -> Bool {
    guard let held = heldHead else { return true }
    heldHead = nil
    head = held.collector
    return deliver(held.head)
  }

  /// Ends a transfer whose observer did not want the body of the final response.
  func stopAtHeldHead() {
    guard machine.cancel() != .none else { return }
    handle?.needsReset()
    detachAndFinish(noticedFailure ?? .cancelled)
  }
}
