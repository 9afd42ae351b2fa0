#if !canImport(Darwin)
import Foundation

/// Receives events of an entire session.
///
/// A session keeps a strong reference to its delegate until it is invalidated. It calls the delegate on its delegate
/// queue, one call at a time. Methods with a completion handler also have an async form; implement one of the two.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
  /// The session is invalid and releases its delegate. Called after its last task has ended.
  ///
  /// - Parameters:
  ///   - session: the session.
  ///   - error: the cause; nil if the program invalidated the session.
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

  /// A background session has delivered the events of the tasks that an earlier run of the program left.
  ///
  /// Called once, after the last of these tasks has ended, whether it was complete already or continued in this run. Not
  /// called if there were none, or if all of them are suspended.
  ///
  /// - Parameter session: the background session.
  func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession)

  /// A TLS handshake with a server raised a question: whether to accept the server's certificates, or which client
  /// certificate to present.
  ///
  /// Called before a request is sent over a new connection to a server, unless the question was answered before. If a
  /// delegate does not have this method, the task-level method is called. NTLM and Negotiate are not supported. See
  /// <doc:TrustAndPinning>.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// A TLS handshake with a server raised a question: whether to accept the server's certificates, or which client
  /// certificate to present.
  ///
  /// Called before a request is sent over a new connection to a server, unless the question was answered before. If a
  /// delegate does not have this method, the task-level method is called. NTLM and Negotiate are not supported. See
  /// <doc:TrustAndPinning>.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
}

extension URLSessionDelegate {
  /// Does nothing.
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}

  /// Does nothing.
  public func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}

  /// Calls the async form.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    DelegateProbe.forwarded(.didReceiveSessionChallenge, by: self)
    Task {
      let (disposition, credential) = await urlSession(session, didReceive: challenge)
      completionHandler(disposition, credential)
    }
  }

  /// Performs the default handling.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    DelegateProbe.reachedDefault(.didReceiveSessionChallenge, of: self)
    return (.performDefaultHandling, nil)
  }
}
#endif
