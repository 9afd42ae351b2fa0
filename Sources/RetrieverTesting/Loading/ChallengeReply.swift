import Foundation
import Retriever

/// Receives the answer to a challenge of a stub.
final class ChallengeReply: NSObject, URLAuthenticationChallengeSender, Sendable {
  enum Answer: Sendable {
    case credential(URLCredential)
    case noCredential
    case defaultHandling
    case cancel
  }

  private let answer = WaitableState<Answer?>(nil)

  /// Waits for the answer.
  ///
  /// - Throws: `CancellationError` if the task is cancelled.
  func value() async throws -> Answer { try await answer.wait { $0 } }

  private func set(_ value: Answer) { answer.change { if $0 == nil { $0 = value } } }

  func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {
    set(.credential(credential))
  }

  func continueWithoutCredential(for challenge: URLAuthenticationChallenge) { set(.noCredential) }

  func cancel(_ challenge: URLAuthenticationChallenge) { set(.cancel) }

  func performDefaultHandling(for challenge: URLAuthenticationChallenge) { set(.defaultHandling) }

  func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) { set(.noCredential) }
}
