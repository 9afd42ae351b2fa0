#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

typealias TrustAnswerPair = (URLSession.AuthChallengeDisposition, URLCredential?)

/// Answers challenges with a closure, and records them.
final class ChallengeLog: Sendable {
  private let challenges = Log<URLAuthenticationChallenge>()
  let answer: @Sendable (URLAuthenticationChallenge) -> TrustAnswerPair

  init(_ answer: @escaping @Sendable (URLAuthenticationChallenge) -> TrustAnswerPair) { self.answer = answer }

  var all: [URLAuthenticationChallenge] { challenges.all }
  var trusts: [ServerTrust] { all.compactMap(\.protectionSpace.serverTrust) }
  var methods: [String] { all.map(\.protectionSpace.authenticationMethod) }

  func reply(to challenge: URLAuthenticationChallenge) -> TrustAnswerPair {
    challenges.add(challenge)
    return answer(challenge)
  }

  static let accepts: @Sendable (URLAuthenticationChallenge) -> TrustAnswerPair = { challenge in
    guard let trust = challenge.protectionSpace.serverTrust else { return (.performDefaultHandling, nil) }
    return (.useCredential, URLCredential(trust: trust))
  }
  static let performsDefault: @Sendable (URLAuthenticationChallenge) -> TrustAnswerPair = { _ in
    (.performDefaultHandling, nil)
  }
  static let cancels: @Sendable (URLAuthenticationChallenge) -> TrustAnswerPair = { _ in
    (.cancelAuthenticationChallenge, nil)
  }
}

/// Implements the session-level method only.
final class SessionTrustDelegate: NSObject, URLSessionDelegate {
  let log: ChallengeLog
  init(_ answer: @escaping @Sendable (URLAuthenticationChallenge) -> TrustAnswerPair) {
    log = ChallengeLog(answer)
  }

  func urlSession(
    _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let (disposition, credential) = log.reply(to: challenge)
    completionHandler(disposition, credential)
  }
}

/// Implements the task-level method only, in the async form.
final class TaskTrustDelegate: NSObject, URLSessionTaskDelegate {
  let log: ChallengeLog
  init(_ answer: @escaping @Sendable (URLAuthenticationChallenge) -> TrustAnswerPair) {
    log = ChallengeLog(answer)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> TrustAnswerPair {
    log.reply(to: challenge)
  }
}

/// Passes the completion handler to the test, which answers later, often or never.
final class LateTrustDelegate: NSObject, URLSessionTaskDelegate {
  typealias Handler = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  let asked = Gate()
  private let held = Mutex<[(URLAuthenticationChallenge, Handler)]>([])
  var questions: [(challenge: URLAuthenticationChallenge, answer: Handler)] {
    held.withLock { $0.map { ($0.0, $0.1) } }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping Handler
  ) {
    held.withLock { $0.append((challenge, completionHandler)) }
    asked.open()
  }
}

/// A scripted server behind TLS, which reports its handshakes.
struct SecureServer: Sendable {
  let server: ScriptedServer
  let port: UInt16

  init(
    _ certificate: TestAuthority.Certificate = .valid, clients: TLSRelay.ClientCertificates = .ignored,
    versions: TLSRelay.Versions = .all,
    _ answer: @escaping @Sendable (ScriptedRequest) throws -> Reply = { _ in Reply(text: "hello") }
  ) throws {
    server = try ScriptedServer.http(answer)
    port = try TLSRelay.shared().forward(
      to: server.port, certificate: certificate, clients: clients, versions: versions)
  }

  var url: URL { url("/") }

  func url(_ path: String, host: String = "localhost") -> URL {
    URL(string: "https://\(host):\(port)\(path)") ?? URL(fileURLWithPath: "/nonexistent")
  }

  var report: TLSRelay.Report { get throws { try TLSRelay.shared().report(on: port) } }
}
#endif
