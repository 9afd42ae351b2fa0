import Foundation
import HTTPSyntax
import Retriever
import Synchronization

/// One load by a stub, from the request to the last byte of the answer.
final class StubLoad: Sendable {
  private enum Phase: Sendable {
    case reading
    case running(Task<Void, Never>)
    case cancelled
  }

  let demand = Demand()
  private let request: URLRequest
  private let url: URL
  private let context: StubContext
  private let settings: StubSettings
  private let output: StubOutput
  private let phase = Mutex(Phase.reading)

  init(
    request: URLRequest, url: URL, context: StubContext, settings: StubSettings, output: StubOutput
  ) {
    self.request = request
    self.url = url
    self.context = context
    self.settings = settings
    self.output = output
  }

  func start() {
    let reader = BodyReader(limit: context.source.maximumBodyBytes)
    guard request.httpBodyStream != nil else { return run(reader.body(of: request.httpBody ?? Data())) }
    DispatchQueue(label: "retriever.stub-body").async { self.read(with: reader) }
  }

  func cancel() {
    let task = phase.withLock { phase -> Task<Void, Never>? in
      defer { phase = .cancelled }
      if case .running(let task) = phase { return task }
      return nil
    }
    task?.cancel()
  }

  private var isCancelled: Bool {
    phase.withLock { if case .cancelled = $0 { true } else { false } }
  }

  private func read(with reader: BodyReader) {
    guard let stream = request.httpBodyStream else { return }
    do {
      run(try reader.read(stream) { self.isCancelled })
    } catch {
      if !isCancelled { output.fail(error) }
    }
  }

  private func run(_ body: BodyReader.Body) {
    let task = Task { await load(body) }
    let isCancelled = phase.withLock { phase in
      if case .cancelled = phase { return true }
      phase = .running(task)
      return false
    }
    if isCancelled { task.cancel() }
  }

  private func load(_ body: BodyReader.Body) async {
    do {
      try Task.checkCancellation()
      let assignment = context.source.receive(
        StubArrival(
          request: request, url: url, headers: settings.headers(of: request, to: url), body: body))
      try await play(try await assignment.answer(assignment.request), for: assignment)
      output.finish()
    } catch {
      if !Task.isCancelled { output.fail(withURL(error)) }
    }
  }

  /// Adds the URL to an error of a stub that does not know it.
  private func withURL(_ error: any Error) -> any Error {
    guard let error = error as? URLError, error.userInfo[NSURLErrorFailingURLErrorKey] == nil else {
      return error
    }
    var information = error.userInfo
    information[NSURLErrorFailingURLErrorKey] = url
    return URLError(error.code, userInfo: information)
  }

  // MARK: The answer

  private func play(_ answer: StubAnswer, for assignment: StubAssignment) async throws {
    let timer = context.source.timer
    let start = assignment.arrival + answer.delay
    try await timer.sleep(until: start)
    if let protection = answer.protection, let refusal = try await refusal(by: protection, assignment) {
      return try await deliver(refusal, .status(401), start, assignment)
    }
    switch answer.content {
    case .response(let response): try await deliver(response, answer, start, assignment)
    case .failure(let error): throw error
    case .timeOut:
      try await timer.sleep(until: start + settings.timeout(of: request))
      throw URLError.stub(.timedOut, "The stub did not answer within the time-out of the request.", url)
    case .network:
      let load = NetworkLoad(
        request: try networkRequest(assignment.request), received: assignment.request,
        session: context.session(settings.configuration), output: output, demand: demand,
        record: assignment.record)
      try await load.run { try nextRequest(after: $0, assignment.request) }
    }
  }

  private func networkRequest(_ received: ReceivedRequest) throws -> URLRequest {
    guard !received.isCut else {
      throw URLError.stub(
        .dataLengthExceedsMaximum,
        "The body of \(received) has \(received.bodyLength) bytes. To send it to the network, raise bodyBytes of "
          + "HTTPStubs.Limits.",
        url)
    }
    return withKnownBody(request, received)
  }

  /// Replaces the stream of a body, which has been read.
  private func withKnownBody(_ request: URLRequest, _ received: ReceivedRequest) -> URLRequest {
    guard request.httpBodyStream != nil, !received.isCut else { return request }
    var request = request
    request.httpBodyStream = nil
    request.httpBody = received.body
    return request
  }

  private func deliver(
    _ response: StubAnswer.Response, _ answer: StubAnswer, _ start: Duration, _ assignment: StubAssignment
  ) async throws {
    var pieces = try BodyPieces(response.body, size: answer.pacing?.size)
    let hasBody = request.httpMethod != "HEAD" && response.status != 204 && response.status != 304
    let head = try head(of: response, length: pieces.length)
    settings.storeCookies(of: response.fields, from: url, mainDocument: request.mainDocumentURL)
    if let next = try nextRequest(after: head, assignment.request) {
      output.redirect(to: next, head)
    } else {
      output.respond(head)
    }
    var (index, count) = (0, 0)
    while hasBody, let piece = try pieces.next() {
      try await context.source.timer.sleep(until: start + (answer.pacing?.interval ?? .zero) * index)
      let rest = answer.lossAfterBytes.map { $0 - count } ?? .max
      if rest > 0, !piece.isEmpty {
        try await demand.wait()
        output.deliver(Data(piece.prefix(rest)))
      }
      count += piece.count
      index += 1
      if piece.count > rest { break }
    }
    if let limit = answer.lossAfterBytes {
      throw URLError.stub(
        .networkConnectionLost, "The stub loses the connection after \(limit) bytes of the body.", url)
    }
  }

  private func head(of response: StubAnswer.Response, length: Int?) throws -> HTTPURLResponse {
    var headers: [String: String] = [:]
    for (name, value) in response.fields {
      let known = headers.keys.first { ASCII.equalIgnoringCase($0, name) }
      headers[known ?? name] = known.flatMap { headers[$0] }.map { "\($0), \(value)" } ?? value
    }
    let statesLength = headers.keys.contains { ASCII.equalIgnoringCase($0, "Content-Length") }
    if let length, !statesLength, response.status != 204, response.status != 304 {
      headers["Content-Length"] = "\(length)"
    }
    let head = HTTPURLResponse(
      url: url, statusCode: response.status, httpVersion: "HTTP/1.1", headerFields: headers)
    guard let head else {
      throw URLError.stub(
        .badServerResponse, "The stub's answer is not a valid response: status \(response.status).", url)
    }
    return head
  }

  /// Returns the request that follows a redirect; nil if the response is not one.
  private func nextRequest(
    after response: HTTPURLResponse, _ received: ReceivedRequest
  ) throws -> URLRequest? {
    let request = withKnownBody(request, received)
    #if canImport(Darwin)
    guard [301, 302, 303, 307, 308].contains(response.statusCode),
      let location = response.value(forHTTPHeaderField: "Location"),
      let target = URL(string: location, relativeTo: url)?.absoluteURL
    else { return nil }
    var next = request
    next.url = target
    if response.statusCode == 303 || response.statusCode < 303 && request.httpMethod == "POST" {
      next.httpMethod = "GET"
      next.httpBody = nil
    }
    return next
    #else
    switch RedirectRule.nextRequest(after: request, response: response) {
    case .notARedirect: return nil
    case .refuse(let error): throw error
    case .follow(let next): return next
    }
    #endif
  }

  // MARK: Challenges

  /// Asks for a name and password. Returns the response without the right ones.
  private func refusal(
    by protection: StubAnswer.Protection, _ assignment: StubAssignment
  ) async throws -> StubAnswer.Response? {
    let expected = Data("\(protection.user):\(protection.password)".utf8).base64EncodedString()
    if assignment.request.value(forHTTPHeaderField: "Authorization") == "Basic \(expected)" { return nil }
    let refusal = StubAnswer.Response(
      status: 401, fields: [("WWW-Authenticate", "Basic realm=\"\(protection.realm)\"")],
      body: .data(Data()))
    let head = try head(of: refusal, length: 0)
    let space = URLProtectionSpace(
      host: url.host ?? "", port: url.port ?? (url.scheme == "https" ? 443 : 80), protocol: url.scheme,
      realm: protection.realm, authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    var proposed = settings.proposedCredential(for: space)
    var failures = 0
    while failures < Self.maximumRefusals {
      let reply = ChallengeReply()
      output.ask(
        URLAuthenticationChallenge(
          protectionSpace: space, proposedCredential: proposed, previousFailureCount: failures,
          failureResponse: head, error: nil, sender: reply))
      let credential: URLCredential?
      switch try await reply.value() {
      case .credential(let given): credential = given
      case .defaultHandling: credential = proposed
      case .noCredential: credential = nil
      case .cancel: throw URLError.stub(.cancelled, "The load was cancelled.", url)
      }
      guard let credential else { return refusal }
      if credential.user == protection.user, credential.password == protection.password { return nil }
      failures += 1
      proposed = nil
    }
    return refusal
  }

  /// A delegate that always gives the same wrong password must not be asked forever.
  private static let maximumRefusals = 16
}
