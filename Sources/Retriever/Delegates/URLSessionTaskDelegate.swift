#if !canImport(Darwin)
  import Foundation

  /// Receives what happens to a task, whatever its kind.
  ///
  /// The delegate of a single task is asked first, method by method; what it does not implement goes to the session's
  /// delegate. Methods with a completion handler have an async twin; implement one of the two.
  public protocol URLSessionTaskDelegate: URLSessionDelegate {
    /// A task was made. Called before it is resumed.
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

    /// The server sent a redirect: call the handler with the request to go on with, or nil to take the redirect's own
    /// response as the answer. Without this method redirects are followed.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)

    /// The server sent a redirect: return the request to go on with, or nil to take the redirect's own response as the
    /// answer.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest
    ) async -> URLRequest?

    /// The server asks for proof of identity.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

    /// The server asks for proof of identity.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

    /// The body has to be sent, or sent again after a challenge or redirect: call the handler with a new stream.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)

    /// The body has to be sent, or sent again after a challenge or redirect: return a new stream.
    func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async
      -> InputStream?

    /// Body bytes were handed to the connection.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
      totalBytesExpectedToSend: Int64)

    /// The server sent an interim response (1xx).
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse)

    /// The task's measurements are complete. Called once, before the end of the task is told.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)

    /// The task has ended; nil means without an error. A status such as 404 is not an error.
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
  }

  extension URLSessionTaskDelegate {
    /// Does nothing.
    public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
      DelegateProbe.reachedDefault(.didCreateTask, of: self)
    }

    /// Passes the redirect to the async form.
    public func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      DelegateProbe.passedOn(.willRedirect, by: self)
      Task {
        completionHandler(
          await urlSession(session, task: task, willPerformHTTPRedirection: response, newRequest: request))
      }
    }

    /// Follows the redirect.
    public func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest
    ) async -> URLRequest? {
      DelegateProbe.reachedDefault(.willRedirect, of: self)
      return request
    }

    /// Passes the challenge to the async form.
    public func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      DelegateProbe.passedOn(.didReceiveChallenge, by: self)
      Task {
        let (disposition, credential) = await urlSession(session, task: task, didReceive: challenge)
        completionHandler(disposition, credential)
      }
    }

    /// Leaves the challenge to the default handling.
    public func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      DelegateProbe.reachedDefault(.didReceiveChallenge, of: self)
      return (.performDefaultHandling, nil)
    }

    /// Passes the question to the async form.
    public func urlSession(
      _ session: URLSession, task: URLSessionTask,
      needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
      DelegateProbe.passedOn(.needNewBodyStream, by: self)
      Task {
        completionHandler(await urlSession(session, needNewBodyStreamForTask: task))
      }
    }

    /// Has no stream to give.
    public func urlSession(
      _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask
    ) async -> InputStream? {
      DelegateProbe.reachedDefault(.needNewBodyStream, of: self)
      return nil
    }

    /// Does nothing.
    public func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
      totalBytesExpectedToSend: Int64
    ) {
      DelegateProbe.reachedDefault(.didSendBodyData, of: self)
    }

    /// Does nothing.
    public func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
    ) {
      DelegateProbe.reachedDefault(.didReceiveInformational, of: self)
    }

    /// Does nothing.
    public func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      DelegateProbe.reachedDefault(.didFinishCollecting, of: self)
    }

    /// Does nothing.
    public func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      DelegateProbe.reachedDefault(.didComplete, of: self)
    }
  }
#endif
