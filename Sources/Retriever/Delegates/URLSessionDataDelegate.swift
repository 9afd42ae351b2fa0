#if !canImport(Darwin)
import Foundation

/// Receives the response and body of data and upload tasks that were created without a completion handler.
public protocol URLSessionDataDelegate: URLSessionTaskDelegate {
  /// The head of the response has arrived. The body waits until the handler is called.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void)

  /// The head of the response has arrived. The body waits until this method returns.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition

  /// The data task has become a download task, because the response was answered with
  /// ``URLSession/ResponseDisposition/becomeDownload``.
  ///
  /// The data task has ended, and no other method is called for it. The download task has its identifier, requests,
  /// response, description, priority, progress and delegate, and continues with the body.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask)

  /// The data task has become a stream task, because the response was answered with
  /// ``URLSession/ResponseDisposition/becomeStream``.
  ///
  /// The data task has ended, and no other method is called for it. The stream task has its identifier, requests,
  /// response, description, priority, progress and delegate. Its read side delivers the body, after decoding. Its write
  /// side is closed, as Apple documents for a connection that other requests may use.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask)

  /// A part of the body has arrived. Receiving pauses while a delegate lags behind.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

  /// A complete response is about to be stored in the session's cache. It is called after the last part of the body, and
  /// only for responses that HTTP's rules allow to be stored.
  ///
  /// - Parameters:
  ///   - session: the session of the task.
  ///   - dataTask: the task that loads the response.
  ///   - proposedResponse: the response.
  ///   - completionHandler: receives the response to store, which may be a changed one, or nil to store none.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)

  /// A complete response is about to be stored in the session's cache. It is called after the last part of the body, and
  /// only for responses that HTTP's rules allow to be stored.
  ///
  /// - Parameters:
  ///   - session: the session of the task.
  ///   - dataTask: the task that loads the response.
  ///   - proposedResponse: the response.
  /// - Returns: the response to store, which may be a changed one, or nil to store none.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
  ) async -> CachedURLResponse?
}

extension URLSessionDataDelegate {
  /// Calls the async form.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    DelegateProbe.forwarded(.didReceiveResponse, by: self)
    Task {
      completionHandler(await urlSession(session, dataTask: dataTask, didReceive: response))
    }
  }

  /// Allows the body.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition {
    DelegateProbe.reachedDefault(.didReceiveResponse, of: self)
    return .allow
  }

  /// Does nothing. The download task continues.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome downloadTask: URLSessionDownloadTask
  ) {
    DelegateProbe.reachedDefault(.didBecomeDownload, of: self)
  }

  /// Does nothing. The stream task continues.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didBecome streamTask: URLSessionStreamTask
  ) {
    DelegateProbe.reachedDefault(.didBecomeStream, of: self)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    DelegateProbe.reachedDefault(.didReceiveData, of: self)
  }

  /// Calls the async form.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    DelegateProbe.forwarded(.willCacheResponse, by: self)
    Task {
      completionHandler(await urlSession(session, dataTask: dataTask, willCacheResponse: proposedResponse))
    }
  }

  /// Allows the response to be stored.
  public func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposedResponse: CachedURLResponse
  ) async -> CachedURLResponse? {
    DelegateProbe.reachedDefault(.willCacheResponse, of: self)
    return proposedResponse
  }
}

extension URLSession {
  /// What to do with a response after its head has arrived.
  public enum ResponseDisposition: Int, Sendable {
    /// Cancel the task with `URLError.cancelled`.
    case cancel = 0
    /// Continue and receive the body.
    case allow = 1
    /// Write the body to a file. The data task becomes a ``URLSessionDownloadTask``.
    case becomeDownload = 2
    /// Let the program read the body itself. The data task becomes a ``URLSessionStreamTask``.
    case becomeStream = 3
  }
}
#endif
