// Starting transfers: first a place in the queue, then the data that libcurl needs, then libcurl.
extension ClientCore {
  /// Adds a transfer to the queue. It starts when its turn comes, which may be immediately.
  func enqueue(_ transfer: Transfer, at destination: Destination) -> LoadQueue<Transfer>.Ticket {
    let level = Int((transfer.request.priority.clamped * Float(LoadQueue<Transfer>.levelCount - 1)).rounded())
    return scheduler.queue.add(transfer, to: destination.place, level: level)
  }

  /// Starts all transfers that may run now.
  func startWaiting() {
    while let transfer = scheduler.queue.startNext() { transfer.admit() }
  }

  /// Releases the place of a transfer that has ended.
  func leave(_ destination: Destination) {
    destination.admittedCount -= 1
    scheduler.loadEnded(at: destination)
    loop.touch(self)
  }

  /// Starts a timer if a load to this server waits for a stream.
  func watchGrowth(of destination: Destination) {
    guard let due = scheduler.loadMayWait(for: destination, now: loop.now) else { return }
    loop.setTimer(GrowthTimer(core: self, destination: destination), due: due)
  }

  /// The timer has fired. The server's loads may use more connections now.
  func growthTimerFired(_ timer: GrowthTimer) {
    let due = scheduler.timerFired(for: timer.destination, now: loop.now)
    if let due { loop.setTimer(timer, due: due) }
    startWaiting()
  }

  // MARK: Data that libcurl needs

  /// Whether libcurl can be given a transfer to this server now. Requests any data that is missing.
  func isReady(_ destination: Destination) -> Bool {
    if destination.usesTLS, case .unread(let source) = trust {
      trust = .reading(source)
      if let store = readTrust(source) { trust = .ready(store) }
    }
    let hasAddresses = destination.hasAddresses(now: loop.now) || ask(for: destination)
    return hasAddresses && (!destination.usesTLS || trust.isReady)
  }

  /// Records whether a connection carries several transfers at the same time.
  func learn(isMultiplexed: Bool, _ destination: Destination) {
    let isNew = destination.isMultiplexed == nil
    scheduler.learn(isMultiplexed: isMultiplexed, destination)
    // More loads than there are streams may wait already.
    watchGrowth(of: destination)
    if isNew, !isMultiplexed, destination.admittedCount > 1, !Curl.losesStreamBytes {
      loop.addNotMultiplexed(destination)
    }
  }

  private func ask(for destination: Destination) -> Bool {
    destination.askForNames(now: loop.now) { name, index in
      options.names.ask(name, now: loop.now) { [weak self] result in
        guard let self else { return }
        loop.post(.named(self, destination, index, result))
      }
    }
  }

  private func readTrust(_ source: TrustStores.Source) -> TrustStore? {
    TrustStores.shared.provide(source) { [weak self] result in
      guard let self else { return }
      loop.post(.trusted(self, result))
    }
  }

  /// Forgets the server's addresses after none of them could be connected to. The next transfer looks them up again.
  func forgetAddresses(of destination: Destination) {
    destination.forgetNames()
    for name in destination.namesToForget { options.names.forget(name) }
  }

  /// Handles the end of a name look-up that this client requested.
  func named(_ destination: Destination, _ index: Int, _ result: Result<NameService.Known, TransferFailure>) {
    switch result {
    case .success(let known):
      destination.take(known, at: index)
      proceed(destination)
    case .failure(let failure):
      destination.nameFailed(at: index)
      failPending(of: destination, failure)
    }
  }

  func trusted(_ result: Result<TrustStore, TransferFailure>) {
    guard case .reading(let source) = trust else { return }
    switch result {
    case .success(let store):
      trust = .ready(store)
      for destination in scheduler.destinationsWithPending { proceed(destination) }
    case .failure(let failure):
      // The next transfer tries again: the file may have been fixed by then.
      trust = .unread(source)
      for destination in scheduler.destinationsWithPending where destination.usesTLS {
        failPending(of: destination, failure)
      }
    }
  }

  func proceed(_ destination: Destination) {
    guard !destination.pending.isEmpty, isReady(destination) else { return }
    let transfers = destination.pending
    destination.pending = []
    for transfer in transfers where transfer.noticedFailure == nil {
      if mayConnect(transfer, to: destination) {
        transfer.begin()
      } else {
        destination.pending.append(transfer)
      }
    }
  }

  private func failPending(of destination: Destination, _ failure: TransferFailure) {
    let transfers = destination.pending
    destination.pending = []
    for transfer in transfers { transfer.fail(failure) }
  }
}

/// A server with loads that wait for a stream. There is one timer for each such server at most.
final class GrowthTimer: DeadlineOwner {
  let core: ClientCore
  let destination: Destination
  var deadlineIndex = -1

  init(core: ClientCore, destination: Destination) {
    self.core = core
    self.destination = destination
  }
}

/// The certificates that a client verifies servers with. They are read when the first TLS connection is needed.
enum TrustState {
  case unread(TrustStores.Source)
  case reading(TrustStores.Source)
  /// Nil if libcurl reads the certificates itself, or if none are needed.
  case ready(TrustStore?)

  init(_ trust: TransferClientOptions.Trust) {
    guard Curl.usesOpenSSL, OpenSSL.trust != nil else {
      self = .ready(nil)
      return
    }
    switch trust {
    case .system: self = TrustStores.systemFile.map { .unread(.file($0)) } ?? .ready(nil)
    case .file(let path): self = .unread(.file(path))
    case .pem(let bytes): self = .unread(.pem(bytes))
    case .anything: self = .ready(nil)
    }
  }

  var isReady: Bool {
    if case .ready = self { true } else { false }
  }

  var store: TrustStore? {
    if case .ready(let store) = self { store } else { nil }
  }
}

extension Float {
  /// The value clamped to the range from 0 to 1.
  fileprivate var clamped: Float { self >= 0 ? min(self, 1) : 0 }
}
