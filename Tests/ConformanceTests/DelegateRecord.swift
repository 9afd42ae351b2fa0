import Foundation
import RetrieverConformance
import Synchronization

/// The calls that a delegate received, and its answers.
final class DelegateRecord: Sendable {
  struct State {
    var challenges: [DelegatePolicy.Challenge] = []
    var redirects: [String] = []
    var metricsCount = 0
    var transactionCount = 0
  }

  let policy: DelegatePolicy
  let body: Data?
  private let state = Mutex(State())

  init(_ policy: DelegatePolicy, body: Data? = nil) {
    self.policy = policy
    self.body = body
  }

  var current: State { state.withLock { $0 } }

  func collected(_ metrics: URLSessionTaskMetrics) {
    let count = metrics.transactionMetrics.count
    state.withLock { state in
      state.metricsCount += 1
      state.transactionCount = count
    }
  }

  func answer(_ challenge: URLAuthenticationChallenge) -> (
    URLSession.AuthChallengeDisposition, URLCredential?
  ) {
    let space = challenge.protectionSpace
    let seen = DelegatePolicy.Challenge(
      method: space.authenticationMethod, host: space.host, realm: space.realm,
      previousFailures: challenge.previousFailureCount,
      status: (challenge.failureResponse as? HTTPURLResponse)?.statusCode)
    state.withLock { $0.challenges.append(seen) }
    return switch policy.challenge?(seen) {
    case .credential(let user, let password):
      (.useCredential, URLCredential(user: user, password: password, persistence: .forSession))
    case .noCredential: (.useCredential, nil)
    case .cancel: (.cancelAuthenticationChallenge, nil)
    case .reject: (.rejectProtectionSpace, nil)
    case .acceptServer: (.useCredential, Library.accepting(space))
    case .defaultHandling, nil: (.performDefaultHandling, nil)
    }
  }

  func answer(redirectTo request: URLRequest) -> URLRequest? {
    let address = request.url?.absoluteString ?? ""
    state.withLock { $0.redirects.append(address) }
    return policy.redirect?(address) == false ? nil : request
  }

  func newStream() -> InputStream? { body.map { InputStream(data: $0) } }
}

/// Records metrics and supplies body streams. All delegates of the suite conform to it.
protocol RecordingDelegate: URLSessionTaskDelegate {
  var record: DelegateRecord { get }
}

extension RecordingDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    record.collected(metrics)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    completionHandler(record.newStream())
  }
}

/// Implements only what all delegates implement.
final class CountingDelegate: NSObject, RecordingDelegate {
  let record: DelegateRecord

  init(_ record: DelegateRecord) { self.record = record }
}

/// Answers challenges with the completion handler.
final class ChallengeDelegate: NSObject, RecordingDelegate {
  let record: DelegateRecord

  init(_ record: DelegateRecord) { self.record = record }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let (disposition, credential) = record.answer(challenge)
    completionHandler(disposition, credential)
  }
}

/// Answers redirects with the completion handler.
final class RedirectDelegate: NSObject, RecordingDelegate {
  let record: DelegateRecord

  init(_ record: DelegateRecord) { self.record = record }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(record.answer(redirectTo: request))
  }
}

extension DelegateRecord {
  /// Creates a delegate that implements only the methods that the policy answers.
  func makeDelegate() throws -> any URLSessionTaskDelegate {
    if policy.form == .async, policy.challenge != nil || policy.redirect != nil {
      return try Library.asyncDelegate(self)
    }
    if policy.challenge != nil { return ChallengeDelegate(self) }
    if policy.redirect != nil { return RedirectDelegate(self) }
    return CountingDelegate(self)
  }
}
