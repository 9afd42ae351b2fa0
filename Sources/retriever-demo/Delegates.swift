import Foundation
import Retriever
import Synchronization
import TestSupport

/// Answers the authentication challenges of one task, and records their realms.
final class SignIn: NSObject, URLSessionTaskDelegate {
  private let user: String
  private let password: String
  private let questions = Mutex<[String]>([])

  init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  /// The realms of the challenges.
  var realms: [String] { questions.withLock { $0 } }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
      return (.performDefaultHandling, nil)
    }
    questions.withLock { $0.append(challenge.protectionSpace.realm ?? "no realm") }
    guard challenge.previousFailureCount == 0 else { return (.cancelAuthenticationChallenge, nil) }
    return (.useCredential, URLCredential(user: user, password: password, persistence: .none))
  }
}

/// Keeps the metrics of a task.
final class Measurements: NSObject, URLSessionTaskDelegate {
  private let collected = Mutex<URLSessionTaskMetrics?>(nil)
  private let arrived = Gate()

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    collected.withLock { $0 = metrics }
    arrived.open()
  }

  /// The metrics, available when the task has ended.
  var metrics: URLSessionTaskMetrics {
    get async throws {
      guard await arrived.wait(within: .seconds(2)), let metrics = collected.withLock({ $0 }) else {
        throw Unexpected("No metrics were delivered.")
      }
      return metrics
    }
  }
}
