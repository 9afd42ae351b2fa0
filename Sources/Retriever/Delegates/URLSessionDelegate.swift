#if !canImport(Darwin)
import Foundation

/// Receives events of an entire session.
///
/// A session keeps a strong reference to its delegate until it is invalidated. It calls the delegate on its delegate
/// queue, one call at a time. Methods with a completion handler also have an async form; implement one of the two.
public protocol URLSessionDelegate: NSObjectProtocol, Sendable {
  /// The session is invalid and releases its delegate. Called after its last task has ended.
  ///
  /// - Parameter error: the cause; nil if the program invalidated the session.
  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

  /// A server requests authentication at session level: server trust, client certificates, NTLM and Negotiate.
  ///
  /// - Important: None of these is implemented on this platform, so this method is never called. To use custom
  ///   certificate authorities, set ``URLSessionConfiguration/trustedCertificates``.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

  /// A server requests authentication at session level: server trust, client certificates, NTLM and Negotiate.
  ///
  /// - Important: None of these is implemented on this platform, so this method is never called. To use custom
  ///   certificate authorities, set ``URLSessionConfiguration/trustedCertificates``.
  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
}

extension URLSessionDelegate {
  /// Does nothing.
  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}

  /// Calls the async form.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    Task {
      let (disposition, credential) = await urlSession(session, didReceive: challenge)
      completionHandler(disposition, credential)
    }
  }

  /// Performs the default handling.
  public func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    (.performDefaultHandling, nil)
  }
}
#endif
