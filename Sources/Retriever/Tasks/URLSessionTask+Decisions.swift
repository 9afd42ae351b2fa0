#if !canImport(Darwin)
  import Foundation
  import Synchronization
  import TransferEngine

  // What a response means: another request, a question to somebody, or the answer.
  extension URLSessionTask {
    func decide(
      about response: HTTPURLResponse, to request: URLRequest, mentionsLocation: Bool
    ) -> TransferDisposition {
      if response.statusCode == 401 { return challenge(response, to: request) }
      rememberAcceptedCredential()
      if mentionsLocation, 300..<400 ~= response.statusCode {
        switch RedirectRule.nextRequest(after: request, response: response) {
        case .notARedirect: break
        case .refuse(let error): return stop(error)
        case .follow(let next): return redirect(to: next, after: response)
        }
      }
      if case .delegate = sink, hasDelegates { return askForDisposition(response) }
      return deliver(response, asked: false)
    }

    private func stop(_ error: URLError) -> TransferDisposition {
      abort(error)
      return .stop
    }

    // MARK: Redirects

    private func redirect(to next: URLRequest, after response: HTTPURLResponse) -> TransferDisposition {
      let count = inner.withLock { inner in
        inner.redirectCount += 1
        return inner.redirectCount
      }
      guard count <= RedirectRule.limit else {
        return stop(
          URLError(
            .httpTooManyRedirects,
            sentence: "The server redirected more than \(RedirectRule.limit) times in a row.",
            url: response.url))
      }
      guard hasDelegates else {
        follow(next, status: response.statusCode)
        inner.withLock { $0.machine.follow() }
        return .proceed
      }
      inner.withLock { $0.machine.ask() }
      ask(
        .willRedirect, of: (any URLSessionTaskDelegate).self,
        { delegate, answer in
          delegate.urlSession(
            self.session, task: self, willPerformHTTPRedirection: response, newRequest: next,
            completionHandler: { answer($0) })
        },
        then: { (answer: URLRequest??) in
          // Nobody implements the method: the redirect is followed.
          switch answer ?? .some(next) {
          case .some(let request):
            self.follow(request, status: response.statusCode)
            self.perform(self.inner.withLock { $0.machine.answeredFollow() })
          case .none: self.answered(deliver: response)
          }
        })
      return .pause
    }

    private func follow(_ next: URLRequest, status: Int) {
      inner.withLock { inner in
        let keepsMethod = inner.currentRequest?.httpMethod == next.httpMethod
        if !keepsMethod || next.httpMethod == "GET" || next.httpMethod == "HEAD" { inner.uploadBody = nil }
        inner.currentRequest = next
        // What became of the response that is dropped does not matter any more; why the task is ending does.
        if !inner.machine.isEnding { inner.error = nil }
        inner.authorization = next.url.flatMap { inner.challenges.willFollowRedirect(to: $0) }
      }
    }

    // MARK: Challenges

    private func challenge(_ response: HTTPURLResponse, to request: URLRequest) -> TransferDisposition {
      guard let url = request.url else { return deliver(response, asked: false) }
      inner.withLock { $0.machine.ask() }
      // On the delegate queue: a storage may be the program's own, and is called with nothing held.
      session.mailbox.post {
        let spaces = ChallengeMachine.offeredSpaces(by: response, url: url)
        let known = Dictionary(
          spaces.compactMap { space in self.knownCredential(for: space).map { (space, $0) } },
          uniquingKeysWith: { first, _ in first })
        let action = self.inner.withLock { inner in
          inner.challenges.refused(by: response, url: url) { known[$0] }
        }
        self.carryOut(action, response: response)
      }
      return .pause
    }

    private func knownCredential(for space: URLProtectionSpace) -> URLCredential? {
      session.credentials.credential(for: space)
        ?? session.settings.credentialStorage?.defaultCredential(for: space)
    }

    private func carryOut(_ action: ChallengeMachine.Action, response: HTTPURLResponse) {
      switch action {
      case .ignore: break
      case .deliver: answered(deliver: response)
      case .fail(let error): abort(error)
      case .retry(let authorization):
        perform(
          inner.withLock { inner in
            inner.authorization = authorization
            if !inner.machine.isEnding { inner.error = nil }
            return inner.machine.answeredFollow()
          })
      case .ask(let question):
        if let refused = question.refusedCredential {
          session.credentials.forget(refused, for: question.protectionSpace)
        }
        let challenge = question.makeChallenge()
        ask(
          .didReceiveChallenge, of: (any URLSessionTaskDelegate).self,
          { delegate, answer in
            delegate.urlSession(self.session, task: self, didReceive: challenge) { disposition, credential in
              answer((disposition, credential))
            }
          },
          then: { answer in
            let (disposition, credential) = answer ?? (.performDefaultHandling, nil)
            let next = self.inner.withLock { $0.challenges.answered(disposition, credential) }
            self.carryOut(next, response: response)
          })
      }
    }

    private func rememberAcceptedCredential() {
      guard let accepted = inner.withLock({ $0.accepted() }) else { return }
      session.credentials.remember(accepted.credential, for: accepted.protectionSpace, at: accepted.url)
      if accepted.credential.persistence == .permanent {
        session.settings.credentialStorage?.set(accepted.credential, for: accepted.protectionSpace)
      }
    }

    // MARK: The answer

    /// This response is the one the caller gets.
    private func deliver(_ response: HTTPURLResponse, asked: Bool) -> TransferDisposition {
      let isSuspended = inner.withLock { inner in
        inner.machine.deliver()
        return note(response, in: &inner)
      }
      if let problem = prepareSink(for: response) { return stop(problem) }
      tellHead(response)
      return isSuspended ? .pause : .proceed
    }

    /// The same, after a question: the transfer is paused, or over.
    func answered(deliver response: HTTPURLResponse) {
      if case .delegate = sink, hasDelegates, response.statusCode == 401 || 300..<400 ~= response.statusCode {
        return askAboutBody(response)
      }
      let action = inner.withLock { inner in
        _ = note(response, in: &inner)
        return inner.machine.answeredDeliver()
      }
      if let problem = prepareSink(for: response) { return abort(problem) }
      tellHead(response)
      perform(action)
    }

    /// True when nothing more may be received for now.
    private func note(_ response: HTTPURLResponse, in inner: inout TaskState) -> Bool {
      inner.response = response
      inner.expectedToReceive = inner.announcedLength
      return inner.machine.isSuspended
    }

    private func prepareSink(for response: HTTPURLResponse) -> URLError? {
      guard case .file(let file) = sink else { return nil }
      return checkResumption(response, inner.withLock { $0.resume }, file)
    }

    /// `bytes(for:)` returns as soon as the head is here.
    private func tellHead(_ response: HTTPURLResponse) {
      guard case .channel = sink else { return }
      let completion = inner.withLock { inner -> TaskCompletion? in
        guard case .head = inner.completion else { return nil }
        return inner.completion.take()
      }
      if case .head(let continuation) = completion { continuation.resume(returning: response) }
    }

    private func askForDisposition(_ response: HTTPURLResponse) -> TransferDisposition {
      inner.withLock { $0.machine.ask() }
      askAboutBody(response)
      return .pause
    }

    private func askAboutBody(_ response: HTTPURLResponse) {
      guard let task = self as? URLSessionDataTask else { return }
      ask(
        .didReceiveResponse, of: (any URLSessionDataDelegate).self,
        { delegate, answer in
          delegate.urlSession(self.session, dataTask: task, didReceive: response) { answer($0) }
        },
        then: { answer in
          if answer == .cancel { return self.cancel() }
          self.perform(
            self.inner.withLock { inner in
              _ = self.note(response, in: &inner)
              return inner.machine.answeredDeliver()
            })
        })
    }
  }
#endif
