import CCurl

// HTTP/2 streams: what libcurl does not notice of them by itself.
extension Transfer {
  /// The server broke the protocol, and nobody reads from the connection any more.
  func connectionBroke() {
    guard machine.phase == .running else { return }
    core.loop.addBroken(self)
  }

  /// Its stream was closed while libcurl worked on it.
  func streamClosed() { noteStream() }

  /// Bytes have come over its stream, and are on their way through libcurl.
  func streamReceived() { noteStream() }

  private func noteStream() {
    guard machine.phase == .running, !isStreaming else { return }
    isStreaming = true
    core.loop.addStreaming(self)
  }

  /// libcurl has done its round. If it still has something of this transfer's, taking a pause back makes it look again.
  func remindOfStream() {
    isStreaming = false
    guard machine.phase == .running, !machine.isReceivePaused, let handle else { return }
    guard handle.streamErrorCode != nil || handle.streamBytes > response.receivedLength else {
      // What came with it for other streams may be kept as well, and this one's own rest behind that.
      if Curl.keepsInput, !handle.sawEndOfStream, let destination, destination.streams.count > 1 {
        remind(handle)
      }
      return
    }
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

  /// A stream beside this one is gone, and libcurl may keep what came behind it.
  func neighborLeft() {
    guard machine.phase == .running, !machine.isReceivePaused, let handle else { return }
    remind(handle)
  }

  private static let maximumReminders = 16

  func finishBroken() {
    guard machine.phase == .running, machine.cancel() != .none else { return }
    handle?.closesConnection()
    detachAndFinish(.brokenProtocol)
  }

  func leaveStreams() {
    guard let destination, destination.streams.removeValue(forKey: ObjectIdentifier(self)) != nil else {
      return
    }
    destination.streams.values.first?.neighborLeft()
  }
}
