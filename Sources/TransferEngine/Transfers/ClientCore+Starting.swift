// Starting transfers: a place in the queue, then what libcurl needs to know, then libcurl.
extension ClientCore {
  /// Takes a transfer in; it starts when its turn comes, which may be now.
  func enqueue(_ transfer: Transfer, at destination: Destination) -> LoadQueue<Transfer>.Ticket {
    let level = Int((transfer.request.priority.clamped * Float(LoadQueue<Transfer>.levelCount - 1)).rounded())
    return scheduler.queue.add(transfer, to: destination.place, level: level)
  }

  /// Starts what may run now.
  func startWaiting() {
    while let transfer = scheduler.queue.startNext() { transfer.hasTurn() }
  }

  /// A transfer is over that had a place.
  func leave(_ destination: Destination) {
    destination.admittedCount -= 1
    scheduler.queue.ended(on: destination.place)
    loop.touch(self)
  }

  // MARK: What libcurl needs

  /// Whether libcurl can be given a transfer to this server now. What is missing is asked for.
  func isReady(_ destination: Destination) -> Bool {
    if destination.usesTLS, case .unread(let source) = trust {
      trust = .reading(source)
      if let store = readTrust(source) { trust = .ready(store) }
    }
    let hasAddresses = destination.hasAddresses(now: loop.now) || ask(for: destination)
    return hasAddresses && (!destination.usesTLS || trust.isReady)
  }

  /// A connection tells whether it carries several transfers at the same time.
  func learn(isMultiplexed: Bool, _ destination: Destination) {
    let isNew = destination.isMultiplexed == nil
    scheduler.learn(isMultiplexed: isMultiplexed, destination)
    if isNew, !isMultiplexed, destination.admittedCount > 1, !Curl.losesStreamBytes {
      loop.addUnshared(destination)
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

  /// No address of the server could be connected to: the next transfer looks its names up again.
  func forgetAddresses(of destination: Destination) {
    destination.forgetNames()
    for name in destination.namesToForget { options.names.forget(name) }
  }

  /// A look-up that this client asked for has ended.
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
      // The next transfer tries again: a file may be put right.
      trust = .unread(source)
      for destination in scheduler.destinationsWithPending where destination.usesTLS {
        failPending(of: destination, failure)
      }
    }
  }

  private func proceed(_ destination: Destination) {
    guard !destination.pending.isEmpty, isReady(destination) else { return }
    let transfers = destination.pending
    destination.pending = []
    for transfer in transfers { transfer.begin() }
  }

  private func failPending(of destination: Destination, _ failure: TransferFailure) {
    let transfers = destination.pending
    destination.pending = []
    for transfer in transfers { transfer.fail(failure) }
  }
}

/// The certificates that a client verifies servers with: read when the first connection with TLS is wanted.
enum TrustState {
  case unread(TrustStores.Source)
  case reading(TrustStores.Source)
  /// Nil where libcurl reads them by itself, or none are needed.
  case ready(TrustStore?)

  init(_ trust: TransferClientOptions.Trust) {
    guard OpenSSL.trust != nil else {
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
  /// Between 0 and 1, whatever was given.
  fileprivate var clamped: Float { self >= 0 ? min(self, 1) : 0 }
}
