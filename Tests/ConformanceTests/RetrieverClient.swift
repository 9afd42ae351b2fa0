import Foundation
import RetrieverConformance
import TestSupport

/// The parts that are specific to Retriever: additional options, and Apple's API that FoundationNetworking lacks.
enum Library {
  static let name = "Retriever"
  /// Whether sessions use the transport of Retriever's own instead of libcurl.
  @TaskLocal static var usesOwnTransport =
    ProcessInfo.processInfo.environment["CONFORMANCE_TRANSPORT"] == "own"

  static func configure(_ configuration: URLSessionConfiguration, _ options: SessionOptions) throws {
    if let authority = options.trustedAuthority { configuration.trustedCertificates = .file(authority) }
    if let size = options.maximumBufferedBodySize { configuration.maximumBufferedBodySize = size }
    if let path = options.unixSocketPath { configuration.unixSocketPath = path }
    if options.refusesPrivateAddresses { configuration.addressPolicy = .publicOnly }
    if usesOwnTransport { configuration.transport = .own }
  }

  static func accepting(_ space: URLProtectionSpace) -> URLCredential? {
    space.serverTrust.map { URLCredential(trust: $0) }
  }

  static func asyncDelegate(_ record: DelegateRecord) throws -> any URLSessionTaskDelegate {
    record.policy.challenge != nil ? AsyncChallengeDelegate(record) : AsyncRedirectDelegate(record)
  }

  static func download(
    _ session: URLSession, resumingFrom data: Data, _ delegate: (any URLSessionTaskDelegate)?
  ) async throws -> (URL, URLResponse) {
    try await session.download(resumeFrom: data, delegate: delegate)
  }

  static func begin(_ task: URLSessionTask, at date: Date) throws { task.earliestBeginDate = date }

  static func becomeDownload() throws -> URLSession.ResponseDisposition { .becomeDownload }

  static func streamTask(_ stage: Stage) async throws -> [String] {
    let delegate = EndingDelegate(stage.notes)
    let session = stage.session(delegate)
    let port = stage.url().port ?? 0
    let task = session.streamTask(withHostName: stage.url().host ?? "", port: port)
    task.resume()
    if stage.url().scheme == "https" { task.startSecureConnection() }
    try await task.write(Data("hello".utf8), timeout: 5)
    let data = try await task.readData(ofMinLength: 5, maxLength: 5, timeout: 5).0
    stage.notes.add("read \(String(decoding: data ?? Data(), as: UTF8.self))")
    task.closeWrite()
    task.closeRead()
    await delegate.ended.wait()
    session.invalidateAndCancel()
    return stage.notes.lines
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

/// Notes the end of a task.
final class EndingDelegate: NSObject, NotingDelegate {
  let notes: Notes
  let ended = Gate()

  init(_ notes: Notes) { self.notes = notes }
}
