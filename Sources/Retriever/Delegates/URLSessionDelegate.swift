#if !canImport(Darwin)
  import Foundation

  /// Receives what concerns a session as a whole.
  ///
  /// A session holds its delegate until it is invalidated, and calls it on its delegate queue, one call at a time.
  /// Methods with a completion handler have an async twin; implement one of the two.
  public protocol URLSessionDelegate: AnyObject, Sendable {
    /// The session is invalid and lets its delegate go. Called after its last task has ended.
    ///
    /// - Parameter error: what invalidated it; nil when the program asked for it.
    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?)

    /// A server asks for proof of identity at the level of the session: server trust, client certificates, NTLM and
    /// Negotiate.
    ///
    /// - Important: None of these is implemented on this platform, so this is never called. To trust other authorities
    ///   than the system's, set ``URLSessionConfiguration/trustedCertificates``.
    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler:
        @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void)

    /// A server asks for proof of identity at the level of the session: server trust, client certificates, NTLM and
    /// Negotiate.
    ///
    /// - Important: None of these is implemented on this platform, so this is never called. To trust other authorities
    ///   than the system's, set ``URLSessionConfiguration/trustedCertificates``.
    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?)
  }

  extension URLSessionDelegate {
    /// Does nothing.
    public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {}

    /// Passes the challenge to the async form.
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

    /// Leaves the challenge to the default handling.
    public func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      (.performDefaultHandling, nil)
    }
  }
#endif
