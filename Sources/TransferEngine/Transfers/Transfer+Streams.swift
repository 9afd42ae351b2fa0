import CCurl

// HTTP/2 streams: what libcurl does not notice of them by itself.
extension Transfer {
  /// The server broke the protocol, and nobody reads from the connection any more.
  func connectionBroke() {
    guard machine.phase == .running else { return }
    core.loop.addBroken(self)
  }

  /// Its stream was closed, or bytes have come over it that are on their way through libcurl.
  func noteStream() {
    guard machine.phase == .running, !isStreaming else { return }
    isStreaming = true
    core.loop.addStreaming(self)
  }

  /// libcurl has handed over what came over the network.
  func libcurlHandedOver(_ count: Int) {
    guard let handle else { return }
    handle.backlog.handedOver(count)
    if !handle.backlog.isEmpty { noteStream() }
  }

  /// libcurl has done its round. It is given what it had no room for before; and if it still has something of this
  /// transfer's, taking a pause back makes it look again.
  func remindOfStream() {
    isStreaming = false
    guard machine.phase == .running, !machine.isReceivePaused, let handle else { return }
    guard handle.backlog.isEmpty else {
      // Before libcurl has handed the head over, it may still move the request to another connection.
      if head.hasBegun, handle.giveKept() {
        // libcurl has put it down among what is due.
        core.loop.setTimer(of: core, due: core.loop.now)
        noteStream()
      }
      return
    }
    if handle.isWindowShut {
      handle.letsWindowOpen()
      remind(handle)
    }
    guard
      handle.streamErrorCode != nil || handle.streamBytes > response.receivedLength
    else { return }
    let standing = Standing(received: response.receivedLength, code: handle.streamErrorCode)
    reminders = standing == lastStanding ? reminders + 1 : 0
    lastStanding = standing
    // Asking again and again without progress would keep the loop busy for ever.
    guard reminders < Self.maximumReminders else {
      // libcurl does not notice; the server has said all it is going to say.
      if handle.serverClosedStream, handle.streamErrorCode != 0 { done(CURLE_HTTP2_STREAM) }
      return
    }
    remind(handle)
    noteStream()
  }

  /// libcurl has lost the connection behind a response that is complete: its last bytes, which libcurl had no room for, are
  /// delivered without it. False when the response is not complete.
  func takesOverRest() -> Bool {
    guard let handle, machine.phase == .running, response.hasHead, noticedFailure == nil,
      let rest = handle.backlog.takeRest()
    else { return false }
    handle.needsReset()
    undelivered = rest
    endBehindRest = detach(nil)
    deliverUndelivered()
    return true
  }

  /// Delivers what libcurl had no room for, as far as the consumer wants it.
  func deliverUndelivered() {
    guard let pieces = undelivered, machine.phase == .running else { return }
    for (index, piece) in pieces.enumerated() {
      guard !machine.isReceivePaused else {
        undelivered = Array(pieces[index...])
        return
      }
      guard case .taken = piece.withUnsafeBytes(receive) else {
        guard machine.cancel() != .none else { return }
        return detachAndFinish(noticedFailure ?? .cancelled)
      }
    }
    undelivered = nil
    done(CURLE_OK)
  }

  /// Taking a pause back makes libcurl look at a transfer again.
  private func remind(_ handle: EasyHandle) {
    Curl.pause(handle.easy, receiving: true, sending: machine.isSendPaused)
    applyPauses()
  }

  /// The stream is given up while the server may still be sending: RST_STREAM is to go out now. libcurl 7.88 keeps it
  /// until it next sends something on that connection.
  func flushesReset(_ handle: EasyHandle) {
    guard Curl.losesStreamBytes, destination?.isMultiplexed == true, attempt.localPort > 0,
      handle.streamErrorCode == nil
    else { return }
    core.loop.addUnflushed(core, localPort: attempt.localPort)
  }

  /// libcurl 7.88 keeps the bytes of a paused stream when others use its connection, and would deliver them to the handle's
  /// next transfer.
  func dropsPausedBytes(_ handle: EasyHandle) {
    guard Curl.losesStreamBytes, machine.isReceivePaused, attempt.localPort > 0 else { return }
    // Without a transfer, the handle refuses them.
    handle.transfer = nil
    Curl.pause(handle.easy, receiving: false, sending: false)
  }

  /// Has libcurl send what it keeps for this transfer's connection; false when this transfer cannot.
  func flushesConnection() -> Bool {
    guard machine.phase == .running, !machine.isReceivePaused, let handle else { return false }
    remind(handle)
    return true
  }

  private static let maximumReminders = 16

  func finishBroken() {
    guard machine.phase == .running, machine.cancel() != .none else { return }
    handle?.closesConnection()
    detachAndFinish(.brokenProtocol)
  }
}
