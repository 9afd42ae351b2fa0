#if !canImport(Darwin)
import Foundation

/// The receiver of the answer to a challenge that a `URLProtocol` sends.
///
/// A session's delegate does not use the sender: it answers with its completion handler or its return value.
public protocol URLAuthenticationChallengeSender: NSObjectProtocol, Sendable {
  /// Answers the challenge with a credential.
  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge)

  /// Continues without a credential, so that the server's refusal becomes the response.
  func continueWithoutCredential(for challenge: URLAuthenticationChallenge)

  /// Cancels the request.
  func cancel(_ challenge: URLAuthenticationChallenge)

  /// Does what happens without a delegate.
  func performDefaultHandling(for challenge: URLAuthenticationChallenge)

  /// Asks for the next challenge, for the next protection space that the server offered.
  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge)
}

extension URLAuthenticationChallengeSender {
  /// Does nothing. The default implementation for senders that do not implement this method.
  public func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}

  /// Does nothing. The default implementation for senders that do not implement this method.
  public func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}

/// A request for credentials from a server or a proxy.
// Invariant for @unchecked: every stored property is immutable, and its type is thread-safe.
open class URLAuthenticationChallenge: NSObject, @unchecked Sendable {
  /// The protection space that the credential is for.
  public let protectionSpace: URLProtectionSpace

  /// The credential that default handling would use; `nil` if none is known or the known one was refused.
  public let proposedCredential: URLCredential?

  /// The number of credentials that this protection space has refused for this task so far.
  public let previousFailureCount: Int

  /// The response that caused the challenge.
  public let failureResponse: URLResponse?

  /// The error that caused the challenge, if it was an error and not a response.
  public let error: (any Error)?

  /// The receiver of the answer. Only `URLProtocol` subclasses use it; it is `nil` in a session's own challenges.
  public let sender: (any URLAuthenticationChallengeSender)?

  /// Creates a challenge.
  ///
  /// - Parameters:
  ///   - protectionSpace: The protection space that the credential is for.
  ///   - proposedCredential: The credential that default handling would use.
  ///   - previousFailureCount: The number of credentials refused so far.
  ///   - failureResponse: The response that caused the challenge.
  ///   - error: The error that caused the challenge.
  ///   - sender: The receiver of the answer.
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

  /// Creates a copy of a challenge with another receiver for the answer.
  ///
  /// - Parameters:
  ///   - authenticationChallenge: The challenge to copy.
  ///   - sender: The receiver of the answer.
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

  /// The challenge in one line, for logs, without the password.
  open override var description: String {
    let proposal = proposedCredential.map { "\($0)" } ?? "none"
    return "<URLAuthenticationChallenge \(protectionSpace), proposed: \(proposal), "
      + "refused before: \(previousFailureCount)>"
  }

  /// The same as `description`.
  open override var debugDescription: String { description }
}
#endif
