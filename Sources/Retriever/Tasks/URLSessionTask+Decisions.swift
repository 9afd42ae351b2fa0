#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// Decides what a response leads to: another request, a question to a delegate, or the final response.
extension URLSessionTask {
  func decide(
    about response: HTTPURLResponse, to request: URLRequest, mentionsLocation: Bool
  ) -> TransferDisposition {
    if settings.usesProxies {
      if isProxyChallenge(response, to: request) { return challengeByProxy(response, to: request) }
      if let problem = noteAcceptingProxy(response, to: request) { return stop(problem) }
    }
    if response.statusCode == 401 { return challenge(response, to: request) }
    // A stored response says nothing about the credential of this request.
    if transferState.cacheExchange?.isStored != true {
      guard lockedState.withLock({ $0.isConfirmed(by: response) }) else {
        return stop(.unconfirmed(response.url))
      }
      rememberAcceptedCredential()
    }
    if transferState.isResumableUpload,
      let disposition = considerUpload(response, mentionsLocation: mentionsLocation)
    {
      return disposition
    }
    if mentionsLocation, 300..<400 ~= response.statusCode {
      switch RedirectRule.nextRequest(
        after: request, response: response, allowsWebSocket: webSocket != nil)
      {
      case .notARedirect: break
      case .refuse(let error): return stop(error)
      case .follow(let next): return redirect(to: next, after: response)
      }
    }
    if webSocket != nil { return refuse(response) }
    if case .delegate = sink, hasDelegates { return askForDisposition(response) }
    return deliver(response, asked: false)
  }

  func stop(_ error: URLError) -> TransferDisposition {
    abort(error)
    return .stop
  }

  // MARK: Redirects

  func redirect(to next: URLRequest, after response: HTTPURLResponse) -> TransferDisposition {
    guard lockedState.withLock({ $0.redirectCount }) < RedirectRule.maximumRedirects else {
      return stop(
        URLError(
          .httpTooManyRedirects,
          message: "The server redirected more than \(RedirectRule.maximumRedirects) times in a row.",
          url: response.url))
    }
    guard hasDelegates else {
      follow(next, status: response.statusCode)
      return discard()
    }
    lockedState.withLock { $0.machine.ask() }
    ask(
      .willRedirect, of: (any URLSessionTaskDelegate).self,
      { delegate, answer in
        delegate.urlSession(
          self.session, task: self, willPerformHTTPRedirection: response, newRequest: next,
          completionHandler: { answer($0) })
      },
      then: { (answer: URLRequest??) in
        // No delegate implements the method, so the redirect is followed.
        switch answer ?? .some(next) {
        case .some(let request):
          self.follow(request, status: response.statusCode)
          self.performFollowing(self.advance { $0.machine.answeredFollow() })
        case .none: self.answered(deliver: response)
        }
      })
    return .pause
  }

  private func follow(_ next: URLRequest, status: Int) {
    lockedState.withLock { state in
      state.redirectCount += 1
      let keepsMethod = state.currentRequest?.httpMethod == next.httpMethod
      if !keepsMethod || next.httpMethod == "GET" || next.httpMethod == "HEAD" { state.uploadBody = nil }
      state.redirectUpload(to: next, keepsMethod: keepsMethod)
      state.currentRequest = next
      // An error of the discarded response no longer matters, but the reason why the task is ending does.
      if !state.machine.isEnding { state.error = nil }
      state.authorizer = next.url.flatMap { state.challenges.willFollowRedirect(to: $0) }
    }
  }

  /// Discards the rest of a response, before another request follows.
  func discard() -> TransferDisposition {
    lockedState.withLock { $0.machine.follow() }
    limitDiscarding()
    return .proceed
  }

  /// Performs the action after an answer of a delegate, and limits the time for a discarded response.
  private func performFollowing(_ action: TaskAction) {
    if case .release = action { limitDiscarding() }
    perform(action)
  }

  /// How long the next request waits for the rest of a discarded response. Beyond it, another connection is cheaper.
  static let maximumDiscardingTime = Duration.seconds(1)

  func limitDiscarding() {
    let timer = QuestionTimer(after: Self.maximumDiscardingTime) { [weak self] in
      guard let self else { return }
      perform(lockedState.withLock { $0.machine.stopDiscarding() })
    }
    // If it is not needed, it is released here, and not under the lock.
    lockedState.withLock { $0.machine.discard(with: timer) }
  }

  // MARK: Challenges

  private func challenge(_ response: HTTPURLResponse, to request: URLRequest) -> TransferDisposition {
    guard let url = request.url else { return deliver(response, asked: false) }
    transferState.cacheInstruction = .validate
    lockedState.withLock { $0.machine.ask() }
    ask(about: response, url: url, from: .server)
    return .pause
  }

  /// Whether a proxy sent this response itself, because it wants a credential.
  func isProxyChallenge(_ response: HTTPURLResponse, to request: URLRequest) -> Bool {
    response.statusCode == 407 && settings.usesProxies
      && request.url.flatMap { forwardingProxy(for: $0) } != nil
  }

  private func challengeByProxy(
    _ response: HTTPURLResponse, to request: URLRequest
  ) -> TransferDisposition {
    guard let url = request.url, let proxy = forwardingProxy(for: url) else {
      return deliver(response, asked: false)
    }
    lockedState.withLock { $0.machine.ask() }
    ask(about: response, url: url, from: proxy)
    return .pause
  }

  /// Handles the refusal of a tunnel. If no credential is found, the refusal is the task's error.
  func ask(_ challenge: TunnelChallenge) {
    guard let url = challenge.request.url else { return abort(challenge.error) }
    ask(about: challenge.response, url: url, from: challenge.proxy, refusal: challenge.error)
  }

  /// Remembers the credential that a proxy has accepted. Returns an error if the proxy does not know the password.
  private func noteAcceptingProxy(_ response: HTTPURLResponse, to request: URLRequest) -> URLError? {
    if let proxy = request.url.flatMap({ forwardingProxy(for: $0) }),
      !lockedState.withLock({ $0.isConfirmedByProxy(response, proxy) })
    {
      return .unconfirmed(response.url)
    }
    remember(lockedState.withLock { $0.acceptedByProxy() })
    return nil
  }

  /// Asks for a credential.
  ///
  /// - Parameter refusal: The error without a credential; nil to deliver the response.
  private func ask(
    about response: HTTPURLResponse, url: URL, from challenger: Challenger, refusal: URLError? = nil
  ) {
    // Runs on the delegate queue, because the storage may be the program's own code. It is called without any lock.
    session.callQueue.post {
      let spaces = ChallengeMachine.offeredSpaces(by: response, url: url, from: challenger)
      let known = Dictionary(
        spaces.compactMap { space in self.knownCredential(for: space).map { (space, $0) } },
        uniquingKeysWith: { first, _ in first })
      let action = self.lockedState.withLock { state in
        state.withChallenges(of: challenger) { machine in
          machine.refused(
            by: response, url: url, from: challenger,
            session: { self.session.credentials.session(for: $0, in: $1) }, lookup: { known[$0] })
        }
      }
      self.perform(action, ChallengeContext(response: response, challenger: challenger, refusal: refusal))
    }
  }

  private struct ChallengeContext: Sendable {
    let response: HTTPURLResponse
    let challenger: Challenger
    let refusal: URLError?
  }

  private func knownCredential(for space: URLProtectionSpace) -> URLCredential? {
    session.credentials.credential(for: space)
      ?? settings.credentialStorage?.defaultCredential(for: space)
  }

  private func perform(_ action: ChallengeMachine.Action, _ context: ChallengeContext) {
    switch action {
    case .ignore: break
    case .deliver:
      if let refusal = context.refusal { abort(refusal) } else { answered(deliver: context.response) }
    case .fail(let error): abort(error)
    case .retry(let authorizer):
      performFollowing(
        advance { state in
          state.authorize(with: authorizer, for: context.challenger)
          if !state.machine.isEnding { state.error = nil }
          return state.machine.answeredFollow()
        })
    case .ask(let question):
      if let refused = question.refusedCredential {
        session.credentials.forget(refused, for: question.protectionSpace)
      }
      let challenge = question.makeChallenge()
      switch question.protectionSpace.authenticationMethod {
      case NSURLAuthenticationMethodNTLM, NSURLAuthenticationMethodNegotiate:
        askSession(about: challenge, context)
      default: askTask(about: challenge, context)
      }
    }
  }

  /// Asks the session-level method, which is responsible for sign-ins of connections, and then the task-level one.
  private func askSession(about challenge: URLAuthenticationChallenge, _ context: ChallengeContext) {
    ask(
      .didReceiveSessionChallenge, of: (any URLSessionDelegate).self,
      { delegate, answer in
        delegate.urlSession(self.session, didReceive: challenge) { answer(ChallengeAnswer($0, $1)) }
      },
      then: { answer in
        guard let answer else { return self.askTask(about: challenge, context) }
        self.perform(answer, context)
      })
  }

  private func askTask(about challenge: URLAuthenticationChallenge, _ context: ChallengeContext) {
    ask(
      .didReceiveChallenge, of: (any URLSessionTaskDelegate).self,
      { delegate, answer in
        delegate.urlSession(self.session, task: self, didReceive: challenge) {
          answer(ChallengeAnswer($0, $1))
        }
      },
      then: { self.perform($0 ?? ChallengeAnswer(.performDefaultHandling, nil), context) })
  }

  private struct ChallengeAnswer: Sendable {
    let disposition: URLSession.AuthChallengeDisposition
    let credential: URLCredential?

    init(_ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?) {
      self.disposition = disposition
      self.credential = credential
    }
  }

  private func perform(_ answer: ChallengeAnswer, _ context: ChallengeContext) {
    let next = lockedState.withLock { state in
      state.withChallenges(of: context.challenger) { $0.answered(answer.disposition, answer.credential) }
    }
    perform(next, context)
  }

  func rememberAcceptedCredential() {
    remember(lockedState.withLock { $0.accepted() })
  }

  private func remember(_ accepted: ChallengeMachine.Acceptance?) {
    guard let accepted else { return }
    session.credentials.remember(accepted)
    if accepted.credential.persistence == .permanent {
      settings.credentialStorage?.set(accepted.credential, for: accepted.protectionSpace)
    }
  }

  // MARK: The final response

  /// Delivers this response to the caller.
  func deliver(_ response: URLResponse, asked: Bool) -> TransferDisposition {
    let isSuspended = lockedState.withLock { state in
      state.machine.deliver()
      return note(response, in: &state)
    }
    if let problem = prepareSink(for: response) { return stop(problem) }
    reportHead(response)
    return isSuspended ? .pause : .proceed
  }

  /// Does the same after a question. The transfer is paused or over.
  func answered(deliver response: HTTPURLResponse) {
    if webSocket != nil {
      refuse(response)
      return
    }
    if case .delegate = sink, hasDelegates { return askAboutBody(response) }
    let action = advance { state in
      _ = note(response, in: &state)
      return state.machine.answeredDeliver()
    }
    if let problem = prepareSink(for: response) { return abort(problem) }
    reportHead(response)
    perform(action)
  }

  /// Stores the response. Returns true if receiving must pause.
  private func note(_ response: URLResponse, in state: inout TaskState) -> Bool {
    state.response = response
    state.upload?.machine.finish()
    state.counts.deliver()
    return state.machine.isSuspended
  }

  private func prepareSink(for response: URLResponse) -> URLError? {
    guard case .file(let file) = sink else { return nil }
    if let problem = checkResumption(response, lockedState.withLock { $0.resume }, file) { return problem }
    noteHead(response, file)
    return nil
  }

  /// Resumes the caller of `bytes(for:)`, which returns as soon as the head arrives.
  private func reportHead(_ response: URLResponse) {
    guard case .channel = sink else { return }
    let completion = lockedState.withLock { state -> TaskCompletion? in
      guard case .head = state.completion else { return nil }
      return state.completion.take()
    }
    if case .head(let continuation) = completion { continuation.resume(returning: response) }
  }

  func askForDisposition(_ response: URLResponse) -> TransferDisposition {
    lockedState.withLock { $0.machine.ask() }
    askAboutBody(response)
    return .pause
  }

  private func askAboutBody(_ response: URLResponse) {
    guard let task = self as? URLSessionDataTask else { return }
    ask(
      .didReceiveResponse, of: (any URLSessionDataDelegate).self,
      { delegate, answer in
        delegate.urlSession(self.session, dataTask: task, didReceive: response) { answer($0) }
      },
      then: { answer in
        switch answer ?? .allow {
        case .cancel: self.cancel()
        case .becomeDownload: task.becomeDownload(with: response)
        case .becomeStream: task.becomeStream(with: response)
        case .allow:
          self.perform(
            self.advance { state in
              _ = self.note(response, in: &state)
              return state.machine.answeredDeliver()
            })
        }
      })
  }
}

extension URLError {
  static let unconfirmedMessage =
    "The server did not prove that it knows the password: the value of rspauth in its response is wrong."

  fileprivate static func unconfirmed(_ url: URL?) -> URLError {
    URLError(.badServerResponse, message: unconfirmedMessage, url: url)
  }
}
#endif
