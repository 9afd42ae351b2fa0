import CCurl
import Glibc

// Attempts to send the request. ``RetryRule`` decides whether there is another attempt, not libcurl.
extension Transfer {
  enum Restart {
    case overNewConnection, overAnyConnection
  }

  func rewindBody() -> Bool {
    // libcurl rewinds the body before it sends the request again, but it must not decide whether to do so.
    guard canRepeat else {
      noticedFailure = .notRepeatable
      return false
    }
    return rewindSource()
  }

  func rewindSource() -> Bool {
    guard case .source(let source) = request.body, sentBodyBytes > 0 else { return true }
    guard source.rewind() else {
      noticedFailure = TransferFailure(
        .requestBodyNotRewindable,
        message: "The request must be sent again, but its body can only be read once.")
      return false
    }
    sentBodyBytes = 0
    bodyEndMoment = nil
    return true
  }

  /// Records that a socket is opened for this transfer.
  ///
  /// - Parameter isStream: Whether it is not a socket for HTTP/3, where packets of an idle connection mean nothing.
  func opensConnection(over socket: Int32, isStream: Bool) {
    attempt.openedConnection = true
    attempt.contextCount = 0
    if isStream, attempt.sockets.count < Self.maximumNotedSockets { attempt.sockets.append(socket) }
    connectFailure = nil
    destination?.addressesAreKnown()
  }

  /// The maximum number of sockets to record. A server with more addresses has no check of its idle connections.
  private static let maximumNotedSockets = 16

  func noteConnectFailure(_ failure: TransferFailure) { connectFailure = failure }

  /// The connection is established and the request is about to be sent. False ends the transfer or sends it again.
  func requestBegins(over connection: ConnectionEnds) -> Bool {
    guard machine.isRunning, let handle, let destination else { return false }
    destination.addressesAreKnown()
    core.gateConnected(self, destination)
    if attempt.count > 0, heldHead == nil {
      // libcurl has decided to send the request again, but that is our decision.
      switch retry.decide(after: attemptThatLibcurlRepeats) {
      case .fails:
        noticedFailure = .notRepeatable
        return false
      case .repeats(let fresh):
        if fresh, !attempt.openedConnection {
          attempt.restart = .overNewConnection
          return false
        }
      }
    } else if attempt.count == 0, !attempt.openedConnection, core.isRetired(connection) {
      // The second one may be the first one again, if other transfers use it.
      attempt.restart = attempt.metRetiredConnection ? .overNewConnection : .overAnyConnection
      attempt.metRetiredConnection = true
      handle.closesConnection()
      return false
    } else if attempt.count == 0, !attempt.openedConnection,
      destination.isMultiplexed != true || !retry.isIdempotent && destination.admittedCount == 1,
      core.hasInput(on: connection, afterLook: retry.isIdempotent)
    {
      // The server has closed this connection, or has sent data that nobody requested, which must not be taken for the
      // response. libcurl detects the end of a TCP connection, but neither such data nor the end of a TLS connection.
      attempt.restart = .overNewConnection
      return false
    }
    if attempt.openedConnection {
      let socket = core.connected(connection, over: attempt.sockets)
      if request.isUpgrade { upgradedSocket = socket }
      if request.isConnection { connectedSocket = socket.flatMap(ConnectedSocket.init(duplicating:)) }
      attempt.sockets = []
    }
    if attempt.openedConnection, destination.address.isSecure || destination.isMultiplexed == nil {
      learnProtocol(handle, destination)
    }
    attempt.connection = connection.localPort > 0 ? connection : nil
    attempt.count = min(attempt.count + 1, .max - 1)
    attempt.requestSizeBefore = Curl.integer(handle.easy, CURLINFO_REQUEST_SIZE)
    attempt.wasReused = !attempt.openedConnection
    attempt.openedConnection = false
    handle.resetStreamState()
    // libcurl rewinds only what it has sent, and ignores what it has read beyond that.
    guard rewindSource() else { return false }
    return true
  }

  private func learnProtocol(_ handle: EasyHandle, _ destination: Destination) {
    guard request.httpVersion == .automatic, request.signIn == nil else { return }
    guard destination.address.isSecure else { return core.learn(isMultiplexed: false, destination) }
    guard let connection = Curl.tlsConnection(handle.easy),
      let name = OpenSSL.applicationProtocol(of: connection)
    else { return }
    core.learn(isMultiplexed: name == "h2" || name == "h3", destination)
  }

  /// Restarts a transfer after the server's connections turn out not to be shared. libcurl 8 would keep a transfer that
  /// hoped to share a connection until that connection has a response.
  func restartWithoutSharing() {
    guard machine.isRunning, attempt.count == 0, !attempt.openedConnection,
      request.httpVersion == .automatic, let handle, let destination
    else { return }
    attachAgain(handle, to: destination, fresh: false)
  }

  /// Gives the handle to libcurl for another attempt. If that fails, the transfer ends.
  func attachAgain(_ handle: EasyHandle, to destination: Destination, fresh: Bool) {
    core.detach(handle)
    do {
      try handle.prepare(for: self, at: destination, fresh: fresh)
      try add(handle)
    } catch {
      fail(error)
    }
  }

  /// The outcome of the attempt that has just failed.
  private var lastAttempt: RetryRule.Attempt {
    guard let handle else { return RetryRule.Attempt(sentBytes: true, reusedConnection: false) }
    let sent = Curl.integer(handle.easy, CURLINFO_REQUEST_SIZE) > attempt.requestSizeBefore
    return RetryRule.Attempt(
      // OpenSSL may have sent more of the data than libcurl counts.
      sentBytes: sent || sentBodyBytes > 0 || destination?.usesTLS ?? true,
      reusedConnection: attempt.wasReused, wasRefused: handle.streamWasRefused)
  }

  /// The same when libcurl is about to repeat the request. libcurl does this on a connection that others have used as
  /// well; for transfers that share one, it does not matter which of them created it.
  private var attemptThatLibcurlRepeats: RetryRule.Attempt {
    var attempt = lastAttempt
    attempt.reusedConnection = true
    return attempt
  }

  /// Whether the request may be sent again now.
  private var canRepeat: Bool {
    guard !head.hasBegun else { return false }
    // libcurl sends the next request of a sign-in.
    if heldHead != nil { return true }
    // In the next attempt, libcurl may still rewind because of the previous one.
    guard attempt.count > 0 else { return true }
    var rule = retry
    return rule.decide(after: attemptThatLibcurlRepeats) != .fails
  }

  /// Whether the transfer may begin again after a refused handshake. Usually nothing was sent; but the handshake may be
  /// that of a connection on which libcurl repeats the request.
  func mayStartAgain() -> Bool {
    guard attempt.count > 0 else { return true }
    return retry.decide(after: attemptThatLibcurlRepeats) != .fails && rewindSource()
  }

  /// Whether a connection was lost after the request was sent, although libcurl reports that it could not connect: it
  /// tried to send the request again on a new connection. With HTTP/3, it reports a refused packet in the same way.
  func losesSentRequest(_ result: CURLcode) -> Bool {
    result == CURLE_COULDNT_CONNECT && attempt.count > 0 && heldHead == nil && !head.hasBegun
  }

  /// Sends the request again after libcurl failed, if it may be repeated.
  func restarts(after result: CURLcode) -> Bool {
    guard let handle, let destination, machine.isRunning, !head.hasBegun,
      attempt.count > 0 || attempt.restart != nil
    else { return false }
    var isFresh = attempt.restart != .overAnyConnection
    if attempt.restart == nil {
      guard noticedFailure == nil, mayBeRace(result),
        case .repeats(let fresh) = retry.decide(after: lastAttempt)
      else { return false }
      isFresh = fresh
    }
    guard rewindSource(), machine.restart() == .attach else { return false }
    leaveHTTP3()
    if handle.serverRequiresHTTP11, request.httpVersion == .automatic {
      destination.requiresHTTP11 = true
      core.learn(isMultiplexed: false, destination)
    }
    let metRetiredConnection = attempt.metRetiredConnection
    attempt = AttemptNotes()
    attempt.metRetiredConnection = metRetiredConnection
    heldHead = nil
    // The server would refuse the request again on this connection.
    handle.closesConnection()
    attachAgain(handle, to: destination, fresh: isFresh)
    return true
  }

  /// Whether the result may come from a connection that was closed before it answered. A reset stream is an answer,
  /// unless it was refused.
  private func mayBeRace(_ result: CURLcode) -> Bool {
    if let handle, handle.serverClosedStream { return handle.streamWasRefused }
    return switch result {
    case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE, CURLE_HTTP2,
      CURLE_SEND_FAIL_REWIND:
      true
    default: false
    }
  }

  /// Returns the failure that libcurl's result stands for.
  func failure(for result: CURLcode) -> TransferFailure {
    if let noticedFailure { return noticedFailure }
    if result == CURLE_COULDNT_CONNECT {
      if let destination { core.forgetAddresses(of: destination) }
      if let connectFailure {
        return TransferFailure(connectFailure.code, curl: result.rawValue, message: connectFailure.message)
      }
    }
    guard let handle else {
      return TransferFailure(.other, curl: result.rawValue, message: "The transfer failed.")
    }
    if result == CURLE_COULDNT_CONNECT,
      [ENETUNREACH, ENETDOWN, EADDRNOTAVAIL].contains(Int32(Curl.integer(handle.easy, CURLINFO_OS_ERRNO)))
    {
      return TransferFailure(
        .networkUnreachable, curl: result.rawValue,
        message: "Could not connect to the server: there is no network that reaches it.")
    }
    let failure = TransferFailure(curl: result, easy: handle.easy, text: handle.failureText)
    return refusalOfClient(result) ?? forgettingKey(failure)
  }
}
