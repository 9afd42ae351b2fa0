#if !canImport(Darwin)
import Foundation

/// Receives events of a task of any kind.
///
/// The delegate of a single task is called first. Methods that it does not implement are called on the session's
/// delegate. Methods with a completion handler also have an async form; implement one of the two.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
  /// A task was created. Called before it is resumed.
  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

  /// The server sent a redirect. Call the handler with the request to send next, or nil to use the redirect's own
  /// response. Without this method, redirects are followed.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)

  /// The server sent a redirect. Return the request to send next, or nil to use the redirect's own response.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest?

  /// The server requests authentication.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// The server requests authentication.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)

  /// The body has to be sent, or sent again after a challenge or redirect. Call the handler with a new stream.
  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void)

  /// The body has to be sent, or sent again after a challenge or redirect. Return a new stream.
  func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async
    -> InputStream?

  /// Body bytes were passed to the connection.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64)

  /// The server sent an interim response (1xx).
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse)

  /// The task's metrics are complete. Called once, before the task's completion.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics)

  /// The task has ended. The error is nil after success; a status such as 404 is not an error.
  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?)
}

extension URLSessionTaskDelegate {
  /// Does nothing.
  public func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
    DelegateProbe.reachedDefault(.didCreateTask, of: self)
  }

  /// Calls the async form.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    DelegateProbe.forwarded(.willRedirect, by: self)
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

  /// Calls the async form.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    DelegateProbe.forwarded(.didReceiveChallenge, by: self)
    Task {
      let (disposition, credential) = await urlSession(session, task: task, didReceive: challenge)
      completionHandler(disposition, credential)
    }
  }

  /// Performs the default handling.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    DelegateProbe.reachedDefault(.didReceiveChallenge, of: self)
    return (.performDefaultHandling, nil)
  }

  /// Calls the async form.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    DelegateProbe.forwarded(.needNewBodyStream, by: self)
    Task {
      completionHandler(await urlSession(session, needNewBodyStreamForTask: task))
    }
  }

  /// Returns no stream.
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
