#if !canImport(Darwin)
import HTTPSyntax
import Foundation
import Synchronization
import TransferEngine

// Sending: creates a transfer from the current request and the session's policies.
extension URLSessionTask {
  /// Starts the task with the receiver of its result. A task that was cancelled before completes immediately.
  func start(for completion: TaskCompletion?) {
    let (action, beginDate) = lockedState.withLock { state -> (TaskAction, Date?) in
      if let completion { state.completion = completion }
      // The task was cancelled before it had a receiver, so the new receiver gets the result now.
      if state.machine.isCompleted { return (completion == nil ? .none : .complete, nil) }
      let isFirst = state.machine.isIdle
      if isFirst {
        if let limit = resourceTimeout { state.deadline = TransferDeadline(after: limit) }
        if state.delegate != nil || session.archive.isRecording || sessionDelegate != nil {
          state.measurements = TaskState.Measurements()
        }
      }
      let action = state.machine.resume()
      return (action, isFirst ? state.earliestBeginDate : nil)
    }
    if let beginDate, case .begin = action, beginDate > settings.wallClock.now() {
      return begin(at: beginDate)
    }
    perform(action)
  }

  typealias TaskAction = TaskStateMachine<TaskTransfer, QuestionTimer>.Action

  func perform(_ action: TaskAction) {
    switch action {
    case .none: break
    case .begin: prepareBody()
    case .hold(let transfer):
      transfer.hold()
      perform(lockedState.withLock { $0.machine.actionAfterHolding() })
    case .release(let transfer):
      transfer.resumeReceiving()
      perform(lockedState.withLock { $0.machine.actionAfterReleasing() })
    case .finishSink: finishSink()
    case .cancel(let transfer): transfer.cancel()
    case .cancelAndComplete(let transfer):
      transfer.cancel()
      complete()
    case .complete: complete()
    }
  }

  /// Passes an event to the machine, which may end a question. Returns the action that follows.
  func advance(_ event: (inout TaskState) -> TaskAction) -> TaskAction {
    let (action, timer) = lockedState.withLock { state in
      let timer = state.machine.timer
      return (event(&state), timer)
    }
    // Released here, and not under the lock.
    withExtendedLifetime(timer) {}
    return action
  }

  /// Lets the transfer continue, because the sink has room for more of the body.
  func wantsMore() { perform(lockedState.withLock { $0.machine.wantsMore() }) }

  /// Fails or cancels the task in any phase.
  func abort(_ error: any Error) {
    perform(
      advance { state in
        if !state.machine.isEnding { state.error = error }
        // If metrics are collected, the task waits for the end of the transfer, which comes immediately. The resume data of
        // an upload states how many bytes were sent. The server may offer to resume it at the same moment.
        return state.machine.abort(awaitsTransfer: state.measurements != nil || state.upload != nil)
      })
  }

  // MARK: The body

  /// The values for the next transfer, read from the state in one step.
  struct TransferInput: Sendable {
    let request: URLRequest
    let upload: UploadBody?
    /// Whether the request continues an upload, so that its meaning depends on its response.
    let continuesUpload: Bool
    let hasSentBody: Bool
    let authorizer: Authorizer?
    let deadline: TransferDeadline?
    let collectsRecords: Bool
    let priority: Float
  }

  func prepareBody() {
    let input = lockedState.withLock { state in
      state.currentRequest.map {
        TransferInput(
          request: $0, upload: state.uploadBody, continuesUpload: state.continuesUpload,
          hasSentBody: state.hasSentBody,
          authorizer: state.authorizer, deadline: state.deadline,
          collectsRecords: state.measurements != nil, priority: state.priority)
      }
    }
    guard let input else {
      return abort(URLError(.unsupportedURL, message: "The request is empty."))
    }
    do throws(URLError) {
      try prepareSink()
      if let webSocket { return send(input, .source(webSocket)) }
      if case .stream = sink { return try openConnection(input) }
      if let protocolClass = session.protocolClass(for: self, input.request) {
        guard !input.continuesUpload else {
          throw URLError(
            .unsupportedURL, message: "A URLProtocol cannot resume an interrupted upload.",
            suggestion: "Upload it from the beginning.", url: input.request.url)
        }
        if input.upload != nil { withdrawUpload() }
        return try load(input, with: protocolClass)
      }
      switch input.upload {
      case .data(let data): send(input, Self.body(data))
      case .file(let url): send(input, .source(try FileBodySource(url)))
      case .streamFromDelegate: askForBodyStream(input)
      case .sequence(let body): try send(input, body)
      // The number of bytes that were sent must be known exactly, which only a source reports.
      case .restOfData(let data): send(input, data.isEmpty ? .bytes([]) : .source(DataBodySource(data)))
      case .restOfFile(let url, let offset, let stamp): try sendRest(input, of: url, from: offset, stamp)
      case .restFromDelegate(let offset, let length): askForRest(input, from: offset, length: length)
      case nil: sendBodyOfRequest(input)
      }
    } catch {
      abort(error)
    }
  }

  private func send(_ input: TransferInput, _ body: AsyncSequenceBody) throws(URLError) {
    guard !input.hasSentBody || body.rewind() else {
      throw URLError(
        .requestBodyStreamExhausted,
        message: "The body has to be sent again, but too much of its sequence has been sent.",
        url: input.request.url)
    }
    if body.length == 0 { return send(input, .bytes([])) }
    send(input, .source(body))
  }

  private func sendBodyOfRequest(_ input: TransferInput) {
    let request = input.request
    if let data = request.httpBody, !data.isEmpty {
      send(input, Self.body(data))
    } else if let stream = request.httpBodyStream {
      // A stream can be read only once.
      if input.hasSentBody { return askForBodyStream(input) }
      send(input, stream, length: request.statedBodyLength)
    } else {
      send(input, Self.needsLength(request.httpMethod) ? .bytes([]) : .none)
    }
  }

  private static func body(_ data: Data) -> TransferBody {
    data.count <= TransferBody.maximumInlineBytes ? .bytes([UInt8](data)) : .source(DataBodySource(data))
  }

  /// A method that usually has a body sends “Content-Length: 0” without one (RFC 9110, 8.6).
  private static func needsLength(_ method: String?) -> Bool {
    method == "POST" || method == "PUT" || method == "PATCH"
  }

  private func askForBodyStream(_ input: TransferInput) {
    askForBodyStream(input) { self.send(input, $0, length: input.request.statedBodyLength) }
  }

  /// Asks a delegate for the body of the next request. No transfer ends the task at its deadline meanwhile.
  func askForBody<Answer: Sendable>(
    _ method: DelegateMethod,
    _ call: @escaping @Sendable (any URLSessionTaskDelegate, @escaping @Sendable (Answer) -> Void) -> Void,
    then: @escaping @Sendable (Answer?) -> Void
  ) {
    let previous = lockedState.withLock { state -> (any PendingWait)? in
      guard state.machine.isPreparing, let deadline = state.deadline else { return nil }
      defer { state.pendingWait = questionTimer(deadline.remaining) }
      return state.pendingWait.take()
    }
    withExtendedLifetime(previous) {}
    ask(
      method, of: (any URLSessionTaskDelegate).self, call,
      then: { answer in
        let timer = self.lockedState.withLock { $0.pendingWait.take() }
        // Released here, and not under the lock.
        withExtendedLifetime(timer) {}
        then(answer)
      })
  }

  func askForBodyStream(_ input: TransferInput, then use: @escaping @Sendable (InputStream) -> Void) {
    askForBody(
      .needNewBodyStream,
      { delegate, answer in
        delegate.urlSession(self.session, task: self, needNewBodyStream: { answer(SendableStream($0)) })
      },
      then: { answer in
        guard let stream = answer?.stream else {
          return self.abort(
            URLError(
              .requestBodyStreamExhausted,
              message: "The body has to be sent again, but the delegate returned no new stream.",
              url: input.request.url))
        }
        use(stream)
      })
  }

  /// Sends a stream, with the length that the request states, if any.
  func send(_ input: TransferInput, _ stream: InputStream, length: Int64?) {
    let body = StreamBody(stream, length: length) { [weak self] problem in
      self?.abort(
        URLError(.requestBodyStreamExhausted, message: problem, url: input.request.url))
    }
    guard length == 0 else { return send(input, .source(body)) }
    // An empty body is never read, so the stream is checked first.
    body.checkEmpty { isEmpty in
      if isEmpty { self.send(input, .bytes([])) }
    }
  }

  // MARK: The transfer

  func send(_ input: TransferInput, _ body: TransferBody) {
    // A file may be long, and this may be the thread of every transfer.
    if input.authorizer?.needsBodyHash == true, case .source(is FileBodySource) = body {
      return DispatchQueue.global().async { self.sendNow(input, body) }
    }
    sendNow(input, body)
  }

  private func sendNow(_ input: TransferInput, _ body: TransferBody) {
    do throws(URLError) {
      let wanted = try makeRequest(input, body)
      if settings.cache == nil {
        sendOverNetwork(wanted, input)
      } else {
        sendThroughCache(wanted, input)
      }
    } catch {
      abort(error)
    }
  }

  /// Sends the request to the server.
  func sendOverNetwork(_ wanted: TransferRequest, _ input: TransferInput) {
    if input.collectsRecords {
      transferState.exchange = (wanted.recorded(input.request), Date(), nil)
    }
    do {
      start(
        .network(try transferClient(for: wanted).makeTransfer(wanted, observer: self)),
        bodyLength: wanted.body.length, hasBody: wanted.body.isPresent)
    } catch {
      transferState.cacheExchange?.lead?.end(.failed)
      abort(URLError(error, url: input.request.url))
    }
  }

  /// Starts an exchange, unless the task has ended in the meantime.
  func start(_ transfer: TaskTransfer, bodyLength: Int64, hasBody: Bool) {
    if case .custom = transfer, let failure = transferWillBegin() {
      return abort(URLError(failure, url: sentRequest?.url))
    }
    // Stored before the exchange starts, so that its first event finds it.
    let isWanted = lockedState.withLock { state in
      guard state.machine.send(transfer) else { return false }
      if state.machine.isSuspended { transfer.holdBeforeStart() }
      state.note(bodyLength: bodyLength)
      if hasBody { state.hasSentBody = true }
      return true
    }
    guard isWanted else {
      transferState.cacheExchange?.lead?.end(.failed)
      return
    }
    transfer.start()
  }

  private func makeRequest(_ input: TransferInput, _ body: TransferBody) throws(URLError) -> TransferRequest {
    let request = input.request
    if let problem = RequestValidation.problem(with: request) { throw problem }
    guard let url = request.url else { throw URLError(.unsupportedURL) }
    if let policy = settings.addressPolicy, let origin = Origin(url),
      let refusal = policy.refusal(host: origin.host, port: origin.port)
    {
      throw URLError(.dataNotAllowed, message: refusal, url: url)
    }
    var wanted = TransferRequest(url: CacheKey.sentForm(of: url))
    wanted.method = request.httpMethod ?? "GET"
    wanted.body = body
    let timeout = request.timeoutInterval == 60 ? settings.requestTimeout : request.timeoutInterval
    wanted.idleTimeout = Duration(seconds: timeout)
    wanted.limits.bodyBytes = buffersBody ? settings.maximumBufferedBodySize : nil
    wanted.expectsLongBody = expectsLongBody
    if buffersBody { wanted.http3 = request.assumesHTTP3Capable ? .assumed : .announced }
    wanted.deadline = input.deadline
    wanted.priority = input.priority
    wanted.collectsTimings = input.collectsRecords
    addHeaders(to: &wanted, from: request, url: url, sendsOwnBody: input.upload == nil)
    if input.upload != nil || input.continuesUpload { prepareUpload(&wanted, input) }
    if let webSocket { try prepareUpgrade(&wanted, webSocket) }
    try authorize(&wanted, with: input.authorizer, url: url)
    authorizeForProxy(&wanted, url: url)
    return wanted
  }

  private var buffersBody: Bool {
    if case .memory = sink { true } else { false }
  }

  private var expectsLongBody: Bool {
    switch sink {
    case .channel, .file: true
    case .memory, .delegate, .webSocket, .stream: false
    }
  }

  private func addHeaders(
    to wanted: inout TransferRequest, from request: URLRequest, url: URL, sendsOwnBody: Bool
  ) {
    let fields = request.headerFields
    for (name, value) in fields.entries { Self.add(name, value, to: &wanted) }
    for header in additionalHeaders(besides: fields, url: url, hasBody: wanted.body.isPresent) {
      Self.add(header.name, header.value, to: &wanted)
    }
    // If the program sets cookies itself, for one request or for all, no others are sent.
    if request.httpShouldHandleCookies, settings.sendsCookies, !wanted.hasField("Cookie"),
      let cookies = settings.cookieStorage?.cookieHeader(for: url, mainDocumentURL: request.mainDocumentURL)
    {
      wanted.headers.append(TransferHeader("Cookie", cookies))
    }
    if fields.contains("Range"), wanted.acceptedEncodings == nil {
      // A range of an encoded body cannot be decoded.
      wanted.acceptedEncodings = ""
    }
    // As on Apple's platforms, this applies to any body of a request, but not to the body of an upload task.
    if wanted.method == "POST", sendsOwnBody, request.hasBody, !wanted.hasField("Content-Type") {
      wanted.headers.append(TransferHeader("Content-Type", "application/x-www-form-urlencoded"))
    }
  }

  /// The header fields of the session that a request does not have, and that may be sent to its URL.
  func additionalHeaders(besides fields: HeaderFields, url: URL, hasBody: Bool) -> [TransferHeader] {
    let additional = settings.additionalHeaders
    guard !additional.isEmpty else { return [] }
    let start = originBeforeRedirects(to: url)
    return additional.filter { header in
      guard !fields.contains(header.name) else { return false }
      guard let start else { return true }
      return RedirectFields.mayCross(
        header.name, hasBody: hasBody, isDowngrade: RedirectRule.isDowngrade(from: start, to: url))
    }
  }

  /// The URL of the program's request, if a redirect led to another origin.
  func originBeforeRedirects(to url: URL) -> URL? {
    // The URL of a WebSocket task has another scheme than its requests.
    guard let original = startURL.map(URLRequest.httpURL(forWebSocket:)), original != url else { return nil }
    return Origin(original) == Origin(url) ? nil : original
  }

  /// The URL of the program's request, also if this task continues the load of another one.
  var startURL: URL? { lockedState.withLock { $0.startURL } ?? initialRequest?.url }

  private static func add(_ name: String, _ value: String, to wanted: inout TransferRequest) {
    switch name.lowercased() {
    // The encodings that are requested must be the ones that are decoded.
    case "accept-encoding": wanted.acceptedEncodings = value
    // The engine computes these from the body, or from the stated and verified length of a stream. Two different
    // lengths would allow request smuggling.
    case "content-length", "transfer-encoding": break
    default: wanted.headers.append(TransferHeader(name, value))
    }
  }
}

extension TransferBody {
  var isPresent: Bool {
    if case .none = self { false } else { true }
  }

  var length: Int64 {
    switch self {
    case .none: 0
    case .bytes(let bytes): Int64(bytes.count)
    case .source(let source): source.length ?? NSURLSessionTransferSizeUnknown
    }
  }
}

extension TransferRequest {
  /// The program's request with the `Content-Type` that is sent, because an archive redacts the body by it.
  func recorded(_ request: URLRequest) -> URLRequest {
    let sent = headers.first { ASCII.equalIgnoringCase($0.name, "Content-Type") }
    guard let sent, !request.headerFields.contains("Content-Type") else { return request }
    var recorded = request
    recorded.setValue(sent.value, forHTTPHeaderField: "Content-Type")
    return recorded
  }

  func hasField(_ name: String) -> Bool {
    headers.contains { ASCII.equalIgnoringCase($0.name, name) }
  }
}
#endif
