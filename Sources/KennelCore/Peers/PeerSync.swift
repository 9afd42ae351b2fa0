import Foundation
import Retriever

/// Takes what another kennel offers and this one does not have.
///
/// Nothing of the peer is believed: posts are looked at one by one, a photo has the hash that was announced and is
/// decoded before it is kept. A post is taken in one transaction with the note that it was; so a sync can be cancelled,
/// cut or killed at any moment, and the next one goes on, in the middle of a photo too. What the peer deletes later stays
/// here; what was deleted here does not come back.
///
/// What was taken is remembered by which kennel it came from, not by its address: it may move, and another one may take
/// its place.
package struct PeerSync: Sendable {
  /// What one run may take, and how patient it is.
  package struct Limits: Sendable, Hashable {
    package var posts = 10_000
    /// Of photos.
    package var bytes = 20 << 30
    /// The pause after a first failure; longer ones follow.
    package var firstPause = Duration.seconds(1)
    /// How many failures in a row end a run.
    package var failures = 6

    package init() {}
  }

  let peer: PeerAddress
  let owner: User.ID
  let store: KennelStore
  let limits: Limits
  let clock: any Clock<Duration>
  let inspect: @Sendable (String) async throws(KennelError) -> PhotoFacts
  let transport: PeerTransport

  /// - Parameters:
  ///   - owner: whose posts they are here.
  ///   - session: for other kennels; see ``makeSession(allowsPrivateAddresses:)``.
  ///   - clock: what pauses are measured with.
  ///   - inspect: finds out what a photo is.
  package init(
    from peer: PeerAddress, as owner: User.ID, into store: KennelStore, session: URLSession,
    limits: Limits = Limits(), clock: any Clock<Duration> = ContinuousClock(),
    inspect: @escaping @Sendable (String) async throws(KennelError) -> PhotoFacts = {
      path throws(KennelError) in
      try await PhotoInspector.facts(ofFileAt: path)
    }
  ) {
    self.peer = peer
    self.owner = owner
    self.store = store
    self.limits = limits
    self.clock = clock
    self.inspect = inspect
    transport = PeerTransport(session: session, peer: peer)
  }

  /// A session for other kennels: no cookies, no credentials, and only public addresses unless said otherwise.
  package static func makeSession(allowsPrivateAddresses: Bool = false) -> URLSession {
    PeerTransport.makeSession(allowsPrivateAddresses: allowsPrivateAddresses)
  }

  /// Takes what is new, and returns when nothing is left.
  ///
  /// Cancelling ends it soon; what was taken stays. It tries again when the peer is lost or busy; where nobody is at the
  /// very first, only once.
  ///
  /// - Parameters:
  ///   - progress: called often, one call after the other; with nothing first.
  ///   - retrying: called before each pause.
  ///   - replaced: called when another kennel is at the address than before; it is read from its beginning, or from
  ///     where it was the last time.
  /// - Throws: `unreachable`, `badPeer` or `notAllowed`, `badAddress` for this kennel itself, `busy` when the same peer is
  ///   being read already, `cancelled`, or what the store says.
  @discardableResult
  package func run(
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
    retrying: @escaping @Sendable (SyncRetry) -> Void = { _ in },
    replaced: @escaping @Sendable () -> Void = {}
  ) async throws(KennelError) -> SyncReport {
    let partials = try await PartialPhotos.open(for: peer, in: store)
    defer { partials.end() }
    let teller = SyncTeller(progress: progress, retrying: retrying, replaced: replaced)
    // So whoever adds up runs knows that this one has begun.
    teller.update { _ in }
    var report = SyncReport()
    var (memory, page) = try await firstPage(teller)
    while true {
      for offer in page.offers {
        if report.taken >= limits.posts || teller.now.bytes >= limits.bytes {
          report.isLimited = true
          break
        }
        try await handle(offer, memory.key, partials, teller, &report)
        memory.cursor = offer.id
        teller.update { $0.seen += 1 }
      }
      // Those that were not taken are dealt with too.
      try await store.posts.advanceCursor(to: memory.cursor, of: memory.key)
      report.bytes = teller.now.bytes
      if page.isLast || report.isLimited { return report }
      page = try await nextPage(behind: page, after: memory.cursor, teller)
    }
  }

  /// Finds out which kennel it is, and has its first page with something new.
  private func firstPage(_ teller: SyncTeller) async throws(KennelError) -> (PeerMemory, PeerPage) {
    let guess = try await store.posts.memory(at: peer.name)
    let page = try await page(after: guess.cursor, hasAnswered: false, teller)
    let memory = try await store.posts.meet(page.lineage, at: peer.name)
    if memory.isReplacement { teller.replaced() }
    if memory.cursor == guess.cursor { return (memory, page) }
    return (memory, try await nextPage(behind: page, after: memory.cursor, teller))
  }

  private func nextPage(
    behind page: PeerPage, after cursor: Int64, _ teller: SyncTeller
  ) async throws(KennelError) -> PeerPage {
    let next = try await self.page(after: cursor, hasAnswered: true, teller)
    guard next.lineage?.identity == page.lineage?.identity else {
      throw KennelError(
        .unreachable, "Another kennel has taken the place of the one that was read. Try again.")
    }
    return next
  }

  private func handle(
    _ offer: PeerPage.Offer, _ key: PeerKey, _ partials: PartialPhotos, _ teller: SyncTeller,
    _ report: inout SyncReport
  ) async throws(KennelError) {
    switch offer {
    case .refused(let id, let reason): report.refuse(id, reason)
    case .post(let post):
      let isTaken = try await store.posts.hasTaken(post.id, of: key)
      let isHere = if isTaken { true } else { try await store.posts.hasEqual(to: post) }
      guard !isHere else {
        report.known += 1
        return
      }
      do throws(PeerFailure) {
        let isNew = try await take(post, key, partials, teller)
        if isNew {
          report.taken += 1
          teller.update { $0.taken += 1 }
        } else {
          report.known += 1
        }
      } catch {
        switch error {
        case .missing: report.refuse(post.id, "It was deleted meanwhile.")
        case .lasting(let error) where error.isOfOnePost: report.refuse(post.id, error.description)
        case .lasting(let error), .passing(let error, _), .absent(let error): throw error
        }
      }
    }
  }

  private func take(
    _ post: PeerPost, _ key: PeerKey, _ partials: PartialPhotos, _ teller: SyncTeller
  ) async throws(PeerFailure) -> Bool {
    do {
      let photo = try await photo(of: post, partials, teller)
      let facts = try await inspect(photo.path)
      let origin = Post.Origin(kennel: peer.name, author: post.author, id: post.id)
      return try await store.posts.take(
        photo, facts: facts, caption: post.caption, author: owner, origin: origin, key: key,
        created: post.created)
        != nil
    } catch {
      throw PeerFailure(error)
    }
  }

  /// A photo, whole and with the hash that was announced.
  private func photo(
    of post: PeerPost, _ partials: PartialPhotos, _ teller: SyncTeller
  ) async throws(PeerFailure) -> StagedPhoto {
    do {
      // Twice: the first bytes may have come from an earlier run, and be others than those that followed.
      for _ in 0..<2 {
        let partial = try await partials.begin(post.hash, byteCount: post.byteCount)
        try await persist(teller) { () async throws(PeerFailure) in
          let before = teller.now.bytes
          do throws(PeerFailure) {
            try await transport.fetch(partial, of: post.id) { count in teller.update { $0.bytes += count } }
            return .done(())
          } catch {
            return .failed(error, hadProgress: teller.now.bytes > before)
          }
        }
        let photo = try await store.photos.adopt(partial.path, expecting: post.hash)
        try await partial.remove()
        if let photo { return photo }
      }
      throw KennelError(.badPhoto, "Its photo is another one than was said.")
    } catch {
      throw PeerFailure(error)
    }
  }

  private func page(
    after cursor: Int64, hasAnswered: Bool, _ teller: SyncTeller
  ) async throws(KennelError) -> PeerPage {
    let data: Data
    do throws(PeerFailure) {
      data = try await persist(teller, hasAnswered: hasAnswered) { () async throws(PeerFailure) in
        do throws(PeerFailure) {
          return .done(try await transport.page(after: cursor))
        } catch {
          return .failed(error, hadProgress: false)
        }
      }
    } catch {
      throw error.error
    }
    return try PeerPage(data, after: cursor, photoSizeLimit: store.photos.sizeLimit)
  }

  private enum Attempt<Value> {
    case done(Value)
    case failed(PeerFailure, hadProgress: Bool)
  }

  /// Tries until it is done, it would be the same again, or patience is at its end.
  private func persist<Value>(
    _ teller: SyncTeller, hasAnswered: Bool = true,
    _ attempt: () async throws(PeerFailure) -> Attempt<Value>
  ) async throws(PeerFailure) -> Value {
    var patience = PeerPatience(
      firstPause: limits.firstPause, limit: limits.failures, hasAnswered: hasAnswered)
    while true {
      switch try await attempt() {
      case .done(let value): return value
      case .failed(let failure, let hadProgress):
        guard let pause = patience.pause(after: failure, hadProgress: hadProgress) else { throw failure }
        teller.retrying(SyncRetry(error: failure.error, pause: pause))
        do { try await clock.sleep(for: pause) } catch { throw .lasting(.cancelled) }
      }
    }
  }
}

extension KennelError {
  /// Whether it is about what one post is, so that the others may do.
  fileprivate var isOfOnePost: Bool {
    [.badPhoto, .photoTooLarge, .unknownFormat, .badText, .badName].contains(code)
  }
}
