import Foundation
import Retriever
import TerminalProgram

/// Answers authentication challenges, and prints the traffic in verbose mode.
final class SignIn: NSObject, URLSessionTaskDelegate {
  private let credentials: Credentials
  private let screen: Screen
  private let isVerbose: Bool

  init(_ credentials: Credentials, screen: Screen, isVerbose: Bool) {
    self.credentials = credentials
    self.screen = screen
    self.isVerbose = isVerbose
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    let space = challenge.protectionSpace
    let isPassword = [NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest]
      .contains(space.authenticationMethod)
    // A repeated challenge means that the password was wrong.
    guard isPassword, challenge.previousFailureCount == 0, !space.isProxy(),
      let login = credentials.login(scheme: space.protocol ?? "http", host: space.host, port: space.port)
    else { return (.performDefaultHandling, nil) }
    if space.protocol != "https", space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic {
      warnOfPlainText(host: space.host)
    }
    return (
      .useCredential, URLCredential(user: login.user, password: login.password, persistence: .forSession)
    )
  }

  private func warnOfPlainText(host: String) {
    let isHere = host == "localhost" || host.hasPrefix("127.") || host == "::1" || host == "[::1]"
    if !isHere {
      screen.warn("Warning: The password is sent to \(host) unencrypted. Others on the network can read it.")
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    guard isVerbose else { return }
    for transaction in metrics.transactionMetrics {
      for line in Conversation.lines(of: transaction) { screen.warn(line) }
    }
  }
}
