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
            sentence: "The server redirected more than \(RedirectRule.limit) times in a row.", url: next.url))
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
        inner.authorization = next.url.flatMap { inner.challenges.willFollowRedirect(to: $0) }
      }
    }

    // MARK: Challenges

    private func challenge(_ response: HTTPURLResponse, to request: URLRequest) -> TransferDisposition {
      guard let url = request.url else { return deliver(response, asked: false) }
      let action = inner.withLock { inner in
        inner.machine.ask()
        let session = session
        return inner.challenges.refused(by: response, url: url) { space in
          session.credentials.credential(for: space)
            ?? session.settings.credentialStorage?.defaultCredential(for: space)
        }
      }
      carryOut(action, response: response)
      return .pause
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
      guard let accepted = inner.withLock({ $0.challenges.accepted() }) else { return }
      session.credentials.remember(accepted.credential, for: accepted.protectionSpace, at: accepted.url)
      if accepted.credential.persistence == .permanent {
        session.settings.credentialStorage?.set(accepted.credential, for: accepted.protectionSpace)
      }
    }

    // MARK: The answer

    /// This response is the one the caller gets.
    private func deliver(_ response: HTTPURLResponse, asked: Bool) -> TransferDisposition {
      accept(response)
      let isSuspended = inner.withLock { inner in
        inner.machine.deliver()
        return inner.machine.isSuspended
      }
      tellHead(response)
      return isSuspended ? .pause : .proceed
    }

    /// The same, after a question: the transfer is paused, or over.
    func answered(deliver response: HTTPURLResponse) {
      if case .delegate = sink, hasDelegates, response.statusCode == 401 || 300..<400 ~= response.statusCode {
        return askAboutBody(response)
      }
      accept(response)
      let action = inner.withLock { $0.machine.answeredDeliver() }
      tellHead(response)
      perform(action)
    }

    private func accept(_ response: HTTPURLResponse) {
      let length = response.expectedBodyLength
      let resume = inner.withLock { inner in
        inner.response = response
        inner.expectedToReceive = length
        return inner.resume
      }
      if case .memory = sink, length > 0 {
        // What a server announces is not to be believed beyond this: memory is taken as the body comes.
        loop.collected.reserveCapacity(Int(min(length, 1 << 20)))
      }
      if case .file(let file) = sink { checkResumption(response, resume, file) }
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
          self.accept(response)
          self.perform(self.inner.withLock { $0.machine.answeredDeliver() })
        })
    }
  }
#endif
