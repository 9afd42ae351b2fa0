import Foundation
import KennelModel
import KennelStorage
import Retriever

/// Takes the posts that another kennel offers and this one does not have.
///
/// All data from the peer is validated: each post is checked, and a photo must have the announced hash and be decodable
/// before it is kept. A post and the note that it was taken are stored in one transaction. A sync can therefore be
/// cancelled or killed at any moment, and the next one resumes, even in the middle of a photo. Posts that the peer
/// deletes later stay here. Posts that were deleted here are not taken again.
///
/// The posts that were taken are remembered by the identity of the kennel, not by its address: it may move, and another
/// kennel may take its place.
package struct PeerSync: Sendable {
  /// The limits of one run.
  package struct Limits: Sendable, Hashable {
    package var maximumPosts = 10_000
    /// The maximum number of photo bytes.
    package var maximumPhotoBytes = 20 << 30
    /// The pause after the first failure. Later pauses are longer.
    package var firstPause = Duration.seconds(1)
    /// The number of consecutive failures that end a run.
    package var maximumFailures = 6

    package init() {}
  }

  let peer: PeerAddress
  let owner: User.ID
  let store: KennelStore
  let limits: Limits
  let clock: any Clock<Duration>
  let examine: @Sendable (StagedPhoto, PhotoDirectory) async throws(KennelError) -> NewPhoto
  let transport: PeerTransport

  /// - Parameters:
  ///   - owner: the user who owns the posts here.
  ///   - session: a session for other kennels; see ``makeSession(allowsPrivateAddresses:)``.
  ///   - token: the token that the owner of the other kennel has given to this one, if any.
  ///   - clock: the clock for pauses.
  ///   - examine: decodes a photo and prepares it for a post (default: as for an upload, so its metadata is taken out).
  package init(
    from peer: PeerAddress, as owner: User.ID, into store: KennelStore, session: URLSession,
    token: PeerToken? = nil, limits: Limits = Limits(), clock: any Clock<Duration> = ContinuousClock(),
    examine: @escaping @Sendable (StagedPhoto, PhotoDirectory) async throws(KennelError) -> NewPhoto = {
      photo, photos throws(KennelError) in
      try await NewPhoto.examining(photo, in: photos)
    }
  ) {
    self.peer = peer
    self.owner = owner
    self.store = store
    self.limits = limits
    self.clock = clock
    self.examine = examine
    transport = PeerTransport(session: session, peer: peer, token: token)
  }

  /// Creates a session for other kennels: without cookies and credentials, and by default for public addresses only.
  package static func makeSession(allowsPrivateAddresses: Bool = false) -> URLSession {
    PeerTransport.makeSession(allowsPrivateAddresses: allowsPrivateAddresses)
  }

  /// Takes all new posts, and returns when none are left.
  ///
  /// Cancelling stops it soon. Posts that were taken stay. It tries again if the connection is lost or the peer is
  /// busy. If the very first connection fails, it makes only one more attempt.
  ///
  /// - Parameters:
  ///   - progress: called often, never concurrently. The first call reports zero progress.
  ///   - retrying: called before each pause.
  ///   - replaced: called when a different kennel is at the address than before. It is read from its beginning, or from
  ///     its last read position.
  /// - Throws: `unreachable`, `badPeer` or `notAllowed`, `badAddress` if the address is that of this kennel, `busy` if
  ///   the same peer is already being read, `cancelled`, or an error of the store.
  @discardableResult
  package func run(
    progress: @escaping @Sendable (SyncProgress) -> Void = { _ in },
    retrying: @escaping @Sendable (SyncRetry) -> Void = { _ in },
    replaced: @escaping @Sendable () -> Void = {}
  ) async throws(KennelError) -> SyncReport {
    let partials = try await PartialPhotos.open(for: peer, in: store)
    defer { partials.end() }
    let reporter = SyncProgressReporter(progress: progress, retrying: retrying, replaced: replaced)
    // The first call reports the start of this run to callers that add up several runs.
    reporter.update { _ in }
    var report = SyncReport()
    var (readState, page) = try await firstPage(reporter)
    while true {
      for offer in page.offers {
        if report.taken >= limits.maximumPosts || reporter.now.bytes >= limits.maximumPhotoBytes {
          report.isLimited = true
          break
        }
        try await handle(offer, readState.key, partials, reporter, &report)
        readState.cursor = offer.id
        reporter.update { $0.seen += 1 }
      }
      // Refused and known posts also advance the read position.
      try await store.posts.advanceCursor(to: readState.cursor, of: readState.key)
      report.bytes = reporter.now.bytes
      if page.isLast || report.isLimited { return report }
      page = try await nextPage(following: page, after: readState.cursor, reporter)
    }
  }

  /// Identifies the kennel and loads its first page with new posts.
  private func firstPage(_ reporter: SyncProgressReporter) async throws(KennelError) -> (
    PeerReadState, PeerPage
  ) {
    let guess = try await store.posts.readState(at: peer.name)
    let page = try await page(after: guess.cursor, hasAnswered: false, reporter)
    let readState = try await store.posts.recordIdentity(page.lineage, at: peer.name)
    if readState.isReplacement { reporter.replaced() }
    if readState.cursor == guess.cursor { return (readState, page) }
    return (readState, try await nextPage(following: page, after: readState.cursor, reporter))
  }

  private func nextPage(
    following page: PeerPage, after cursor: Int64, _ reporter: SyncProgressReporter
  ) async throws(KennelError) -> PeerPage {
    let next = try await self.page(after: cursor, hasAnswered: true, reporter)
    guard next.lineage?.identity == page.lineage?.identity else {
      throw KennelError(
        .unreachable, "The address now belongs to a different kennel. Try again.")
    }
    return next
  }

  private func handle(
    _ offer: PeerPage.Offer, _ key: PeerKey, _ partials: PartialPhotos, _ reporter: SyncProgressReporter,
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
        let isNew = try await take(post, key, partials, reporter)
        if isNew {
          report.taken += 1
          reporter.update { $0.taken += 1 }
        } else {
          report.known += 1
        }
      } catch {
        switch error {
        case .missing: report.refuse(post.id, "The post was deleted in the meantime.")
        case .permanent(let error) where error.isOfOnePost: report.refuse(post.id, error.description)
        case .permanent(let error), .temporary(let error, _), .unreachable(let error): throw error
        }
      }
    }
  }

  private func take(
    _ post: PeerPost, _ key: PeerKey, _ partials: PartialPhotos, _ reporter: SyncProgressReporter
  ) async throws(PeerFailure) -> Bool {
    do {
      let file = try await photo(of: post, partials, reporter)
      let origin = Post.Origin(kennel: peer.name, author: post.author, id: post.id)
      var taken = post.taken
      if taken == nil { taken = await store.posts.captureTime(ofFileAt: file.path) }
      let photo = try await examine(file, store.photos)
      return try await store.posts.take(
        photo, caption: post.caption, author: owner, origin: origin, key: key, created: post.created,
        taken: taken)
        != nil
    } catch {
      throw PeerFailure(error)
    }
  }

  /// Fetches a complete photo with the announced hash.
  private func photo(
    of post: PeerPost, _ partials: PartialPhotos, _ reporter: SyncProgressReporter
  ) async throws(PeerFailure) -> StagedPhoto {
    do {
      // Two attempts: the first bytes may come from an earlier run and belong to a different photo.
      for _ in 0..<2 {
        let partial = try await partials.begin(post.hash, byteCount: post.byteCount)
        try await persist(reporter) { () async throws(PeerFailure) in
          let before = reporter.now.bytes
          do throws(PeerFailure) {
            try await transport.fetch(partial, of: post.id) { count in reporter.update { $0.bytes += count } }
            return .done(())
          } catch {
            return .failed(error, hadProgress: reporter.now.bytes > before)
          }
        }
        let photo = try await store.photos.adopt(partial.path, expecting: post.hash)
        try await partial.remove()
        if let photo { return photo }
      }
      throw KennelError(.badPhoto, "The photo does not match the announced hash.")
    } catch {
      throw PeerFailure(error)
    }
  }

  private func page(
    after cursor: Int64, hasAnswered: Bool, _ reporter: SyncProgressReporter
  ) async throws(KennelError) -> PeerPage {
    let data: Data
    do throws(PeerFailure) {
      data = try await persist(reporter, hasAnswered: hasAnswered) { () async throws(PeerFailure) in
        do throws(PeerFailure) {
          return .done(try await transport.page(after: cursor))
        } catch {
          return .failed(error, hadProgress: false)
        }
      }
    } catch {
      throw error.error
    }
    return try PeerPage(data, after: cursor, maximumPhotoSize: store.photos.maximumPhotoSize)
  }

  private enum Attempt<Value> {
    case done(Value)
    case failed(PeerFailure, hadProgress: Bool)
  }

  /// Repeats an attempt until it succeeds, fails permanently, or has failed too often.
  private func persist<Value>(
    _ reporter: SyncProgressReporter, hasAnswered: Bool = true,
    _ attempt: () async throws(PeerFailure) -> Attempt<Value>
  ) async throws(PeerFailure) -> Value {
    var retryPolicy = RetryPolicy(
      firstPause: limits.firstPause, limit: limits.maximumFailures, hasAnswered: hasAnswered)
    while true {
      switch try await attempt() {
      case .done(let value): return value
      case .failed(let failure, let hadProgress):
        guard let pause = retryPolicy.pause(after: failure, hadProgress: hadProgress) else { throw failure }
        reporter.retrying(SyncRetry(error: failure.error, pause: pause))
        do { try await clock.sleep(for: pause) } catch { throw .permanent(.cancelled) }
      }
    }
  }
}

extension KennelError {
  /// Whether the error is about a single post, so that the sync can continue with the others.
  fileprivate var isOfOnePost: Bool {
    [.badPhoto, .photoTooLarge, .unknownFormat, .badText, .badName].contains(code)
  }
}
