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
      policy: own == .useProtocolCachePolicy ? settings.cachePolicy : own, moment: cache.store.moment)
    // The answer to a body would be taken for the answer to another one.
    if hasReadingBody(wanted) {
      return exchange.policy == .returnCacheDataDontLoad
        ? decide(exchange, [], wanted, input) : sendOverNetwork(wanted, input)
    }
    switch instruction {
    case .answer(let entry): answer(exchange, with: entry, wanted, input)
    case .bypass: load(exchange, wanted, input)
    case .lookUp:
      if usesOwnDigest(wanted, input), exchange.policy != .returnCacheDataDontLoad {
        load(exchange, wanted, input)
      } else {
        lookUp(exchange, wanted, input, in: cache)
      }
    case .validate:
      exchange.mustValidate = true
      lookUp(exchange, wanted, input, in: cache)
    case .renew:
      exchange.usesStale = false
      lookUp(exchange, wanted, input, in: cache)
    }
  }

  /// Whether a delegate may decide about servers or about what is stored, so that nothing is loaded without it.
  private var delegateMayDecide: Bool {
    ownDelegateDecides
      || delegatesInOrder.contains { delegate in
        delegate is any URLSessionDataDelegate && !DelegateMethods.isMissing(.willCacheResponse, in: delegate)
      }
  }

  private func hasReadingBody(_ wanted: TransferRequest) -> Bool {
    wanted.body.isPresent && (wanted.method == "GET" || wanted.method == "HEAD")
  }

  /// Whether the program itself answers a Digest challenge. Stored responses are found by the user's name, which does not
  /// show that the answer is right.
  private func usesOwnDigest(_ wanted: TransferRequest, _ input: TransferInput) -> Bool {
    guard input.authorizer == nil, wanted.hasField("Authorization") else { return false }
    let name = "Authorization"
    let own =
      input.request.value(forHTTPHeaderField: name)
      ?? settings.additionalHeaders.first { ASCII.equalIgnoringCase($0.name, name) }?.value
    return own.map { ASCII.lowercased(ASCII.trimmed($0)).hasPrefix("digest") } ?? false
  }

  func lookUp(
    _ exchange: CacheExchange, _ wanted: TransferRequest, _ input: TransferInput, in cache: URLCache
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
    if settings.cacheIsSubclass {
      return ask(cache, about: exchange) { self.decide(exchange, $0, wanted, input) }
    }
    let store = cache.store
    switch store.find(exchange.key) {
    case .nothing:
      // Most requests come here. Only a few of them forbid the network.
      if exchange.policy == .returnCacheDataDontLoad || wanted.hasField("Cache-Control") {
        decide(exchange, [], wanted, input)
      } else {
        loadOrWait(exchange, wanted, input, for: exchange, wanted)
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
    case .load: loadOrWait(exchange, wanted, input, for: exchange, wanted)
    case .fail:
      abort(
        URLError(
          .resourceUnavailable,
          message: "The cache has no usable response, and the request does not allow loading one.",
          suggestion: "Use another cache policy.", url: exchange.url))
    case .serve(_, revalidates: true) where delegateMayDecide:
      var renewal = exchange
      renewal.usesStale = false
      let decision = CacheRule.decide(renewal.request, entries: entries.map(\.head), now: Date())
      perform(decision, renewal, entries, wanted, input)
    case .serve(let index, let revalidates):
      var entry = entries[index]
      entry.head = entry.head.unvalidated(now: Date())
      answer(exchange, with: entry, wanted, input)
      if revalidates {
        session.revalidate(
          input.request, exchange.key, startedAt: originBeforeRedirects(to: exchange.url))
      }
    case .validate(let index, let fields):
      var validation = exchange
      validation.validated = entries[index]
      loadOrWait(validation, wanted.adding(fields), input, for: exchange, wanted)
    case .complete(let index, let fields):
      guard let completion = completing(entries[index], for: exchange, wanted) else {
        return loadOrWait(exchange, wanted, input, for: exchange, wanted)
      }
      var rest = wanted.adding(fields)
      // A range of an encoded body cannot be combined with another one.
      rest.acceptedEncodings = ""
      loadOrWait(completion, rest, input, for: exchange, wanted)
    }
  }

  func load(_ exchange: CacheExchange, _ wanted: TransferRequest, _ input: TransferInput) {
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
      entry = ByteRangeRule.part(of: entry, for: exchange.fields)
    }
    transferState.cacheExchange = exchange
    if input.collectsRecords { transferState.exchange = (wanted.recorded(input.request), Date(), nil) }
    start(.stored(StoredTransfer(entry, observer: self)), bodyLength: 0, hasBody: false)
  }

  // MARK: During a transfer

  /// Applies the head of a server's response to the cache. Returns a disposition if a stored response takes its place.
  func considerCache(_ response: HTTPURLResponse, _ head: TransferHead) -> TransferDisposition? {
    if head.identifiesUser { transferState.cacheExchange?.identifiesUser = true }
    guard let exchange = transferState.cacheExchange, let cache = settings.cache else { return nil }
    // Loads without the delegate that accepted the server would get the response too.
    let mayStore = !head.isFromExceptedServer
    let mentionsReuse = head.mentions.contains(.reuse)
    if let stored = exchange.validated {
      transferState.cacheExchange?.validated = nil
      if response.statusCode == 304 { rememberAcceptedCredential() }
      if let instruction = instruction(
        after: response, to: exchange, about: stored, in: mayStore ? cache : nil)
      {
        return follow(instruction)
      }
    }
    if let misfit = exchange.misfit {
      if mayStore { removeStored(misfit, in: cache) }
      return follow(.bypass)
    }
    switch exchange.method {
    case "GET" where !mayStore, "HEAD" where !mayStore: break
    case "GET":
      let acceptsAny =
        exchange.policy == .returnCacheDataElseLoad || exchange.policy == .returnCacheDataDontLoad
      if mentionsReuse || acceptsAny { prepareToStore(response, exchange, in: cache) }
    case "HEAD":
      if mentionsReuse, response.statusCode == 200 { update(response, exchange, in: cache) }
    default:
      let keys = ValidationRule.invalidatedKeys(
        method: exchange.method, url: exchange.url, status: response.statusCode,
        responseFields: { response.headerFields })
      if !keys.isEmpty { invalidate(keys, in: cache) }
    }
    if let lead = exchange.lead { lead.receivedHead(selectionForOthers) }
    return nil
  }

  /// Ends the exchange without delivering its response. Another one follows.
  private func follow(_ instruction: CacheInstruction) -> TransferDisposition {
    transferState.cacheInstruction = instruction
    transferState.cacheExchange = nil
    return discard()
  }

  /// What follows after a validation; nil if the response itself is delivered.
  ///
  /// - Parameter cache: What the response changes; nil if it must change nothing.
  private func instruction(
    after response: HTTPURLResponse, to exchange: CacheExchange, about stored: StoredEntry,
    in cache: URLCache?
  ) -> CacheInstruction? {
    // Without a validator, the server was not asked about the stored response.
    guard response.statusCode == 304, stored.head.hasValidator else {
      let mayReplace = CacheRule.mayServeStale(
        stored.head, to: exchange.request, afterStatus: response.statusCode, now: Date())
      guard mayReplace, !exchange.mustValidate else { return nil }
      exchange.lead?.end(.unusable)
      return .answer(stored.unvalidated(now: Date()))
    }
    let fields = response.headerFields
    guard
      let head = ValidationRule.updated(
        stored.head, by: fields, requestTime: exchange.requestTime, now: Date())
    else {
      if let cache { removeStored(stored.head, in: cache) }
      return .bypass
    }
    var entry = stored
    entry.head = head
    if exchange.identifiesUser { entry.head.staysInMemory = true }
    guard let cache, !CacheControl(fields).contains("no-store") else {
      exchange.lead?.end(.unusable)
      if let cache { removeStored(head, in: cache) }
      return .answer(entry)
    }
    let end: LoadSharing.End = head.freshness(now: Date()).isFresh ? .stored : .unusable
    keep(entry, in: cache, since: exchange.moment) { exchange.lead?.end($0 ? end : .failed) }
    return .answer(entry)
  }

  private func prepareToStore(_ response: HTTPURLResponse, _ exchange: CacheExchange, in cache: URLCache) {
    // As on Apple's platforms, downloads are not stored: they are in a file already.
    guard !writesFile, response.statusCode != 401, response.statusCode != 407 else { return }
    let limit = maximumStoredCost(in: cache)
    guard transferState.announcedLength <= Int64(limit) else { return }
    var (status, fields) = (response.statusCode, response.headerFields)
    var part: BodyPart?
    if status == 206 {
      part = storablePart(fields, of: exchange)
      guard let part else { return }
      (status, fields) = (200, PartialRule.completeFields(fields, length: part.length))
    }
    let decision = StoreRule.decide(
      StoreRule.Exchange(
        key: exchange.key, url: exchange.url, method: exchange.method, requestFields: exchange.fields,
        policy: exchange.policy, requestTime: exchange.requestTime, status: status,
        version: response.httpVersion, responseFields: fields),
      now: Date())
    guard case .store(var head) = decision else { return }
    if exchange.identifiesUser { head.staysInMemory = true }
    if let part {
      guard let incomplete = PartialRule.head(head, part: part) else { return }
      head = incomplete
      transferState.cacheExchange?.storedLength = Int64(part.range.count)
    }
    let isCollected = if case .memory = sink { true } else { false }
    transferState.cacheExchange?.prepareToStore(head, records: !isCollected, limit: limit)
  }

  /// Updates the stored responses to GET after a response to HEAD, in the background.
  private func update(_ response: HTTPURLResponse, _ exchange: CacheExchange, in cache: URLCache) {
    // A subclass has no method for this.
    if settings.cacheIsSubclass { return }
    let store = cache.store
    if case .nothing = store.find(exchange.key) { return }
    let (fields, requestFields) = (response.headerFields, exchange.fields)
    store.readAllEntries(for: exchange.key) { entries in
      for entry in entries where entry.head.status == 200 && entry.head.selection.matches(requestFields) {
        let effect = ValidationRule.effect(
          ofHead: fields, on: entry.head, requestTime: exchange.requestTime, now: Date())
        switch effect {
        case .update(let head):
          store.store(
            StoredEntry(head: head, body: entry.body, userInfo: entry.userInfo), since: exchange.moment)
        case .invalidate: store.remove(entry.head)
        }
      }
    }
  }
}

extension TransferRequest {
  fileprivate func adding(_ fields: [HeaderFields.Entry]) -> TransferRequest {
    var request = self
    for (name, value) in fields { request.headers.append(TransferHeader(name, value)) }
    return request
  }
}

extension URLSession {
  /// Asks the server whether a stored response that was used is still valid, in the background. Only one such request runs
  /// for each URL. If another one has ended since the response was used, the new response is fresh and nothing is sent.
  ///
  /// No delegate knows of the request, and it is in no list of tasks.
  ///
  /// - Parameter start: The URL of the program's request, if a redirect led from there to another origin.
  func revalidate(_ request: URLRequest, _ key: CacheKey, startedAt start: URL?) {
    guard revalidations.withLock({ $0.insert(key).inserted }) else { return }
    let end: @Sendable () -> Void = { _ = self.revalidations.withLock { $0.remove(key) } }
    let task = URLSessionDataTask(session: self, request: request)
    task.isInternal = true
    task.lockedState.withLock { state in
      state.startURL = start
      state.completion = .dataHandler { _, _, _ in end() }
    }
    task.transferState.cacheInstruction = .renew
    if register(task) { task.start(for: nil) } else { end() }
  }
}
#endif
