#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

extension URLSession {
  /// Creates a session with its own stores; `change` modifies its configuration.
  static func forTest(
    delegate: (any URLSessionDelegate)? = nil, _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    // Beside a busy processor, a test may continue late. Its load must not time out before.
    configuration.timeoutIntervalForRequest = 300
    change(configuration)
    return URLSession(configuration: configuration, delegate: delegate)
  }

  /// Fails the test if the session can no longer load.
  func expectUsable(_ sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "healthy") }
    var request = URLRequest(url: server.url("/health"))
    // Independent of the session's own time-out.
    request.timeoutInterval = 30
    let (data, _) = try await data(for: request)
    #expect(String(decoding: data, as: UTF8.self) == "healthy", sourceLocation: sourceLocation)
  }
}

/// Returns the code of the error that a load fails with. Records an issue if it succeeds.
func errorCode(
  _ sourceLocation: SourceLocation = #_sourceLocation, of load: () async throws -> Void
) async -> URLError.Code? {
  do {
    try await load()
    Issue.record("The load succeeded", sourceLocation: sourceLocation)
    return nil
  } catch let error as URLError {
    return error.code
  } catch {
    Issue.record("Not a URLError: \(error)", sourceLocation: sourceLocation)
    return nil
  }
}

/// Observes an object without keeping it alive.
struct WeakReference<Object: AnyObject & Sendable>: Sendable {
  weak let object: Object?
  init(_ object: Object) { self.object = object }
}

/// A thread-safe list of entries, in order.
final class Log<Entry: Sendable>: Sendable {
  private let state = Mutex<[Entry]>([])
  var all: [Entry] { state.withLock { $0 } }
  func add(_ entry: Entry) { state.withLock { $0.append(entry) } }
}

/// Records a delegate's calls as words, and provides its answers.
final class DelegateLog: Sendable {
  struct Answers: Sendable {
    var redirect: @Sendable (HTTPURLResponse, URLRequest) -> URLRequest? = { $1 }
    var challenge:
      @Sendable (URLAuthenticationChallenge) -> (URLSession.AuthChallengeDisposition, URLCredential?) = {
        _ in (.performDefaultHandling, nil)
      }
    var disposition: @Sendable (URLResponse) -> URLSession.ResponseDisposition = { _ in .allow }
    var newStream: @Sendable () -> InputStream? = { nil }
    var file: @Sendable (URL) -> Void = { _ in }
  }

  let answers: Answers
  let completed = Gate()
  let becameInvalid = Gate()
  private let words = Log<String>()
  private let state = Mutex(State())

  struct State: Sendable {
    var body = Data()
    var error: (any Error)?
    var metrics: [URLSessionTaskMetrics] = []
    var sent: [(Int64, Int64, Int64)] = []
    var written: [(Int64, Int64, Int64)] = []
    var resumed: [(Int64, Int64)] = []
    var challenges: [URLAuthenticationChallenge] = []
    var informational: [Int] = []
  }

  init(_ answers: Answers = Answers()) { self.answers = answers }

  var events: [String] { words.all }
  /// The events without the repetitions of those that may arrive in several parts.
  var order: [String] {
    events.reduce(into: []) { order, event in if order.last != event { order.append(event) } }
  }
  var current: State { state.withLock { $0 } }

  func note(_ word: String, _ change: (inout State) -> Void = { _ in }) {
    state.withLock { change(&$0) }
    words.add(word)
  }
}

/// Implements all methods in the completion-handler form.
final class HandlerDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
  let log: DelegateLog
  /// Open after the first informational response.
  let informed = Gate()
  init(_ answers: DelegateLog.Answers = .init()) { log = DelegateLog(answers) }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    log.note("invalid")
    log.becameInvalid.open()
  }

  func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) { log.note("created") }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    log.note("redirect")
    completionHandler(log.answers.redirect(response, request))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler:
      @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    log.note("challenge") { $0.challenges.append(challenge) }
    let (disposition, credential) = log.answers.challenge(challenge)
    completionHandler(disposition, credential)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask,
    needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    log.note("stream")
    completionHandler(log.answers.newStream())
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    log.note("sent") { $0.sent.append((bytesSent, totalBytesSent, totalBytesExpectedToSend)) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse
  ) {
    log.note("informational") { $0.informational.append(response.statusCode) }
    informed.open()
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    log.note("metrics") { $0.metrics.append(metrics) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    log.note("completed") { $0.error = error }
    log.completed.open()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    log.note("response")
    completionHandler(log.answers.disposition(response))
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    log.note("data") { $0.body.append(data) }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    log.note("file")
    log.answers.file(location)
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    log.note("written") {
      $0.written.append((bytesWritten, totalBytesWritten, totalBytesExpectedToWrite))
    }
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    log.note("resumed") { $0.resumed.append((fileOffset, expectedTotalBytes)) }
  }
}

/// Implements the methods with a result in the async form.
final class AsyncDelegate: NSObject, URLSessionDataDelegate {
  let log: DelegateLog
  init(_ answers: DelegateLog.Answers = .init()) { log = DelegateLog(answers) }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    log.note("redirect")
    await Task.yield()
    return log.answers.redirect(response, request)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    log.note("challenge") { $0.challenges.append(challenge) }
    await Task.yield()
    return log.answers.challenge(challenge)
  }

  func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async
    -> InputStream?
  {
    log.note("stream")
    await Task.yield()
    return log.answers.newStream()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse
  ) async -> URLSession.ResponseDisposition {
    log.note("response")
    await Task.yield()
    return log.answers.disposition(response)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
  ) {
    log.note("completed") { $0.error = error }
    log.completed.open()
  }
}

/// Implements no methods.
final class SilentDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {}

extension TemporaryDirectory {
  /// Creates a file of `size` bytes. Each byte depends on its position.
  func file(ofSize size: Int, named name: String = "body") throws -> (URL, Data) {
    let data = Data.pattern(count: size)
    return (try write(data, to: name), data)
  }
}

extension URLSession {
  /// A session that trusts the test authority.
  static func trustingTestAuthority(
    delegate: (any URLSessionDelegate)? = nil, _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) throws -> URLSession {
    let file = try TestAuthority.shared().authorityFile
    return forTest(delegate: delegate) {
      $0.trustedCertificates = .file(file)
      change($0)
    }
  }

  func text(from url: URL, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> String {
    let (data, _) = try await data(from: url, delegate: delegate)
    return String(decoding: data, as: UTF8.self)
  }
}

extension ServerTrust.Certificate {
  /// The certificate in a file of the test authority.
  static func ofTest(_ certificate: TestAuthority.Certificate) throws -> ServerTrust.Certificate {
    let pem = try Data(contentsOf: TestAuthority.shared().certificateFile(certificate))
    return try #require(certificates(pem: pem).first)
  }

  static func testAuthority() throws -> ServerTrust.Certificate {
    try #require(certificates(pem: Data(contentsOf: TestAuthority.shared().authorityFile)).first)
  }
}

/// A delegate that collects what metrics say about each transaction.
final class TransactionCollector: NSObject, URLSessionTaskDelegate {
  let transactions = Log<URLSessionTaskTransactionMetrics>()

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    for transaction in metrics.transactionMetrics { transactions.add(transaction) }
  }
}
#endif
