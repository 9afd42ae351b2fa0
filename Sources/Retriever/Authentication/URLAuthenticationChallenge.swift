#if !canImport(Darwin)
  import Foundation

  /// What a `URLProtocol` that asks for credentials itself is answered through.
  ///
  /// A session's delegate answers with its completion handler, or its return value, and does not use the sender.
  public protocol URLAuthenticationChallengeSender: NSObjectProtocol, Sendable {
    /// Answers the challenge with a credential.
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)

    /// Goes on without a credential; the server's refusal becomes the response.
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge)

    /// Gives up the request.
    func cancel(_ challenge: URLAuthenticationChallenge)

    /// Does what would be done if nobody had been asked.
    func performDefaultHandling(for challenge: URLAuthenticationChallenge)

    /// Asks to be challenged for the next protection space that the server offered.
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge)
  }

  extension URLAuthenticationChallengeSender {
    /// Does nothing, for senders that were written before this was asked of them.
    public func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}

    /// Does nothing, for senders that were written before this was asked of them.
    public func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
  }

  /// A server's, or a proxy's, demand for credentials.
  // Invariant behind @unchecked: every stored property is immutable, and of a type that several threads may use.
  open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
    /// What the credential is for.
    public let protectionSpace: URLProtectionSpace

    /// The credential that default handling would use; `nil` when none is known, or the known one was refused.
    public let proposedCredential: URLCredential?

    /// How many credentials this protection space has refused for this task so far.
    public let previousFailureCount: Int

    /// The response that brought the challenge.
    public let failureResponse: URLResponse?

    /// The error that brought the challenge, where it was an error and not a response.
    public let error: (any Error)?

    /// Whom to answer; used by `URLProtocol` subclasses only, `nil` in a session's own challenges.
    public let sender: (any URLAuthenticationChallengeSender)?

    /// Makes a challenge.
    ///
    /// - Parameters:
    ///   - protectionSpace: What the credential is for.
    ///   - proposedCredential: The credential that default handling would use.
    ///   - previousFailureCount: How many credentials were refused so far.
    ///   - failureResponse: The response that brought the challenge.
    ///   - error: The error that brought the challenge.
    ///   - sender: Whom to answer.
    public init(
      protectionSpace: URLProtectionSpace, proposedCredential: URLCredential?, previousFailureCount: Int,
      failureResponse: URLResponse?, error: (any Error)?, sender: (any URLAuthenticationChallengeSender)?
    ) {
      self.protectionSpace = protectionSpace
      self.proposedCredential = proposedCredential
      self.previousFailureCount = previousFailureCount
      self.failureResponse = failureResponse
      self.error = error
      self.sender = sender
    }

    /// Makes a challenge that is like another one but is answered to somebody else.
    ///
    /// - Parameters:
    ///   - authenticationChallenge: The challenge to pass on.
    ///   - sender: Whom to answer.
    public convenience init(
      authenticationChallenge: URLAuthenticationChallenge, sender: any URLAuthenticationChallengeSender
    ) {
      self.init(
        protectionSpace: authenticationChallenge.protectionSpace,
        proposedCredential: authenticationChallenge.proposedCredential,
        previousFailureCount: authenticationChallenge.previousFailureCount,
        failureResponse: authenticationChallenge.failureResponse, error: authenticationChallenge.error,
        sender: sender)
    }

    /// The challenge in one line, for logs; it shows no password.
    open override var description: String {
      let proposal = proposedCredential.map { "\($0)" } ?? "none"
      return "<URLAuthenticationChallenge \(protectionSpace), proposed: \(proposal), "
        + "refused before: \(previousFailureCount)>"
    }

    /// The same as `description`.
    open override var debugDescription: String { description }
  }
#endif
