#if !canImport(Darwin)
import Foundation
import HTTPSyntax
import Synchronization
import TransferEngine

// The session's cache: answers requests with stored responses, validates them, and stores responses.
extension URLSessionTask {
  // MARK: Before a transfer

  /// Sends a request, or answers it from the cache.
  func sendThroughCache(_ wanted: TransferRequest, _ input: TransferInput) {
    let instruction = transferState.cacheInstruction
    transferState.cacheInstruction = .lookUp
    transferState.cacheExchange = nil
    // A stored response opens no WebSocket connection.
    guard let cache = settings.cache, let url = input.request.url, Origin(url) != nil,
      !wanted.isUpgrade
    else { return sendOverNetwork(wanted, input) }
    let own = input.request.cachePolicy
    var exchange = CacheExchange(
      wanted, url: url, key: CacheKey(sentURL: wanted.url),
      policy: own == .useProtocolCachePolicy ? settings.cachePolicy : own)
    switch instruction {
    case .answer(let entry): answer(exchange, with: entry, wanted, input)
    case .bypass: load(exchange, wanted, input)
    case .lookUp: lookUp(exchange, wanted, input, in: cache.store)
    case .renew:
      exchange.usesStale = false
      lookUp(exchange, wanted, input, in: cache.store)
    }
  }

  private func lookUp(
    _ exchange: CacheExchange, _ wanted: TransferRequest, _ input: TransferInput, in store: ResponseStore
  ) {
    let isReading = exchange.method == "GET" || exchange.method == "HEAD"
    guard isReading else {
      return exchange.policy == .returnCacheDataDontLoad
        ? decide(exchange, [], wanted, input) : load(exchange, wanted, input)
    }
    switch exchange.policy {
    case .reloadIgnoringLocalCacheData: return load(exchange, wanted, input)
    case .reloadIgnoringLocalAndRemoteCacheData:
      var wanted = wanted
      for name in ["Cache-Control", "Pragma"] where !wanted.hasField(name) {
        wanted.headers.append(TransferHeader(name, "no-cache"))
      }
      return load(exchange, wanted, input)
    default: break
    }
    switch store.find(exchange.key) {
    case .nothing:
      // Most requests come here. Only a few of them forbid the network.
      if exchange.policy == .returnCacheDataDontLoad || wanted.hasField("Cache-Control") {
        decide(exchange, [], wanted, input)
      } else {
        load(exchange, wanted, input)
      }
    case .memory(let entries, let isComplete):
      let decision = CacheRule.decide(exchange.request, entries: entries.map(\.head), now: Date())
      if !isComplete {
        guard case .serve = decision else { return readFiles(exchange, wanted, input, in: store) }
      }
      perform(decision, exchange, entries, wanted, input)
    case .disk: readFiles(exchange, wanted, input, in: store)
    }
  }

  private func readFiles(
    _ exchange: CacheExchange, _ wanted: TransferRequest, _ input: TransferInput, in store: ResponseStore
  ) {
    store.readAllEntries(for: exchange.key) { self.decide(exchange, $0, wanted, input) }
  }

  private func decide(
    _ exchange: CacheExchange, _ entries: [StoredEntry], _ wanted: TransferRequest, _ input: TransferInput
  ) {
    let usable = entries.filter(\.head.isHTTP)
    let decision = CacheRule.decide(exchange.request, entries: usable.map(\.head), now: Date())
    perform(decision, exchange, usable, wanted, input)
  }

  private func perform(
    _ decision: CacheDecision, _ exchange: CacheExchange, _ entries: [StoredEntry], _ wanted: TransferRequest,
    _ input: TransferInput
  ) {
    switch decision {
    case .load: load(exchange, wanted, input)
    case .fail:
      abort(
        URLError(
          .resourceUnavailable,
          message: "The cache has no usable response, and the request does not allow loading one.",
          suggestion: "Use another cache policy.", url: exchange.url))
    case .serve(let index, let revalidates):
      var entry = entries[index]
      let names = CacheControl(entry.head.fields).noCacheFields
      entry.head.fields.removeAll { names.contains(ASCII.lowercased($0)) }
      entry.head.fields["Age"] = String(Int64(min(entry.head.age(now: Date()), 2_147_483_648)))
      answer(exchange, with: entry, wanted, input)
      if revalidates, !ownDelegateDecides { session.revalidate(input.request, exchange.key) }
    case .validate(let index, let fields):
      var exchange = exchange
      var wanted = wanted
      exchange.validated = entries[index]
      for (name, value) in fields { wanted.headers.append(TransferHeader(name, value)) }
      load(exchange, wanted, input)
    }
  }

  private func load(_ exchange: CacheExchange, _ wanted: TransferRequest, _ input: TransferInput) {
    transferState.cacheExchange = exchange
    sendOverNetwork(wanted, input)
  }

  /// Delivers a stored response, or the part of it that the request asks for.
  private func answer(
    _ exchange: CacheExchange, with entry: StoredEntry, _ wanted: TransferRequest, _ input: TransferInput
  ) {
    var exchange = exchange
    exchange.isStored = true
    var entry = entry
    if exchange.method == "HEAD" {
      entry.body = Data()
    } else if wanted.hasField("Range"), entry.head.status == 200 {
      let length = entry.body.count
      let range = ByteRangeRule.range(exchange.fields, length: length)
      entry.head = ByteRangeRule.head(of: entry.head, range: range, length: length)
      entry.body = range.map { entry.body.subdata(in: $0) } ?? Data()
    }
    transferState.cacheExchange = exchange
    if input.collectsRecords { transferState.exchange = (wanted.recorded(input.request), Date(), nil) }
    start(.stored(StoredTransfer(entry, observer: self)), bodyLength: 0, hasBody: false)
  }

  // MARK: During a transfer

  /// Applies the head of a server's response to the cache. Returns a disposition if a stored response takes its place.
  func considerCache(_ response: HTTPURLResponse, _ head: TransferHead) -> TransferDisposition? {
    if head.identifiesUser { transferState.cacheExchange?.identifiesUser = true }
    guard let exchange = transferState.cacheExchange, let store = settings.cache?.store else {
      return nil
    }
    // Loads without the delegate that accepted the server would get the response too.
    let mayStore = !head.isFromExceptedServer
    let mentionsReuse = head.mentions.contains(.reuse)
    if let stored = exchange.validated {
      transferState.cacheExchange?.validated = nil
      if let instruction = instruction(
        after: response, to: exchange, about: stored, in: mayStore ? store : nil)
      {
        transferState.cacheInstruction = instruction
        transferState.cacheExchange = nil
        lockedState.withLock { $0.machine.follow() }
        return .proceed
      }
    }
    switch exchange.method {
    case "GET" where !mayStore, "HEAD" where !mayStore: break
    case "GET":
      let acceptsAny =
        exchange.policy == .returnCacheDataElseLoad || exchange.policy == .returnCacheDataDontLoad
      if mentionsReuse || acceptsAny { prepareToStore(response, exchange, in: store) }
    case "HEAD":
      if mentionsReuse, response.statusCode == 200 { update(response, exchange, in: store) }
    default:
      let keys = ValidationRule.invalidatedKeys(
        method: exchange.method, url: exchange.url, status: response.statusCode,
        responseFields: { response.headerFields })
      for key in keys { store.remove(key) }
    }
    return nil
  }

  /// What follows after a validation; nil if the response itself is delivered.
  ///
  /// - Parameter store: What the response changes; nil if it must change nothing.
  private func instruction(
    after response: HTTPURLResponse, to exchange: CacheExchange, about stored: StoredEntry,
    in store: ResponseStore?
  ) -> CacheInstruction? {
    guard response.statusCode == 304 else {
      let mayReplace = CacheRule.mayServeStale(
        stored.head, to: exchange.request, afterStatus: response.statusCode, now: Date())
      return mayReplace ? .answer(stored) : nil
    }
    let fields = response.headerFields
    guard
      let head = ValidationRule.updated(
        stored.head, by: fields, requestTime: exchange.requestTime, now: Date())
    else {
      store?.remove(stored.head)
      return .bypass
    }
    var entry = stored
    entry.head = head
    if exchange.identifiesUser { entry.head.staysInMemory = true }
    if CacheControl(fields).contains("no-store") { store?.remove(head) } else { store?.store(entry) }
    return .answer(entry)
  }

  private func prepareToStore(_ response: HTTPURLResponse, _ exchange: CacheExchange, in store: ResponseStore)
  {
    // As on Apple's platforms, downloads are not stored: they are in a file already.
    guard !writesFile, response.statusCode != 401, response.statusCode != 407 else { return }
    let limit = store.maximumEntryCost
    guard transferState.announcedLength <= Int64(limit) else { return }
    let decision = StoreRule.decide(
      StoreRule.Exchange(
        key: exchange.key, url: exchange.url, method: exchange.method, requestFields: exchange.fields,
        policy: exchange.policy, requestTime: exchange.requestTime, status: response.statusCode,
        version: response.httpVersion, responseFields: response.headerFields),
      now: Date())
    guard case .store(var head) = decision else { return }
    if exchange.identifiesUser { head.staysInMemory = true }
    let isCollected = if case .memory = sink { true } else { false }
    transferState.cacheExchange?.prepareToStore(head, records: !isCollected, limit: limit)
  }

  /// Updates the stored responses to GET after a response to HEAD, in the background.
  private func update(_ response: HTTPURLResponse, _ exchange: CacheExchange, in store: ResponseStore) {
    if case .nothing = store.find(exchange.key) { return }
    let (fields, requestFields) = (response.headerFields, exchange.fields)
    store.readAllEntries(for: exchange.key) { entries in
      for entry in entries where entry.head.status == 200 && entry.head.selection.matches(requestFields) {
        let effect = ValidationRule.effect(
          ofHead: fields, on: entry.head, requestTime: exchange.requestTime, now: Date())
        switch effect {
        case .update(let head):
          store.store(StoredEntry(head: head, body: entry.body, userInfo: entry.userInfo))
        case .invalidate: store.remove(entry.head)
        }
      }
    }
  }

  // MARK: After a transfer

  /// Stores a complete response. If a validation failed, a stale response may take the place of the error.
  func finishCaching(_ end: TransferEnd) {
    guard let exchange = transferState.cacheExchange else { return }
    transferState.cacheExchange = nil
    if exchange.isStored { return }
    if let failure = end.failure {
      guard let stored = exchange.validated, failure.isOfConnection,
        CacheRule.mayServeStale(stored.head, to: exchange.request, afterStatus: nil, now: Date())
      else { return }
      lockedState.withLock { state in
        guard state.machine.expectsHead else { return }
        transferState.cacheInstruction = .answer(stored)
        state.machine.follow()
      }
      return
    }
    guard exchange.head != nil else { return }
    let isDelivered = lockedState.withLock { if case .deliver = $0.machine.reception { true } else { false } }
    // A response without a body may end before a delegate has decided about it. Such a response is not stored.
    guard isDelivered, let entry = exchange.entry(collected: transferState.collected) else { return }
    store(entry)
  }

  private func store(_ entry: StoredEntry) {
    guard let cache = settings.cache else { return }
    // Without a delegate, no response is made for it.
    guard hasDelegates else { return cache.store.store(entry) }
    let proposed = entry.makeCachedResponse()
    askWhetherToStore(proposed) { answer in
      guard let answer else { return cache.store.store(entry) }
      guard let answer, answer.storagePolicy != .notAllowed else { return }
      cache.store.store(answer === proposed ? entry : entry.changed(to: answer))
    }
  }

  /// Asks the delegate about a response that is about to be stored.
  ///
  /// - Parameter store: Gets the delegate's answer; nil if there is no delegate with an answer.
  func askWhetherToStore(
    _ proposed: CachedURLResponse, then store: @escaping @Sendable (CachedURLResponse??) -> Void
  ) {
    guard hasDelegates, let task = self as? URLSessionDataTask else { return store(nil) }
    ask(
      .willCacheResponse, of: (any URLSessionDataDelegate).self,
      { delegate, answer in
        delegate.urlSession(self.session, dataTask: task, willCacheResponse: proposed) { answer($0) }
      },
      then: store)
  }
}

extension StoredEntry {
  /// The entry with what a delegate changed.
  fileprivate func changed(to answer: CachedURLResponse) -> StoredEntry {
    var entry = self
    entry.body = answer.data
    entry.userInfo = answer.userInfo.map { UserInfo(values: $0) }
    if answer.storagePolicy == .allowedInMemoryOnly { entry.head.staysInMemory = true }
    if let response = answer.response as? HTTPURLResponse {
      entry.head.kind = .http(
        status: response.statusCode, version: response.httpVersion, isFromNetwork: response.isFromNetwork)
      entry.head.fields = StoreRule.storedFields(of: response.headerFields)
    }
    return entry
  }
}

extension TransferFailure {
  /// Whether the server could not be reached, as RFC 5861, 4 describes. Errors of the request or of security do not count.
  fileprivate var isOfConnection: Bool {
    switch code {
    case .hostNotFound, .nameServiceFailed, .cannotConnect, .networkUnreachable, .connectionLost, .badReply:
      true
    default: false
    }
  }
}

extension URLSession {
  /// Asks the server whether a stored response that was used is still valid, in the background. Only one such request runs
  /// for each URL. If another one has ended since the response was used, the new response is fresh and nothing is sent.
  func revalidate(_ request: URLRequest, _ key: CacheKey) {
    guard revalidations.withLock({ $0.insert(key).inserted }) else { return }
    let task = dataTask(with: request) { _, _, _ in
      _ = self.revalidations.withLock { $0.remove(key) }
    }
    task.transferState.cacheInstruction = .renew
    task.resume()
  }
}
#endif
