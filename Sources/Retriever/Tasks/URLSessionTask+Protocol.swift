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
    if protocolClass == FileURLProtocol.self, settings.addressPolicy != nil {
      throw URLError(
        .dataNotAllowed, message: "The session's address policy does not allow file URLs.",
        url: input.request.url)
    }
    switch input.upload {
    case .data(let data): load(input, with: protocolClass, InputStream(data: data), length: Int64(data.count))
    case .file(let url):
      let source = try FileBodySource(url)
      load(input, with: protocolClass, InputStream(url: url), length: source.length ?? -1)
    case .sequence, .restOfData, .restOfFile, .restFromDelegate:
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
    let timeout = request.timeoutInterval == 60 ? settings.requestTimeout : request.timeoutInterval
    transferState.protocolResponse = nil
    let load = ProtocolLoad(
      protocolClass, request: request, task: self, receiver: self, cache: cache(for: request, protocolClass),
      idleTimeout: Duration(seconds: timeout), deadline: input.deadline)
    if input.collectsRecords { transferState.exchange = (request, Date(), nil) }
    start(.custom(load), bodyLength: length, hasBody: stream != nil)
  }
}

// A protocol decides about the cache: it gets what is stored, and says whether its response may be stored.
extension URLSessionTask {
  /// The response of a protocol that is stored when it is complete.
  struct ProtocolResponse {
    let response: URLResponse
    let policy: URLCache.StoragePolicy
    let limit: Int
    var body = Data()
  }

  /// The cache in which a protocol's response is looked up; nil if the request's policy forbids it.
  private func cache(for request: URLRequest, _ protocolClass: URLProtocol.Type) -> URLCache? {
    guard request.httpMethod == "GET", !BuiltInProtocols.all.contains(where: { $0 == protocolClass }) else {
      return nil
    }
    let own = request.cachePolicy
    switch own == .useProtocolCachePolicy ? settings.cachePolicy : own {
    case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData: return nil
    default: return settings.cache
    }
  }

  private func prepareToStore(_ response: URLResponse, _ policy: URLCache.StoragePolicy) {
    transferState.protocolResponse = nil
    // As on Apple's platforms, downloads are not stored: they are in a file already.
    guard policy != .notAllowed, !writesFile, let cache = settings.cache,
      sentRequest?.httpMethod ?? "GET" == "GET"
    else { return }
    // A part would be taken for the complete body.
    if let response = response as? HTTPURLResponse, !StoreRule.isStorable(response.statusCode) { return }
    let limit = min(cache.store.maximumEntryCost, StoredEntry.maximumBody)
    guard response.expectedContentLength <= Int64(limit) else { return }
    transferState.protocolResponse = ProtocolResponse(response: response, policy: policy, limit: limit)
  }

  /// Adds to the body that is stored. A body that is too long is not stored.
  private func record(_ data: Data) {
    guard let recorded = transferState.protocolResponse else { return }
    if recorded.body.count + data.count > recorded.limit {
      transferState.protocolResponse = nil
    } else {
      transferState.protocolResponse?.body.append(data)
    }
  }

  private func storeProtocolResponse() {
    guard let complete = transferState.protocolResponse.take(), !discardsLoad,
      let cache = settings.cache, let request = sentRequest
    else { return }
    let proposed = CachedURLResponse(
      response: complete.response, data: complete.body, userInfo: nil, storagePolicy: complete.policy)
    askWhetherToStore(proposed) { answer in
      // A delegate's nil forbids it. Without a delegate, there is no answer.
      if let stored = answer ?? proposed { cache.storeCachedResponse(stored, for: request) }
    }
  }
}

// The reports of a protocol, on its queue. A task has at most one exchange at any time, so these calls never overlap.
extension URLSessionTask: ProtocolLoadReceiver {
  func loadDidReceive(response: URLResponse, storagePolicy: URLCache.StoragePolicy) -> TransferDisposition {
    let isExpected = lockedState.withLock { state in
      state.counts.announced = response.expectedContentLength
      return state.machine.expectsHead
    }
    // A protocol may report another response only before the body.
    guard isExpected else { return discardsLoad ? .proceed : .stop }
    prepareToStore(response, storagePolicy)
    transferState.exchange?.response = response as? HTTPURLResponse
    transferState.announcedLength = response.expectedContentLength
    if case .delegate = sink, hasDelegates { return askForDisposition(response) }
    return deliver(response, asked: false)
  }

  func loadDidReceive(data: Data) -> TransferDisposition {
    if case .memory = sink, let limit = settings.maximumBufferedBodySize,
      Int64(transferState.collected.count + data.count) > limit
    {
      abort(
        URLError(
          .dataLengthExceedsMaximum, message: "The body is longer than the limit of \(limit) bytes.",
          url: sentRequest?.url))
      return .stop
    }
    record(data)
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
    if error == nil { storeProtocolResponse() }
    note(end)
    finishExchange(error, isFinal: isFinal)
  }
}
#endif
