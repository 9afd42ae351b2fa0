// Loads a page that needs a name and a password. The delegate belongs to this one call.
//
//   sign-in URL USER        the password is read from the environment variable PASSWORD
import Foundation
import Retriever

final class SignIn: NSObject, URLSessionTaskDelegate {
  private let user: String
  private let password: String

  init(user: String, password: String) {
    self.user = user
    self.password = password
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
      return (.performDefaultHandling, nil)
    }
    // The server refused this password once: asking again would not help.
    guard challenge.previousFailureCount == 0 else { return (.cancelAuthenticationChallenge, nil) }
    return (.useCredential, URLCredential(user: user, password: password, persistence: .none))
  }
}

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]) else {
  print("usage: sign-in URL USER")
  exit(2)
}
let delegate = SignIn(user: arguments[2], password: ProcessInfo.processInfo.environment["PASSWORD"] ?? "")
do {
  let (data, _) = try await URLSession.shared.data(from: url, delegate: delegate)
  print(String(decoding: data, as: UTF8.self))
} catch URLError.cancelled {
  print("The server refused the name or the password.")
  exit(1)
}
