import Foundation
import Retriever

/// Stands for a person who enters a password immediately.
final class SignInController: Sendable {
  private let username: String
  private let password: String

  init(_ username: String, _ password: String) {
    self.username = username
    self.password = password
  }

  func promptForCredential() async throws -> (String, String) { (username, password) }

  func promptForCredential(_ completionHandler: @escaping @Sendable (String, String) -> Void) {
    DispatchQueue.global().async { [username, password] in completionHandler(username, password) }
  }
}

final class AuthenticationDelegate: NSObject, URLSessionTaskDelegate {
  private let signInController: SignInController

  init(signInController: SignInController) {
    self.signInController = signInController
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic {
      do {
        let (username, password) = try await signInController.promptForCredential()
        // After a second refusal, sending the same answer again cannot help.
        guard challenge.previousFailureCount == 0 else { return (.cancelAuthenticationChallenge, nil) }
        return (
          .useCredential,
          URLCredential(user: username, password: password, persistence: .none)
        )
      } catch {
        return (.cancelAuthenticationChallenge, nil)
      }
    } else {
      return (.performDefaultHandling, nil)
    }
  }
}

/// The same delegate with a completion handler.
final class CallbackAuthenticationDelegate: NSObject, URLSessionTaskDelegate {
  private let signInController: SignInController

  init(signInController: SignInController) {
    self.signInController = signInController
  }

  func urlSession(
    _ session: URLSession,
    task: URLSessionTask,
    didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
      return completionHandler(.performDefaultHandling, nil)
    }
    signInController.promptForCredential { username, password in
      completionHandler(
        .useCredential, URLCredential(user: username, password: password, persistence: .none))
    }
  }
}

func signInChecks(_ base: URL) -> [Check] {
  let url = base.appendingPathComponent("private")
  return [
    Check("the delegate of a call answers a challenge in the async form") {
      let delegate = AuthenticationDelegate(signInController: SignInController("dog", "biscuit"))
      let (data, response) = try await URLSession.shared.data(from: url, delegate: delegate)
      try expectEqual((response as? HTTPURLResponse)?.statusCode, 200, "the status")
      try expectEqual(String(decoding: data, as: UTF8.self), "good dog", "the response")
    },
    Check("the delegate of a call answers a challenge with a completion handler") {
      let delegate = CallbackAuthenticationDelegate(signInController: SignInController("dog", "biscuit"))
      let (data, _) = try await URLSession.shared.data(for: URLRequest(url: url), delegate: delegate)
      try expectEqual(String(decoding: data, as: UTF8.self), "good dog", "the response")
    },
    Check("cancelling a challenge cancels the load") {
      let delegate = AuthenticationDelegate(signInController: SignInController("dog", "bone"))
      do {
        _ = try await URLSession.shared.data(from: url, delegate: delegate)
        throw Unexpected(description: "a wrong password was accepted")
      } catch let error as URLError {
        try expectEqual(error.code, .cancelled, "the error")
      }
    },
    Check("without a delegate the 401 is the response") {
      let (_, response) = try await URLSession.shared.data(from: url)
      try expectEqual((response as? HTTPURLResponse)?.statusCode, 401, "the status")
    },
  ]
}
