#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation
  import Synchronization
  import TransferEngine

  // Sending: from the current request and the session's policies to a transfer.
  extension URLSessionTask {
    /// Starts the task, with the one who waits for it; a task that was cancelled before tells so at once.
    func start(for completion: TaskCompletion?) {
      let action = inner.withLock { inner -> TaskStateMachine.Action in
        if let completion { inner.completion = completion }
        // Cancelled before anybody waited: whoever waits now is told now.
        if inner.machine.phase == .completed { return completion == nil ? .none : .complete }
        if inner.machine.phase == .idle {
          if inner.transfer == nil, let limit = session.settings.resourceTimeout {
            inner.deadline = TransferDeadline(after: limit)
          }
          inner.collectsRecords =
            inner.delegate != nil || session.archive.isRecording || session.delegate != nil
          if inner.collectsRecords { inner.start = Date() }
        }
        return inner.machine.resume()
      }
      perform(action)
    }

    func perform(_ action: TaskStateMachine.Action) {
      switch action {
      case .none: break
      case .begin: prepareBody()
      case .resumeReceiving: inner.withLock { $0.machine.mayReceive ? $0.transfer : nil }?.resumeReceiving()
      case .finishSink: finishSink()
      case .complete: complete()
      }
    }

    /// Fails or cancels the task, wherever it is.
    func abort(_ error: URLError) {
      let (action, transfer) = inner.withLock { inner -> (TaskStateMachine.Action, Transfer?) in
        // Nobody who wants measurements waits for the end of the transfer for nothing: it comes at once.
        let (wasRunning, action) = inner.machine.abort(
          awaitsTransfer: inner.collectsRecords && inner.transfer != nil)
        if wasRunning { inner.error = error }
        return (action, wasRunning ? inner.transfer : nil)
      }
      transfer?.cancel()
      perform(action)
    }

    // MARK: The body

    /// What the next transfer is made from, taken out of the state at once.
    private struct Departure {
      let request: URLRequest
      let upload: UploadBody?
      let hasSentBody: Bool
      let authorization: String?
      let deadline: TransferDeadline?
      let collectsRecords: Bool
      let priority: Float
    }

    private func prepareBody() {
      let departure = inner.withLock { inner in
        inner.currentRequest.map {
          Departure(
            request: $0, upload: inner.uploadBody, hasSentBody: inner.hasSentBody,
            authorization: inner.authorization, deadline: inner.deadline,
            collectsRecords: inner.collectsRecords, priority: inner.priority)
        }
      }
      guard let departure else {
        return abort(URLError(.unsupportedURL, sentence: "The request is empty."))
      }
      do throws(URLError) {
        try prepareSink()
        switch departure.upload {
        case .data(let data): send(departure, Self.body(data))
        case .file(let url): send(departure, .source(try FileBodySource(url)))
        case .streamFromDelegate: askForBodyStream(departure)
        case nil: sendBodyOfRequest(departure)
        }
      } catch {
        abort(error)
      }
    }

    private func sendBodyOfRequest(_ departure: Departure) {
      let request = departure.request
      if let data = request.httpBody, !data.isEmpty {
        send(departure, Self.body(data))
      } else if let stream = request.httpBodyStream {
        // A stream can be read once.
        if departure.hasSentBody { return askForBodyStream(departure) }
        send(departure, stream)
      } else {
        send(departure, Self.needsLength(request.httpMethod) ? .bytes([]) : .none)
      }
    }

    private static func body(_ data: Data) -> TransferBody {
      data.count <= TransferBody.longestBytes ? .bytes([UInt8](data)) : .source(DataBodySource(data))
    }

    /// A method that is expected to carry a body says “Content-Length: 0” when it has none (RFC 9110, 8.6).
    private static func needsLength(_ method: String?) -> Bool {
      method == "POST" || method == "PUT" || method == "PATCH"
    }

    private func askForBodyStream(_ departure: Departure) {
      ask(
        .needNewBodyStream, of: (any URLSessionTaskDelegate).self,
        { delegate, answer in
          delegate.urlSession(self.session, task: self, needNewBodyStream: { answer(SendableStream($0)) })
        },
        then: { answer in
          guard let stream = answer?.stream else {
            return self.abort(
              URLError(
                .requestBodyStreamExhausted,
                sentence: "The body has to be sent again, and the delegate gave no new stream for it.",
                url: departure.request.url))
          }
          self.send(departure, stream)
        })
    }

    /// Sends a stream, with the length that the request states if it does.
    private func send(_ departure: Departure, _ stream: InputStream) {
      let length = departure.request.statedBodyLength
      let body = StreamBody(stream, length: length) { [weak self] problem in
        self?.abort(
          URLError(.requestBodyStreamExhausted, sentence: problem, url: departure.request.url))
      }
      guard length == 0 else { return send(departure, .source(body)) }
      // Nothing is ever read of an empty body, so the stream is looked at before.
      body.checkEmpty { isEmpty in
        if isEmpty { self.send(departure, .bytes([])) }
      }
    }

    // MARK: The transfer

    private func send(_ departure: Departure, _ body: TransferBody) {
      do throws(URLError) {
        let transfer = try makeTransfer(departure, body)
        // Stored before it starts, so that its first event finds it here.
        let isWanted = inner.withLock { inner in
          guard inner.machine.phase == .exchanging else { return false }
          inner.transfer = transfer
          inner.bodyLength = body.length
          if case .none = body {} else { inner.hasSentBody = true }
          return true
        }
        if isWanted { transfer.start() }
      } catch {
        abort(error)
      }
    }

    private func makeTransfer(_ departure: Departure, _ body: TransferBody) throws(URLError) -> Transfer {
      let request = departure.request
      if let problem = RequestValidation.problem(with: request) { throw problem }
      guard let url = request.url else { throw URLError(.unsupportedURL) }
      let settings = session.settings
      if let policy = settings.addressPolicy, let origin = Origin(url),
        let refusal = policy.refusal(host: origin.host, port: origin.port)
      {
        throw URLError(.dataNotAllowed, sentence: refusal, url: url)
      }
      var wanted = TransferRequest(url: Self.wireForm(of: url))
      wanted.method = request.httpMethod ?? "GET"
      wanted.body = body
      let timeout = request.timeoutInterval == 60 ? settings.requestTimeout : request.timeoutInterval
      wanted.idleTimeout = Duration(seconds: timeout)
      wanted.limits.bodyBytes = buffersBody ? settings.maximumBufferedBodySize : nil
      wanted.expectsLongBody = expectsLongBody
      wanted.deadline = departure.deadline
      wanted.priority = departure.priority
      wanted.collectsTimings = departure.collectsRecords
      addHeaders(to: &wanted, from: request, url: url, sendsOwnBody: departure.upload == nil)
      if let answer = departure.authorization {
        wanted.headers.removeAll { ASCII.equalIgnoringCase($0.name, "Authorization") }
        wanted.headers.append(TransferHeader("Authorization", answer))
      } else if !wanted.hasField("Authorization"),
        let remembered = rememberedAuthorization(for: url)
      {
        // What the request says itself counts before what the session remembers.
        wanted.headers.append(TransferHeader("Authorization", remembered))
      }
      if departure.collectsRecords { loop.exchange = (request, Date(), nil) }
      do {
        return try session.transferClient().makeTransfer(wanted, observer: self)
      } catch {
        throw URLError(error, url: url)
      }
    }

    /// The URL as it goes to the server: without the fragment, which is nobody's business but the client's, and
    /// without a name and password, which travel in a header field if the server asks for them.
    private static func wireForm(of url: URL) -> String {
      let text = url.absoluteString
      guard text.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@") }),
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
      else { return text }
      components.fragment = nil
      components.user = nil
      components.password = nil
      return components.string ?? text
    }

    private var buffersBody: Bool {
      if case .memory = sink { true } else { false }
    }

    private var expectsLongBody: Bool {
      switch sink {
      case .channel, .file: true
      case .memory, .delegate: false
      }
    }

    private func addHeaders(
      to wanted: inout TransferRequest, from request: URLRequest, url: URL, sendsOwnBody: Bool
    ) {
      let settings = session.settings
      let fields = request.headerFields
      for (name, value) in fields.entries { Self.add(name, value, to: &wanted) }
      let start = settings.additionalHeaders.isEmpty ? nil : originBeforeRedirects(to: url)
      for header in settings.additionalHeaders where !fields.contains(header.name) {
        if let start,
          !RedirectFields.mayCross(
            header.name, hasBody: wanted.body.isPresent,
            isDowngrade: RedirectRule.isDowngrade(from: start, to: url))
        {
          continue
        }
        Self.add(header.name, header.value, to: &wanted)
      }
      // Cookies that the program gives by itself, for a request or for all, are the only ones.
      if request.httpShouldHandleCookies, settings.sendsCookies, !wanted.hasField("Cookie"),
        let cookies = settings.cookieStorage?.cookieHeader(for: url, mainDocumentURL: request.mainDocumentURL)
      {
        wanted.headers.append(TransferHeader("Cookie", cookies))
      }
      if fields.contains("Range"), wanted.acceptedEncodings == nil {
        // A range of an encoded body cannot be decoded.
        wanted.acceptedEncodings = ""
      }
      // As Apple does: whatever a request has as its body, and not what an upload task was given.
      if wanted.method == "POST", sendsOwnBody, request.hasBody, !wanted.hasField("Content-Type") {
        wanted.headers.append(TransferHeader("Content-Type", "application/x-www-form-urlencoded"))
      }
    }

    /// The URL that the program asked for, when a redirect led to another origin.
    private func originBeforeRedirects(to url: URL) -> URL? {
      guard let original = originalRequest?.url, original != url else { return nil }
      return Origin(original) == Origin(url) ? nil : original
    }

    private static func add(_ name: String, _ value: String, to wanted: inout TransferRequest) {
      switch name.lowercased() {
      // What is asked for must be what is decoded.
      case "accept-encoding": wanted.acceptedEncodings = value
      // The engine computes these from the body, or from the length that was stated for a stream and is checked; two
      // different lengths would be an opening for request smuggling.
      case "content-length", "transfer-encoding": break
      default: wanted.headers.append(TransferHeader(name, value))
      }
    }

    /// What this session remembers for the place.
    private func rememberedAuthorization(for url: URL) -> String? {
      guard let entry = session.credentials.entry(for: url) else { return nil }
      inner.withLock { $0.challenges.willSend(entry, to: url) }
      return entry.authorization
    }
  }

  extension TransferBody {
    fileprivate var isPresent: Bool {
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
    fileprivate func hasField(_ name: String) -> Bool {
      headers.contains { ASCII.equalIgnoringCase($0.name, name) }
    }
  }
#endif
