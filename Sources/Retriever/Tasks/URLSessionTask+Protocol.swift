#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// Loading with a `URLProtocol` instead of over the network.
extension URLSession {
  /// Returns the class that loads a request; nil for the network. The session's own classes are asked first, then the
  /// registered ones, then those of the library.
  func protocolClass(for task: URLSessionTask, _ request: URLRequest) -> URLProtocol.Type? {
    for custom in settings.protocolClasses where custom.canInit(with: task) { return custom }
    for registered in ProtocolRegistry.shared.inOrder where registered.canInit(with: task) {
      return registered
    }
    return request.url.flatMap(BuiltInProtocols.protocolClass)
  }
}

extension URLSessionTask {
  /// Loads the request with a protocol class. The body becomes a stream, as on Apple's platforms.
  func load(_ input: TransferInput, with protocolClass: URLProtocol.Type) throws(URLError) {
    if protocolClass == FileURLProtocol.self, session.settings.addressPolicy != nil {
      throw URLError(
        .dataNotAllowed, message: "The session's address policy does not allow file URLs.",
        url: input.request.url)
    }
    switch input.upload {
    case .data(let data): load(input, with: protocolClass, InputStream(data: data), length: Int64(data.count))
    case .file(let url):
      let source = try FileBodySource(url)
      load(input, with: protocolClass, InputStream(url: url), length: source.length ?? -1)
    case .sequence:
      throw URLError(
        .unsupportedURL, message: "A URLProtocol cannot load an upload from an asynchronous sequence.",
        url: input.request.url)
    case .streamFromDelegate:
      askForBodyStream(input) { self.load(input, with: protocolClass, $0, length: -1) }
    case nil:
      if let data = input.request.httpBody {
        load(input, with: protocolClass, InputStream(data: data), length: Int64(data.count))
      } else if let stream = input.request.httpBodyStream, input.hasSentBody {
        _ = stream
        askForBodyStream(input) { self.load(input, with: protocolClass, $0, length: -1) }
      } else {
        load(input, with: protocolClass, input.request.httpBodyStream, length: 0)
      }
    }
  }

  private func load(
    _ input: TransferInput, with protocolClass: URLProtocol.Type, _ stream: InputStream?, length: Int64
  ) {
    var request = input.request
    if let stream { request.httpBodyStream = stream }
    // As on Apple's platforms, a protocol gets the header fields of the session too.
    if let url = request.url {
      for header in additionalHeaders(besides: request.headerFields, url: url, hasBody: stream != nil) {
        request.headerFields.add(header.value, for: header.name)
      }
    }
    let timeout = request.timeoutInterval == 60 ? session.settings.requestTimeout : request.timeoutInterval
    let load = ProtocolLoad(
      protocolClass, request: request, task: self, receiver: self, idleTimeout: Duration(seconds: timeout),
      deadline: input.deadline)
    if input.collectsRecords { transferState.exchange = (request, Date(), nil) }
    start(.custom(load), bodyLength: length, hasBody: stream != nil)
  }
}

// The reports of a protocol, on its queue. A task has at most one exchange at any time, so these calls never overlap.
extension URLSessionTask: ProtocolLoadReceiver {
  func loadDidReceive(response: URLResponse) -> TransferDisposition {
    let isExpected = lockedState.withLock { state in
      state.counts.announced = response.expectedContentLength
      return state.machine.expectsHead
    }
    // A protocol may report another response only before the body.
    guard isExpected else { return discardsLoad ? .proceed : .stop }
    transferState.exchange?.response = response as? HTTPURLResponse
    transferState.announcedLength = response.expectedContentLength
    if case .delegate = sink, hasDelegates { return askForDisposition(response) }
    return deliver(response, asked: false)
  }

  func loadDidReceive(data: Data) -> TransferDisposition {
    if case .memory = sink, let limit = session.settings.maximumBufferedBodySize,
      Int64(transferState.collected.count + data.count) > limit
    {
      abort(
        URLError(
          .dataLengthExceedsMaximum, message: "The body is longer than the limit of \(limit) bytes.",
          url: sentRequest?.url))
      return .stop
    }
    return data.withUnsafeBytes { transferDidReceive(bytes: $0) }
  }

  func loadDidBecomeIdle() { transferDidBecomeIdle() }

  func loadWasRedirected(to request: URLRequest, response: URLResponse) -> TransferDisposition {
    guard lockedState.withLock({ $0.machine.expectsHead }) else { return .stop }
    let head =
      response as? HTTPURLResponse
      ?? HTTPURLResponse(
        url: response.url ?? request.url ?? URL(fileURLWithPath: "/"), statusCode: 302, httpVersion: nil,
        headerFields: nil)
    guard let head else { return .stop }
    transferState.exchange?.response = head
    return redirect(to: request, after: head)
  }

  func loadDidReceive(challenge: URLAuthenticationChallenge) {
    ask(
      .didReceiveChallenge, of: (any URLSessionTaskDelegate).self,
      { delegate, answer in
        delegate.urlSession(self.session, task: self, didReceive: challenge) { disposition, credential in
          answer((disposition, credential))
        }
      },
      then: { (answer: (URLSession.AuthChallengeDisposition, URLCredential?)?) in
        let sender = challenge.sender
        switch answer?.0 ?? .performDefaultHandling {
        case .useCredential:
          if let credential = answer?.1 {
            sender?.use(credential, for: challenge)
          } else {
            sender?.continueWithoutCredential(for: challenge)
          }
        case .performDefaultHandling: sender?.performDefaultHandling(for: challenge)
        case .cancelAuthenticationChallenge: sender?.cancel(challenge)
        case .rejectProtectionSpace: sender?.rejectProtectionSpaceAndContinue(with: challenge)
        }
      })
  }

  var discardsLoad: Bool { lockedState.withLock { $0.machine.isDiscarding } }

  func loadDidFinish(_ error: (any Error)?, isFinal: Bool) {
    var end = TransferEnd()
    end.receivedBytes = lockedState.withLock { $0.counts.received }
    note(end)
    finishExchange(error, isFinal: isFinal)
  }
}
#endif
