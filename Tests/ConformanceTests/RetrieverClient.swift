import Foundation
import RetrieverConformance

/// The parts that are specific to Retriever: additional options, and Apple's API that FoundationNetworking lacks.
enum Library {
  static let name = "Retriever"

  static func configure(_ configuration: URLSessionConfiguration, _ options: SessionOptions) throws {
    if let authority = options.trustedAuthority { configuration.trustedCertificates = .file(authority) }
    if let size = options.maximumBufferedBodySize { configuration.maximumBufferedBodySize = size }
    if let path = options.unixSocketPath { configuration.unixSocketPath = path }
    if options.refusesPrivateAddresses { configuration.addressPolicy = .publicOnly }
  }

  static func asyncDelegate(_ record: DelegateRecord) throws -> any URLSessionTaskDelegate {
    record.policy.challenge != nil ? AsyncChallengeDelegate(record) : AsyncRedirectDelegate(record)
  }

  static func download(
    _ session: URLSession, resumingFrom data: Data, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> (URL, URLResponse) {
    try await session.download(resumeFrom: data, delegate: delegate)
  }

  static func iterate(_ call: Call) async throws {
    let exchange = call.exchange
    let (bytes, response) = try await call.session.bytes(for: call.request, delegate: call.delegate)
    call.outcome.take(response)
    exchange.onHead?((response as? HTTPURLResponse)?.statusCode ?? 0)
    let limit = exchange.elementLimit ?? .max
    guard limit > 0 else { return }
    if exchange.kind == .lines {
      var count = 0
      for try await line in bytes.lines {
        call.outcome.change { $0.lines.append(line) }
        await exchange.onElement?(line)
        count += 1
        if count >= limit { break }
      }
    } else {
      var body = Data()
      defer { call.outcome.change { [body] in $0.body = body } }
      for try await byte in bytes {
        body.append(byte)
        if let onElement = exchange.onElement { await onElement("\(body.count)") }
        if body.count >= limit { break }
      }
    }
  }
}

/// Answers challenges with an async method.
final class AsyncChallengeDelegate: NSObject, RecordingDelegate {
  let record: DelegateRecord

  init(_ record: DelegateRecord) { self.record = record }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    await Task.yield()
    return record.answer(challenge)
  }
}

/// Answers redirects with an async method.
final class AsyncRedirectDelegate: NSObject, RecordingDelegate {
  let record: DelegateRecord

  init(_ record: DelegateRecord) { self.record = record }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    await Task.yield()
    return record.answer(redirectTo: request)
  }
}
