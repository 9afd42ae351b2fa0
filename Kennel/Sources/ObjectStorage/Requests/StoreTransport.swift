import Foundation
import Retriever

/// Sends requests to a store, and sends them again if that can help.
struct StoreTransport: Sendable {
  let session: URLSession
  let location: StoreLocation
  let signer: RequestSigner
  let retries: StoreRetries
  let clock: StoreClock

  /// The maximum size of a response that is not an object.
  static let maximumAnswerSize: Int64 = 16 << 20
  /// How many seconds a request waits while nothing arrives. With ``StoreRetries/maximumTime``, a store that does not answer is an
  /// error after at most 30 seconds.
  static let idleTime = 20.0

  static func makeSession() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpCookieStorage = nil
    configuration.urlCredentialStorage = nil
    configuration.urlCache = nil
    configuration.timeoutIntervalForRequest = idleTime
    configuration.timeoutIntervalForResource = 24 * 3600
    configuration.httpMaximumConnectionsPerHost = 32
    configuration.maximumBufferedBodySize = maximumAnswerSize
    return URLSession(configuration: configuration)
  }

  /// A successful response with its body.
  struct Response: Sendable {
    var answer: StoreAnswer
    var body: Data
    /// Whether an earlier attempt may have had an effect.
    var followsUnknownAttempt: Bool
  }

  /// The error of the last attempt.
  struct Failure: Error {
    var error: ObjectStoreError
    var verdict = StoreRetries.Verdict.final
    var asked: Duration?
    /// Whether an earlier attempt may have had an effect.
    var followsUnknownAttempt = false
  }

  /// Sends a request, and returns the complete response.
  func perform(_ request: StoreRequest) async throws(Failure) -> Response {
    let ((answer, body), isUnknown) = try await attempt(request) { signed in
      let (body, response) = try await session.data(for: signed, delegate: WithoutRedirects())
      let answer = try StoreAnswer(response)
      // Completing an upload may take long. The store then responds with 200 before it knows whether it succeeds.
      let isError =
        !answer.isSuccess || (request.method == "POST" && XMLDocument.parse(body)?.name == "Error")
      if isError { throw failure(answer, body, request.subject) }
      return (answer, body)
    }
    return Response(answer: answer, body: body, followsUnknownAttempt: isUnknown)
  }

  /// Sends a request, and returns the body of the response as a stream.
  func open(_ request: StoreRequest) async throws(Failure) -> (StoreAnswer, URLSession.AsyncBytes) {
    try await attempt(request) { signed in
      let (bytes, response) = try await session.bytes(for: signed, delegate: WithoutRedirects())
      let answer = try StoreAnswer(response)
      guard !answer.isSuccess else { return (answer, bytes) }
      var body = Data()
      for try await chunk in bytes.chunks where body.count < 1 << 16 { body += chunk }
      throw failure(answer, body, request.subject)
    }.0
  }

  /// Returns the result of the first attempt that succeeds, and whether an earlier one may have had an effect.
  private func attempt<Value>(
    _ request: StoreRequest, _ send: (URLRequest) async throws -> Value
  ) async throws(Failure) -> (Value, Bool) {
    var attempts = 0
    var isUnknown = false
    let start = clock.uptime()
    while true {
      attempts += 1
      var failure: Failure
      do {
        let signed = try request.signed(location, signer, at: clock.now())
        return (try await send(signed), isUnknown)
      } catch {
        failure = self.failure(error, request.subject)
      }
      failure.followsUnknownAttempt = isUnknown
      let mayRepeat =
        switch failure.verdict {
        case .final: false
        case .refused: true
        case .unknown: request.repetition == .always
        }
      guard mayRepeat,
        let pause = retries.pause(
          afterAttempts: attempts, asked: failure.asked, jitter: clock.jitter(),
          elapsed: clock.uptime() - start)
      else { throw failure }
      if failure.verdict == .unknown { isUnknown = true }
      do { try await clock.sleep(pause) } catch { throw Failure(error: .cancelled) }
    }
  }

  private func failure(_ answer: StoreAnswer, _ body: Data, _ subject: String) -> Failure {
    let error = answer.error(body, subject: subject, location: location, now: clock.now())
    return Failure(
      error: error, verdict: StoreRetries.verdict(status: answer.status, storeCode: error.storeCode),
      asked: answer.retryAfter)
  }

  /// Returns the failure for any error of an attempt.
  func failure(_ error: any Error, _ subject: String) -> Failure {
    switch error {
    case let failure as Failure: return failure
    case let error as ObjectStoreError: return Failure(error: error)
    case is CancellationError: return Failure(error: .cancelled)
    case let error as URLError where error.code == .cancelled: return Failure(error: .cancelled)
    case let error as URLError:
      let lost = ObjectStoreError(
        .unreachable,
        "The connection to the store \(location.host) failed while \(subject) was transferred: "
          + "\(error.localizedDescription) Check the address and the network, or try again later.")
      return Failure(error: lost, verdict: StoreRetries.verdict(error.code))
    default:
      return Failure(
        error: ObjectStoreError(
          .unreachable, "\(subject.capitalizedFirst) could not be transferred: \(error.localizedDescription)")
      )
    }
  }
}

extension StoreTransport.Failure {
  /// Whether the object does not exist.
  var isMissing: Bool { error.code == .noSuchObject }
}

/// A redirect would need another signature, and leads to a server that was not configured.
private final class WithoutRedirects: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? { nil }
}
