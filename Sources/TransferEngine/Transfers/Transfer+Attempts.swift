import CCurl

// Attempts to send the request: whether there is another one is decided by ``RetryRule``, not by libcurl.
extension Transfer {
  func rewindBody() -> Bool {
    // libcurl asks before it sends the request again; whether it may is not for it to say.
    guard canRepeat else {
      noticedFailure = .notRepeatable
      return false
    }
    return rewindSource()
  }

  private func rewindSource() -> Bool {
    guard case .source(let source) = request.body, sentBodyBytes > 0 else { return true }
    guard source.rewind() else {
      noticedFailure = TransferFailure(
        .requestBodyNotRewindable, message: "The body had to be sent again, and it can be read only once.")
      return false
    }
    sentBodyBytes = 0
    return true
  }

  /// A socket is opened for this transfer.
  func opensConnection(over socket: Int32) {
    attempt.openedConnection = true
    if attempt.sockets.count < Self.maximumNotedSockets { attempt.sockets.append(socket) }
    connectFailure = nil
    destination?.addressesAreKnown()
  }

  /// A server with more addresses than this goes without the look at its idle connections.
  private static let maximumNotedSockets = 16

  func noteConnectFailure(_ failure: TransferFailure) { connectFailure = failure }

  /// The connection is there and the request would be sent now. False ends the transfer, or sends it anew.
  func requestBegins(localPort port: Int32) -> Bool {
    guard machine.phase == .running, let handle, let destination else { return false }
    destination.addressesAreKnown()
    if attempt.count > 0 {
      // libcurl has found for itself that it may send the request again: that is not for it to decide.
      switch retry.decide(after: attemptThatLibcurlRepeats) {
      case .fails:
        noticedFailure = .notRepeatable
        return false
      case .repeats(let fresh):
        if fresh, !attempt.openedConnection {
          attempt.isRestartWanted = true
          return false
        }
      }
    } else if !attempt.openedConnection, !retry.isIdempotent,
      destination.isMultiplexed != true || destination.admittedCount == 1,
      core.hasInput(onLocalPort: port)
    {
      // The server has closed this connection, or says something that nobody asked for. libcurl sees the end of a TCP
      // connection, but not that of TLS.
      attempt.isRestartWanted = true
      return false
    }
    if attempt.openedConnection {
      core.connected(localPort: port, over: attempt.sockets)
      attempt.sockets = []
    }
    if attempt.openedConnection, destination.address.isSecure || destination.isMultiplexed == nil {
      learnProtocol(handle, destination)
    }
    attempt.localPort = port
    attempt.count = min(attempt.count + 1, .max - 1)
    attempt.requestSizeBefore = Curl.integer(handle.easy, CURLINFO_REQUEST_SIZE)
    attempt.wasReused = !attempt.openedConnection
    attempt.openedConnection = false
    handle.forgetStream()
    // libcurl goes back by itself only for what it has sent, and forgets what it has read beyond that.
    guard rewindSource() else { return false }
    return true
  }

  private func learnProtocol(_ handle: EasyHandle, _ destination: Destination) {
    guard request.httpVersion == .automatic else { return }
    guard destination.address.isSecure else { return core.learn(isMultiplexed: false, destination) }
    guard let connection = Curl.tlsConnection(handle.easy),
      let name = OpenSSL.applicationProtocol(of: connection)
    else { return }
    core.learn(isMultiplexed: name == "h2", destination)
  }

  /// The server's connections are not shared. libcurl 8 would keep a transfer that hoped for that until the connection it
  /// waits for has an answer, so it is started again.
  func waitsNoLonger() {
    guard machine.phase == .running, attempt.count == 0, !attempt.openedConnection,
      request.httpVersion == .automatic, let handle, let destination
    else { return }
    core.detach(handle)
    do {
      try handle.prepare(for: self, at: destination, fresh: false)
      try add(handle)
    } catch {
      fail(error)
    }
  }

  /// How the attempt that has just failed went.
  private var lastAttempt: RetryRule.Attempt {
    guard let handle else { return RetryRule.Attempt(sentBytes: true, reusedConnection: false) }
    let sent = Curl.integer(handle.easy, CURLINFO_REQUEST_SIZE) > attempt.requestSizeBefore
    return RetryRule.Attempt(
      // Of what OpenSSL was given, more may have left than libcurl counts.
      sentBytes: sent || sentBodyBytes > 0 || destination?.usesTLS ?? true,
      reusedConnection: attempt.wasReused, wasRefused: handle.streamWasRefused)
  }

  /// The same when libcurl is about to repeat it, which it does on a connection that others have used as well: for those
  /// that share one, whoever made it.
  private var attemptThatLibcurlRepeats: RetryRule.Attempt {
    var attempt = lastAttempt
    attempt.reusedConnection = true
    return attempt
  }

  /// Whether the request might be sent again now.
  private var canRepeat: Bool {
    guard !head.hasBegun else { return false }
    // It may also remember, in the next attempt, that it wanted to go back after the one before.
    guard attempt.count > 0 else { return true }
    var rule = retry
    return rule.decide(after: attemptThatLibcurlRepeats) != .fails
  }

  /// Sends the request again after libcurl gave it up, if it may be.
  func restarts(after result: CURLcode) -> Bool {
    guard let handle, let destination, machine.phase == .running, !head.hasBegun,
      attempt.count > 0 || attempt.isRestartWanted
    else { return false }
    var isFresh = true
    if !attempt.isRestartWanted {
      guard noticedFailure == nil, mayBeRace(result),
        case .repeats(let fresh) = retry.decide(after: lastAttempt)
      else { return false }
      isFresh = fresh
    }
    guard rewindSource(), machine.restart() == .attach else { return false }
    attempt = AttemptNotes()
    // What the server refused on this connection it would refuse again.
    handle.closesConnection()
    core.detach(handle)
    do {
      try handle.prepare(for: self, at: destination, fresh: isFresh)
      try add(handle)
    } catch {
      fail(error)
    }
    return true
  }

  /// What libcurl calls a connection that was closed before it answered. A stream that was reset is an answer, unless
  /// it was refused.
  private func mayBeRace(_ result: CURLcode) -> Bool {
    if let handle, handle.serverClosedStream { return handle.streamWasRefused }
    return switch result {
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2,
      CURLE_SEND_FAIL_REWIND:
      true
    default: false
    }
  }
}
