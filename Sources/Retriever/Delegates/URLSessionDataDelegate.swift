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

  /// A part of the body has arrived. Receiving pauses while a delegate lags behind.
  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data)

  /// A complete response is about to be stored in the session's cache. It is called after the last part of the body, and
  /// only for responses that HTTP's rules allow to be stored.
  ///
  /// - Parameters:
  ///   - proposedResponse: the response.
  ///   - completionHandler: receives the response to store, which may be a changed one, or nil to store none.
  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void)

  /// A complete response is about to be stored in the session's cache. It is called after the last part of the body, and
  /// only for responses that HTTP's rules allow to be stored.
  ///
  /// - Parameter proposedResponse: the response.
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
  }
}
#endif
