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
      // As long as libcurl has told nothing of the response, it may send the request over another connection.
      if head.hasBegun, handle.giveKept() {
        // libcurl has put it down among what is due.
        core.loop.setTimer(of: core, due: core.loop.now)
        noteStream()
      }
      return
    }
    if handle.isWindowShut {
      handle.opensWindow()
      remind(handle)
    }
    guard
      handle.streamErrorCode != nil || handle.streamBytes > response.receivedLength
    else { return }
    let standing = Standing(received: response.receivedLength, code: handle.streamErrorCode)
    reminders = standing == lastStanding ? reminders + 1 : 0
    lastStanding = standing
    // What is not to be had by asking is not asked for for ever.
    guard reminders < Self.maximumReminders else {
      // libcurl does not notice; the server has said all it is going to say.
      if handle.serverClosedStream, handle.streamErrorCode != 0 { done(CURLE_HTTP2_STREAM) }
      return
    }
    remind(handle)
    noteStream()
  }

  /// Taking a pause back makes libcurl look at a transfer again.
  private func remind(_ handle: EasyHandle) {
    Curl.pause(handle.easy, receiving: true, sending: machine.isSendPaused)
    applyPauses()
  }

  /// The stream is given up while the server may still be sending: RST_STREAM is to go out now. libcurl 7.88 keeps it
  /// until it next sends something on that connection.
  func givesStreamUp(_ handle: EasyHandle) {
    guard Curl.losesStreamBytes, destination?.isMultiplexed == true, attempt.localPort > 0,
      handle.streamErrorCode == nil
    else { return }
    core.loop.addUnflushed(core, localPort: attempt.localPort)
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
