import Foundation
import RetrieverConformance
import Synchronization
import TestSupport

/// The suite's client for libraries with Apple's URLSession API. The differences between them are in `Library`.
struct URLSessionClient: ConformanceClient {
  let name = Library.name

  func makeSession(_ options: SessionOptions) throws -> any ConformanceSession {
    let configuration = URLSessionConfiguration.ephemeral
    if let timeout = options.requestTimeout { configuration.timeoutIntervalForRequest = timeout.inSeconds }
    if let timeout = options.resourceTimeout { configuration.timeoutIntervalForResource = timeout.inSeconds }
    try Library.configure(configuration, options)
    let record = options.delegate.map { DelegateRecord($0) }
    let session = URLSession(
      configuration: configuration, delegate: try record?.makeDelegate(), delegateQueue: nil)
    return URLSessionClientSession(session: session, sessionRecord: record)
  }
}

struct URLSessionClientSession: ConformanceSession {
  let session: URLSession
  let sessionRecord: DelegateRecord?

  func invalidate() { session.invalidateAndCancel() }

  func perform(_ exchange: ExchangeRequest) async -> ExchangeOutcome {
    var body: Data?
    if case .stream(let data) = exchange.body { body = data }
    let record = exchange.delegate.map { DelegateRecord($0, body: body) }
    let observed = record ?? sessionRecord
    let outcome = Draft()
    do {
      guard let url = URL(string: exchange.url) else { throw URLError(.badURL) }
      let call = Call(
        session: session, exchange: exchange, request: Self.request(exchange, url),
        delegate: try record?.makeDelegate(), outcome: outcome,
        hasMetrics: { observed.map { $0.current.metricsCount > 0 } ?? false })
      try await cancelling(when: exchange.cancel) { try await call.run() }
    } catch let missing as NotOffered {
      return .notOffered(missing.what)
    } catch {
      outcome.fail(with: error)
    }
    outcome.change {
      $0.metricsCameFirst = $0.metricsCameFirst || observed.map { $0.current.metricsCount > 0 } ?? false
    }
    // Gives a library that reports metrics too late, or calls a handler twice, the time to do so.
    if let observed {
      _ = await eventually(within: .milliseconds(300)) { observed.current.metricsCount > 0 }
      let seen = observed.current
      outcome.change { draft in
        draft.metricsCount = seen.metricsCount
        draft.transactionCount = seen.transactionCount
        draft.challenges = seen.challenges
        draft.redirects = seen.redirects
      }
    }
    return outcome.value
  }

  private static func request(_ exchange: ExchangeRequest, _ url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = exchange.method
    for (name, value) in exchange.headers { request.setValue(value, forHTTPHeaderField: name) }
    if let timeout = exchange.timeout { request.timeoutInterval = timeout.inSeconds }
    request.httpShouldHandleCookies = exchange.handlesCookies
    let isUpload = exchange.kind == .upload || exchange.kind == .uploadCallback
    switch exchange.body {
    case .data(let data) where !isUpload: request.httpBody = data
    case .stream(let data): request.httpBodyStream = InputStream(data: data)
    default: break
    }
    return request
  }

  /// Runs `operation` in a task that is cancelled when the gate opens, or with the calling task.
  private func cancelling(
    when gate: Gate?, _ operation: @escaping @Sendable () async throws -> Void
  ) async throws {
    guard let gate else { return try await operation() }
    let task = Task(operation: operation)
    let watcher = Task { if await gate.wait() { task.cancel() } }
    defer { watcher.cancel() }
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }
}

/// One call of the library, in async form or with a completion handler.
struct Call: Sendable {
  let session: URLSession
  let exchange: ExchangeRequest
  let request: URLRequest
  let delegate: (any URLSessionTaskDelegate)?
  let outcome: Draft
  let hasMetrics: @Sendable () -> Bool

  func run() async throws {
    switch exchange.kind {
    case .data:
      let (data, response) = try await session.data(for: request, delegate: delegate)
      finish(data, response)
    case .upload:
      let (data, response) = try await upload()
      finish(data, response)
    case .download where exchange.cancelForResumption != nil:
      try await cancelDownload()
    case .download:
      let (file, response) = try await download()
      try outcome.take(file: file, of: exchange)
      finish(nil, response)
    case .bytes, .lines:
      try await Library.iterate(self)
    case .dataCallback, .uploadCallback, .downloadCallback:
      try await runWithHandler()
    }
  }

  private func finish(_ data: Data?, _ response: URLResponse) {
    let hasMetrics = hasMetrics()
    outcome.take(response)
    outcome.change { draft in
      if let data { draft.body = data }
      draft.metricsCameFirst = hasMetrics
    }
  }

  private func upload() async throws -> (Data, URLResponse) {
    switch exchange.body {
    case .data(let data): try await session.upload(for: request, from: data, delegate: delegate)
    case .file(let file): try await session.upload(for: request, fromFile: file, delegate: delegate)
    case .none, .stream: try await session.data(for: request, delegate: delegate)
    }
  }

  private func download() async throws -> (URL, URLResponse) {
    if let resumeData = exchange.resumeData {
      return try await Library.download(session, resumingFrom: resumeData, delegate)
    }
    return try await session.download(for: request, delegate: delegate)
  }
}

/// An outcome that is being assembled.
final class Draft: Sendable {
  private let stored = Mutex(ExchangeOutcome())

  var value: ExchangeOutcome { stored.withLock { $0 } }

  func change(_ change: (inout ExchangeOutcome) -> Void) {
    stored.withLock { change(&$0) }
  }

  func fail(with error: any Error) {
    let failure: ExchangeOutcome.Failure =
      if let error = error as? URLError { .url(error.errorCode) } else {
        .other("\(type(of: error)): \(error)")
      }
    change { $0.failure = failure }
  }

  func take(_ response: URLResponse?) {
    guard let response = response as? HTTPURLResponse else { return }
    var headers: [String: String] = [:]
    for (name, value) in response.allHeaderFields { headers["\(name)".lowercased()] = "\(value)" }
    let address = response.url?.absoluteString
    change { [headers] draft in
      draft.status = response.statusCode
      draft.headers = headers
      draft.finalURL = address
    }
  }

  /// Reads a download's file, or moves it away, while it exists.
  func take(file: URL, of exchange: ExchangeRequest) throws {
    let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
    var place = file
    if let destination = exchange.destination {
      try FileManager.default.moveItem(at: file, to: destination)
      place = destination
    }
    // Of large files, only the size is checked.
    let isSmall = (attributes[.size] as? Int ?? 0) < 64 << 20
    let body = isSmall ? try Data(contentsOf: place) : Data()
    change { draft in
      draft.file = file.path
      draft.fileMode = (attributes[.posixPermissions] as? Int).map { $0 & 0o777 }
      draft.body = body
    }
  }
}

extension Duration {
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
