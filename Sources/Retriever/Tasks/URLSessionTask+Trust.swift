#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// Trust: which connections a task may use, and the questions that handshakes raise.
extension URLSessionTask {
  /// The client for the task's next transfer. Delegates that may decide about servers have clients of their own.
  func transferClient(for wanted: TransferRequest) throws(TransferFailure) -> TransferClient {
    let asksDelegates =
      settings.asksDelegatesAboutServers && hasDelegates && wanted.url.prefix(6).lowercased() == "https:"
    // libcurl may send the last request of a sign-in over any idle connection of the same user. The engine watches the
    // connection that it opened for a WebSocket, so that must be the only one.
    if wanted.isUpgrade, wanted.signIn != nil {
      var options = settings.clientOptions
      options.asksAboutServers = asksDelegates
      return try TransferClient(options: options)
    }
    if asksDelegates, let delegate = trustDelegate { return try session.delegateClients.client(of: delegate) }
    return try session.client.take()
  }

  /// Whether the task's own delegate may decide about servers.
  var ownDelegateDecides: Bool {
    guard settings.asksDelegatesAboutServers, let own = lockedState.withLock({ $0.delegate }) else {
      return false
    }
    return
      !(DelegateMethods.isMissing(.didReceiveSessionChallenge, in: own)
      && DelegateMethods.isMissing(.didReceiveChallenge, in: own))
  }

  /// The delegate to which the decisions belong; nil if no delegate is asked.
  ///
  /// Whether a delegate has a method is known only after it was called once. Until then, the decisions belong to the
  /// task's own delegate if it may be asked.
  private var trustDelegate: (any URLSessionDelegate)? {
    let candidates = trustCandidates
    guard let first = candidates.first else { return nil }
    if DelegateMethods.isPresent(first.method, in: first.delegate) { return first.delegate }
    let own = lockedState.withLock { $0.delegate }
    return candidates.first { $0.delegate === own }?.delegate ?? first.delegate
  }

  /// The methods that may answer, in the order in which they are called: the session-level method of the task's delegate
  /// and of the session's delegate, then the task-level method of both.
  private var trustCandidates: [(method: DelegateMethod, delegate: any URLSessionDelegate)] {
    let delegates = delegatesInOrder
    let methods: [DelegateMethod] = [.didReceiveSessionChallenge, .didReceiveChallenge]
    return methods.flatMap { method in
      delegates.filter { delegate in
        !DelegateMethods.isMissing(method, in: delegate)
          && (method == .didReceiveSessionChallenge || delegate is any URLSessionTaskDelegate)
      }.map { (method, $0) }
    }
  }

  /// Called on the loop's thread. The delegates are called later.
  package func transferNeedsAnswer(to question: TrustQuestion) {
    session.callQueue.post {
      let space = URLProtectionSpace(question, url: self.sentRequest?.url)
      let challenge = URLAuthenticationChallenge(
        protectionSpace: space, proposedCredential: nil, previousFailureCount: 0, failureResponse: nil,
        error: space.serverTrust?.error, sender: nil)
      self.ask(
        .didReceiveSessionChallenge, of: (any URLSessionDelegate).self,
        { delegate, answer in
          delegate.urlSession(self.session, didReceive: challenge) { answer(TrustReply($0, $1)) }
        },
        then: { reply in
          if let reply { return question.answer(reply.answer(to: space)) }
          self.askTaskDelegates(about: challenge, question)
        })
    }
  }

  private func askTaskDelegates(about challenge: URLAuthenticationChallenge, _ question: TrustQuestion) {
    ask(
      .didReceiveChallenge, of: (any URLSessionTaskDelegate).self,
      { delegate, answer in
        delegate.urlSession(self.session, task: self, didReceive: challenge) { answer(TrustReply($0, $1)) }
      },
      then: { reply in
        let reply = reply ?? TrustReply(.performDefaultHandling, nil)
        question.answer(reply.answer(to: challenge.protectionSpace))
      })
  }
}

/// A delegate's answer to a challenge of a TLS handshake.
private struct TrustReply: Sendable {
  let disposition: URLSession.AuthChallengeDisposition
  let credential: URLCredential?

  init(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
    self.disposition = disposition
    self.credential = credential
  }

  func answer(to space: URLProtectionSpace) -> TrustAnswer {
    switch disposition {
    case .performDefaultHandling: return .performDefault
    case .cancelAuthenticationChallenge:
      return .refuse(
        TransferFailure(
          .cancelled, message: "The load was cancelled when the TLS connection to \(space.host) was opened."))
    case .rejectProtectionSpace:
      // A certificate is optional for most servers. There is no other way to accept a server.
      guard let trust = space.serverTrust else { return .present(nil) }
      return .refuse(.rejected(trust))
    case .useCredential:
      guard let trust = space.serverTrust else { return .present(credential?.presentedKey) }
      guard let accepted = credential?.serverTrust else { return .performDefault }
      guard accepted.digest == trust.digest, accepted.host == trust.host, accepted.port == trust.port else {
        return .refuse(.rejected(trust))
      }
      return .accept(ignoringHostName: accepted.ignoresHostName)
    }
  }
}

extension TransferFailure {
  fileprivate static func rejected(_ trust: ServerTrust) -> TransferFailure {
    TransferFailure(
      .certificateUntrusted, message: "The delegate did not accept the certificate of \(trust.host).")
  }
}
#endif
