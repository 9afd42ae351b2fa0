import CCurl

// HTTP/3: which attempts use it, and what their outcome means for later transfers.
extension Transfer {
  /// Chooses how the first attempt reaches the server.
  func chooseRoute(to destination: Destination) {
    guard request.http3 != .never, destination.allowsHTTP3, Curl.hasHTTP3, attempt.route == .tcp,
      request.httpVersion == .automatic, request.signIn == nil, !request.isUpgrade, !request.isConnection,
      !destination.requiresHTTP11
    else { return }
    attempt.route = core.http3.route(
      to: destination.address, assumes: request.http3 == .assumed, now: core.loop.now)
  }

  /// Records whether a response came over HTTP/3, and what its server announces.
  func noteHTTP3(_ head: TransferHead) {
    guard let destination, destination.allowsHTTP3, Curl.hasHTTP3, let handle else { return }
    let server = destination.address
    let now = core.loop.now
    if attempt.route != .tcp {
      // A server can write anything into the status line of HTTP/1.1.
      response.isHTTP3 =
        head.version == "HTTP/3"
        && Curl.integer(handle.easy, CURLINFO_HTTP_VERSION) == Int(CURL_HTTP_VERSION_3)
      if response.isHTTP3, head.status != 421 {
        core.http3.worked(server, now: now)
      } else if response.isHTTP3 || !attempt.wasReused {
        // The server does not want this request over HTTP/3 (RFC 7838, 6), or TCP connected earlier.
        core.http3.failed(server, now: now)
      } else {
        core.http3.isUncertain(server)
      }
      attempt.route = .tcp
    }
    if let value = self.head.alternativeServices, let field = AlternativeServiceField(value) {
      core.http3.announced(field, by: server, now: now)
    }
  }

  /// Sends a request over TCP after its connection with HTTP/3 failed. Nothing of the request has been sent.
  func fallsBack(after result: CURLcode) -> Bool {
    guard attempt.route == .http3, attempt.count == 0, noticedFailure == nil, !head.hasBegun,
      let handle, let destination, machine.restart() == .attach
    else { return false }
    // A transfer that opened no connection has waited for that of another one.
    if attempt.openedConnection { core.http3.failed(destination.address, now: core.loop.now) }
    attempt = AttemptNotes()
    handle.closesConnection()
    attachAgain(handle, to: destination, fresh: false)
    return true
  }

  /// Records that an attempt over HTTP/3 ended before a response arrived.
  func leaveHTTP3() {
    guard attempt.route != .tcp, let destination else { return }
    attempt.route = .tcp
    core.http3.isUncertain(destination.address)
  }
}
