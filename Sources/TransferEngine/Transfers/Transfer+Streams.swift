import CCurl

// HTTP/2 streams: events that libcurl does not notice itself.
extension Transfer {
  /// The server violated the protocol, and nothing reads from the connection any longer.
  func connectionBroke() {
    guard machine.isRunning else { return }
    core.loop.addBroken(self)
  }

  /// Records that the stream was closed, or that bytes received on it are on their way through libcurl.
  func noteStream() {
    guard machine.isRunning, !isStreaming else { return }
    isStreaming = true
    core.loop.addStreaming(self)
  }

  /// Records that libcurl has delivered received bytes.
  func libcurlHandedOver(_ count: Int) {
    guard let handle else { return }
    handle.backlog.handedOver(count)
    if !handle.backlog.isEmpty { noteStream() }
  }

  /// Runs after libcurl has processed its events. Passes the bytes to libcurl that it had no room for before. If
  /// libcurl still has data of this transfer, ending a pause makes it check again.
  func recheckStream() {
    isStreaming = false
    guard machine.isRunning, !machine.isReceivePaused, let handle else { return }
    guard handle.backlog.isEmpty else {
      // Before libcurl has delivered the head, it may still move the request to another connection.
      if head.hasBegun, handle.passKeptBytes() {
        // libcurl has scheduled the handle to run.
        core.loop.setTimer(of: core, due: core.loop.now)
        noteStream()
      }
      return
    }
    if handle.isWindowShut {
      handle.allowWindowToOpen()
      recheck(handle)
    }
    guard
      handle.streamErrorCode != nil || handle.streamBytes > response.receivedLength
    else { return }
    let progress = StreamProgress(received: response.receivedLength, code: handle.streamErrorCode)
    rechecks = progress == lastProgress ? rechecks + 1 : 0
    lastProgress = progress
    // Repeating this without progress would keep the loop busy forever.
    guard rechecks < Self.maximumRechecks else {
      // libcurl does not notice, but the server will not send more.
      if handle.serverClosedStream, handle.streamErrorCode != 0 { done(CURLE_HTTP2_STREAM) }
      return
    }
    recheck(handle)
    noteStream()
  }

  /// Whether libcurl failed only because it could not send the rest of a body, and the response is complete. A server
  /// that needs no more of a body may reset the stream after its response (RFC 9113, 8.1).
  func wasAnsweredEarly(_ result: CURLcode) -> Bool {
    guard result == CURLE_HTTP2_STREAM || result == CURLE_SEND_ERROR, request.body.isPresent, let handle
    else { return false }
    return response.isHTTP2 && noticedFailure == nil && handle.sawEndOfStream && handle.backlog.isEmpty
      && handle.streamBytes == response.receivedLength
  }

  /// Completes a response when libcurl has lost the connection after the response was complete. The last bytes, which
  /// libcurl had no room for, are delivered without it. Returns false if the response is not complete.
  func completeWithoutLibcurl() -> Bool {
    guard let handle, machine.isRunning, response.hasHead, noticedFailure == nil,
      let rest = handle.backlog.takeRest()
    else { return false }
    handle.needsReset()
    undelivered = rest
    endAfterRemaining = detach(nil)
    deliverUndelivered()
    return true
  }

  /// Delivers the bytes that libcurl had no room for, until the consumer pauses.
  func deliverUndelivered() {
    guard let pieces = undelivered, machine.isRunning else { return }
    for (index, piece) in pieces.enumerated() {
      guard !machine.isReceivePaused else {
        undelivered = Array(pieces[index...])
        return
      }
      guard case .accepted = piece.withUnsafeBytes(receive) else {
        guard machine.cancel() != .none else { return }
        return detachAndFinish(noticedFailure ?? .cancelled)
      }
    }
    undelivered = nil
    if isOnOwnTransport { ended(nil) } else { done(CURLE_OK) }
  }

  /// Ending a pause makes libcurl check a transfer again.
  private func recheck(_ handle: EasyHandle) {
    Curl.pause(handle.easy, receiving: true, sending: machine.isSendPaused)
    applyPauses()
  }

  /// Sends RST_STREAM now when a stream is abandoned while the server may still be sending. libcurl keeps it until
  /// it next sends something on that connection.
  func flushesReset(_ handle: EasyHandle) {
    guard destination?.isMultiplexed == true, let connection = attempt.connection,
      handle.streamErrorCode == nil
    else { return }
    core.loop.addUnflushed(core, connection)
  }

  /// Discards the bytes of a paused stream. libcurl 7.88 keeps them when others use its connection, and would deliver
  /// them to the next transfer of the handle.
  func dropsPausedBytes(_ handle: EasyHandle) {
    guard Curl.losesStreamBytes, machine.isReceivePaused, attempt.connection != nil else { return }
    // Without a transfer, the handle rejects them.
    handle.transfer = nil
    Curl.pause(handle.easy, receiving: false, sending: false)
  }

  /// Makes libcurl send what it keeps for this transfer's connection. Returns false if this transfer cannot do that.
  func flushesConnection() -> Bool {
    guard machine.isRunning, !machine.isReceivePaused, let handle else { return false }
    recheck(handle)
    return true
  }

  private static let maximumRechecks = 16

  func finishBroken() {
    guard machine.isRunning, machine.cancel() != .none else { return }
    handle?.closesConnection()
    detachAndFinish(.brokenProtocol)
  }
}
