#if !canImport(Darwin)
import Foundation

/// Receives events of a task of any kind.
///
/// The delegate of a single task is called first. Methods that it does not implement are called on the session's
/// delegate. Methods with a completion handler also have an async form; implement one of the two.
public protocol URLSessionTaskDelegate: URLSessionDelegate {
  /// A task was created. Called before it is resumed.
  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask)

  /// A load with an ``URLSessionTask/earliestBeginDate`` is about to begin. Without this method, it begins.
  ///
  /// - Parameters:
  ///   - session: the session of the task.
  ///   - task: the task.
  ///   - request: the request to send.
  ///   - completionHandler: receives what to do, and the request to send instead for
  ///     ``URLSession/DelayedRequestDisposition/useNewRequest``.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void)

  /// A load with an ``URLSessionTask/earliestBeginDate`` is about to begin. Return what to do, and the request to send
  /// instead for ``URLSession/DelayedRequestDisposition/useNewRequest``.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?)

  /// The task waits for a network (``URLSessionConfiguration/waitsForConnectivity``). Called at most once for a task.
  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask)

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

  /// The rest of an interrupted upload has to be sent. Call the handler with a new stream that begins at the offset.
  ///
  /// - Parameters:
  ///   - session: the session of the task.
  ///   - task: the task of the upload.
  ///   - offset: the number of bytes at the beginning of the body that the server already has.
  ///   - completionHandler: receives the stream; nil fails the upload with `URLError.requestBodyStreamExhausted`.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
    completionHandler: @escaping @Sendable (InputStream?) -> Void)

  /// The rest of an interrupted upload has to be sent. Return a new stream that begins at the offset.
  func urlSession(
    _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
  ) async -> InputStream?

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
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLSession.DelayedRequestDisposition, URLRequest?) -> Void
  ) {
    DelegateProbe.forwarded(.willBeginDelayedRequest, by: self)
    Task {
      let (disposition, other) = await urlSession(session, task: task, willBeginDelayedRequest: request)
      completionHandler(disposition, other)
    }
  }

  /// Begins the load.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, willBeginDelayedRequest request: URLRequest
  ) async -> (URLSession.DelayedRequestDisposition, URLRequest?) {
    DelegateProbe.reachedDefault(.willBeginDelayedRequest, of: self)
    return (.continueLoading, nil)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    DelegateProbe.reachedDefault(.isWaitingForConnectivity, of: self)
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

  /// Calls the async form.
  public func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
    completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    DelegateProbe.forwarded(.needNewBodyStreamFrom, by: self)
    Task {
      completionHandler(await urlSession(session, needNewBodyStreamForTask: task, from: offset))
    }
  }

  /// Returns no stream.
  public func urlSession(
    _ session: URLSession, needNewBodyStreamForTask task: URLSessionTask, from offset: Int64
  ) async -> InputStream? {
    DelegateProbe.reachedDefault(.needNewBodyStreamFrom, of: self)
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

extension URLSession {
  /// What to do with a load that was delayed and is about to begin.
  public enum DelayedRequestDisposition: Int, Sendable {
    /// Send the original request.
    case continueLoading = 0
    /// Send another request.
    case useNewRequest = 1
    /// Cancel the task with `URLError.cancelled`.
    case cancel = 2
  }
}
#endif
