import CCurl
import Synchronization

// Trust: the checks of a handshake, and waiting for a decision about a server.
extension Transfer {
  /// The maximum number of questions of one transfer, for servers that present other certificates each time.
  static let maximumQuestions: UInt8 = 8

  /// Prepares a context (`SSL_CTX *`) for the connection that this transfer opens. Returns false if it fails.
  func prepareTLS(_ context: OpenSSL.Pointer) -> Bool {
    guard let destination else { return true }
    // The connection to a proxy gets its context first.
    if let proxy = destination.proxy, proxy.isSecure {
      attempt.contextCount &+= 1
      if !destination.address.isSecure || attempt.contextCount % 2 == 1 {
        return prepareTLS(context, with: proxy, destination)
      }
    }
    guard destination.address.isSecure else { return true }
    let options = core.options
    let asks = destination.gate != nil
    let acceptsAnything = options.trust == .anything
    guard destination.checksHandshakes else {
      // Only the server's alerts are noted.
      let notes = HandshakeCheck(
        host: "", pins: nil, asks: false, acceptsAnything: acceptsAnything, decider: self)
      return OpenSSL.handshake == nil || OpenSSL.keep(notes, in: context)
    }
    if acceptsAnything || core.trust.store == nil { TrustStore.applyVerification(to: context) }
    let check = HandshakeCheck(
      host: destination.address.host, pins: destination.pins, asks: asks, acceptsAnything: acceptsAnything,
      key: destination.key, decider: self)
    return OpenSSL.install(check, in: context, presentsKey: asks || destination.key != nil)
  }

  /// Does the same for the connection to a proxy. Delegates do not decide about proxies, and nothing that belongs to the
  /// server is presented to them.
  private func prepareTLS(
    _ context: OpenSSL.Pointer, with proxy: ProxyAddress, _ destination: Destination
  ) -> Bool {
    guard destination.checksProxyHandshakes else { return true }
    let check = HandshakeCheck(
      host: proxy.host, pins: destination.proxyPins, asks: false, acceptsAnything: false,
      key: destination.proxyKey, decider: self)
    return OpenSSL.install(check, in: context, presentsKey: destination.proxyKey != nil)
  }

  /// Waits for a decision after a handshake that raised a question. libcurl is done with the handle.
  func waitForAnswer(about subject: TrustQuestion.Subject) {
    guard let destination, destination.gate != nil, let handle else { return fail(.notRepeatable) }
    let mayRepeat = mayStartAgain()
    guard machine.waitAgain() == .detach else { return }
    attempt = AttemptNotes()
    handle.needsReset()
    core.detach(handle)
    core.giveBack(handle)
    self.handle = nil
    questionCount += 1
    guard mayRepeat else { return fail(.notRepeatable) }
    guard questionCount <= Self.maximumQuestions else { return fail(.unstableCertificates) }
    destination.pending.append(self)
    switch destination.gate?.undecided(subject.topic, by: ObjectIdentifier(self)) {
    case .ask: ask(subject, destination)
    case .wait, nil: break
    case .connect: core.proceedLater(destination)
    }
    // The loop ignored the command while the transfer was running.
    if isHoldWanted.load(ordering: .relaxed) { holdOnLoop() }
  }

  private func ask(_ subject: TrustQuestion.Subject, _ destination: Destination) {
    let question = TrustQuestion(
      subject, host: destination.address.host, port: destination.address.port
    ) { [weak self, weak core, weak destination] answer in
      guard let core, let destination else { return }
      core.loop.post(.answered(core, destination, self, subject, answer))
    }
    observer?.transferNeedsAnswer(to: question)
  }

  /// Whether the transfer waits for an answer, which is not idle time of the server.
  var awaitsAnswer: Bool { machine.isWaiting && destination?.gate?.isAsking == true }

  /// Fails a transfer that waits. One that has ended or connects again is not affected.
  func failWaiting(_ failure: TransferFailure) {
    guard machine.isWaiting, handle == nil, noticedFailure == nil else { return }
    destination?.pending.removeAll { $0 === self }
    fail(failure)
  }

  /// Whether a delegate may have accepted the server of this transfer's connection although its certificates were not
  /// valid. Transfers to the same server by another name may have opened the connection.
  var isFromExceptedServer: Bool {
    guard core.hasExceptions, destination?.gate != nil, let handle else { return false }
    return Curl.tlsConnection(handle.easy).map(OpenSSL.mayBeException) ?? true
  }

  /// Whether the server may know the user by a client certificate.
  var identifiesUser: Bool {
    guard let destination, destination.address.isSecure else { return false }
    if case .key = destination.gate?.presented { return true }
    return destination.key != nil
  }

  /// Returns the failure if the server sent an alert about client certificates. libcurl may have lost the reason.
  func refusalOfClient(_ result: CURLcode) -> TransferFailure? {
    guard attempt.alert != 0 else { return nil }
    // Before TLS 1.3, a server that requires a certificate sends handshake_failure.
    let isRequired = attempt.alert == 116 || attempt.alert == 40 && attempt.presentedNothing
    guard isRequired || attempt.alert != 40 else { return nil }
    return forgettingKey(
      isRequired
        ? TransferFailure(
          .clientCertificateRequired, curl: result.rawValue,
          message: "The server requires a client certificate.")
        : TransferFailure(
          .clientCertificateRejected, curl: result.rawValue,
          message: "The server rejected the client certificate (TLS alert \(attempt.alert))."))
  }

  /// After such a failure, the next transfer asks for a certificate again.
  func forgettingKey(_ failure: TransferFailure) -> TransferFailure {
    if failure.code == .clientCertificateRejected || failure.code == .clientCertificateRequired {
      destination?.gate?.forgetPresented()
    }
    return failure
  }
}

extension Transfer: HandshakeDecider {
  func decision(about chain: ServerChain, failure: TransferFailure?) -> ServerDecision? {
    guard let decision = destination?.gate?.decision(about: chain.digest) else {
      attempt.question = .server(chain, failure: failure)
      return nil
    }
    if failure != nil, decision != .standard { core.hasExceptions = true }
    return decision
  }

  func keyToPresent(authorities: () -> [[UInt8]]) -> PresentedKey? {
    // After its end, only its connection is left.
    guard let destination, handle != nil else { return .nothing }
    switch destination.gate?.presented {
    case .key(let key): return .key(key)
    case .nothing:
      attempt.presentedNothing = true
      return .nothing
    case nil:
      guard destination.gate != nil else { return .nothing }
      attempt.question = .clientCertificate(authorities: authorities())
      return nil
    }
  }

  func refused(_ failure: TransferFailure) { noticedFailure = failure }

  func serverSent(alert: UInt8) { attempt.alert = alert }
}

extension ClientCore {
  /// Whether a transfer may connect now. If not, it waits until the gate of its server opens.
  func mayConnect(_ transfer: Transfer, to destination: Destination) -> Bool {
    guard destination.gate != nil else { return true }
    return destination.gate?.enter(ObjectIdentifier(transfer)) ?? true
  }

  /// Records that a transfer has a connection to its server.
  func gateConnected(_ transfer: Transfer, _ destination: Destination) {
    guard destination.gate != nil else { return }
    if destination.gate?.connected(ObjectIdentifier(transfer)) == true { proceedLater(destination) }
  }

  /// Records that a transfer has ended or no longer waits.
  func gateLeft(_ transfer: Transfer, _ destination: Destination) {
    guard destination.gate != nil else { return }
    destination.pending.removeAll { $0 === transfer }
    if destination.gate?.left(ObjectIdentifier(transfer)) == true { proceedLater(destination) }
  }

  /// Lets the waiting transfers try again, but not inside one of libcurl's callbacks.
  func proceedLater(_ destination: Destination) { loop.post(.proceed(self, destination)) }

  /// Handles an answer. The transfer that asked may have ended.
  func answered(
    _ destination: Destination, _ transfer: Transfer?, _ subject: TrustQuestion.Subject, _ answer: TrustAnswer
  ) {
    switch (subject, answer) {
    case (_, .refuse(let failure)):
      if let transfer {
        destination.gate?.decline(subject.topic, by: ObjectIdentifier(transfer))
        transfer.failWaiting(failure)
      }
    case (.server(let chain, _), .accept(let ignoresHostName)):
      destination.gate?.decide(chain.digest, .accepted(ignoringHostName: ignoresHostName))
    case (.server(let chain, let failure), .performDefault), (.server(let chain, let failure), .present):
      destination.gate?.decide(chain.digest, .standard)
      if let failure { transfer?.failWaiting(failure) }
    case (.clientCertificate, .present(let key)):
      destination.gate?.decide(presenting: (key as? ClientKey).map { .key($0) } ?? .nothing)
    case (.clientCertificate, .performDefault), (.clientCertificate, .accept):
      destination.gate?.decide(presenting: .nothing)
    }
    let now = loop.now
    for waiting in destination.pending {
      waiting.lastActivity = now
      if let expiry = waiting.expiry { loop.include(expiry) }
    }
    proceed(destination)
  }

  /// The reason why a server cannot be reached with this TLS library.
  func unsupportedCheck(of destination: Destination) -> TransferFailure? {
    guard destination.pins != nil || destination.key != nil, destination.address.isSecure,
      !OpenSSL.checksHandshakes
    else { return nil }
    return TransferFailure(
      .secureConnectionFailed,
      message: "Pins and client certificates need a libcurl that uses OpenSSL 1.1.1 or later.")
  }
}

extension OpenSSL {
  /// Whether handshakes can be checked beyond what libcurl does.
  static let checksHandshakes = Curl.usesOpenSSL && trust != nil && certificates != nil && handshake != nil
}

extension TrustQuestion.Subject {
  fileprivate var topic: TrustGate<ObjectIdentifier, ClientKey>.Topic {
    switch self {
    case .server(let chain, _): .server(chain.digest)
    case .clientCertificate: .clientCertificate
    }
  }
}

extension TransferFailure {
  static let unstableCertificates = TransferFailure(
    .certificateUntrusted,
    message: "The server presented other certificates in each handshake, so none of them could be accepted.")
}
