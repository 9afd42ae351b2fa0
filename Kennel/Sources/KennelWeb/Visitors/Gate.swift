import HTTPService
import KennelModel
import KennelStorage

/// Decides which visitors may use a route.
struct Gate: Sendable {
  let store: KennelStore
  let visitors: Visitors
  /// Limits how often an address may try links that do not exist.
  let guesses: GuessLimiter
  /// The same for feeds, so that a reader with an old address does not keep others from opening links.
  let feedGuesses: GuessLimiter
  let clock: KennelClock
  /// Whether the settings of the server open the kennel, also if its owner decided otherwise.
  let isForcedOpen: Bool

  /// Whether everyone may see the photos.
  func isOpen() async throws(KennelError) -> Bool {
    if isForcedOpen { return true }
    return try await store.visibility().isOpenToEveryone
  }

  /// Identifies the visitor, if that matters for the route.
  ///
  /// - Throws: a problem with status 401 if the visitor must sign in, or 403 if the user's role may not use the route; or
  ///   one that says what is wrong with a link.
  func admit(_ call: inout Call, to access: Access) async throws {
    switch access {
    case .everyone: return
    case .linkHolders, .photoLinkHolders, .albumLinkHolders:
      let link = try await link(in: call)
      (call.link, call.isOpenToEveryone) = (link, false)
      switch link.target {
      case .post(let post):
        guard access != .albumLinkHolders else { throw Problem.notFound }
        call.numbers = [post]
      case .album(let album):
        guard access != .photoLinkHolders else { throw Problem.notFound }
        if let post = call.numbers.first, try await !store.albums.shows(post, in: album) {
          throw Problem.notInAlbum
        }
      }
      return
    case .feedReaders:
      (call.visitor, call.isOpenToEveryone) = (SiteVisitor(user: try await feedReader(in: call)), false)
      return
    case .lookers, .lookersAndPeers, .people, .sharers, .owners: break
    }
    call.isOpenToEveryone = try await isOpen()
    let isLooking = access == .lookers || access == .lookersAndPeers
    // A token that was withdrawn is reported also where none is needed.
    let isPeer = access == .lookersAndPeers && Credentials.isPeer(call.request)
    if isLooking, call.isOpenToEveryone, !isPeer { return }
    let visitor = try await visitors.visitor(of: call)
    call.visitor = visitor
    if visitor.peer != nil {
      guard access == .lookersAndPeers else { throw Problem.notForPeers }
      return
    }
    guard let user = visitor.user else {
      switch access {
      case .lookers: throw Problem.onlyForPeople
      case .lookersAndPeers: throw Problem.onlyForPeopleAndPeers
      default: throw Problem.signInRequired
      }
    }
    guard access.admits(user.role) else { throw Problem(.forbidden, access.refusal) }
  }

  /// The time after which the sender of a request is admitted again.
  private static let admissionTime: Duration = .seconds(1)

  /// Admits the user who sent a request again when the last byte of its body has arrived. A client can take minutes to send it,
  /// and its session or the user's role may have ended meanwhile.
  func admitAgainAtEnd(of call: inout Call, to access: Access) {
    guard let user = call.visitor?.user, call.request.body.announcedLength != 0 else { return }
    let begin = clock.uptime()
    let admitted = call
    call.request.body = call.request.body.checkedAtEnd {
      guard clock.uptime() - begin > Self.admissionTime else { return }
      var call = admitted
      call.visitor = nil
      try await admit(&call, to: access)
      guard call.visitor?.user?.id == user.id else { throw Problem.signInRequired }
    }
  }

  /// Returns the link whose token is in the path.
  private func link(in call: Call) async throws -> SecretLink {
    let address = visitors.policy.client(of: call.request).address
    try guesses.check(address)
    guard let token = SecretToken<SecretLink>(call.secret), let link = try await store.posts.link(token)
    else {
      try await guesses.countFailure(address)
      throw Problem.noSuchLink
    }
    guard !link.isExpired(at: clock.now()) else { throw Problem.expiredLink }
    return link
  }

  /// Returns the user whose feed has the token in the path.
  private func feedReader(in call: Call) async throws -> User {
    let address = visitors.policy.client(of: call.request).address
    try feedGuesses.check(address)
    guard let token = SecretToken<Feed>(call.secret), let user = try await store.accounts.reader(of: token)
    else {
      try await feedGuesses.countFailure(address)
      throw Problem.noSuchFeed
    }
    return user
  }

  /// Whether a visitor who was admitted may still see the photos: people are signed out, tokens of kennels are withdrawn, and a
  /// kennel may be closed to others.
  func stillAdmits(_ visitor: SiteVisitor) async throws(KennelError) -> Bool {
    if let peer = visitor.peer { return try await visitors.accounts.peer(peer) != nil }
    if try await isOpen() { return true }
    return try await isSignedIn(visitor)
  }

  /// Whether a visitor who had signed in still is: sessions end, a new password ends what began with the old one, and users are
  /// removed.
  func isSignedIn(_ visitor: SiteVisitor) async throws(KennelError) -> Bool {
    guard let user = visitor.user else { return false }
    if let token = visitor.token { return try await visitors.accounts.user(of: token) != nil }
    if let proof = visitor.proof { return try await visitors.accounts.isCurrent(proof) }
    return try await visitors.accounts.user(user.id) != nil
  }

  /// Returns a check for an answer that takes long: whether the sender of a request that was admitted may still see the photos.
  /// A secret link may also be revoked, or expire. A route for other kennels needs another check.
  func check(for call: Call) async throws -> @Sendable () async throws(KennelError) -> Bool {
    if let link = call.link {
      let token = SecretToken<SecretLink>(call.secret)
      return { () async throws(KennelError) in
        guard let token, let found = try await store.posts.link(token) else { return false }
        return found.id == link.id && !found.isExpired(at: clock.now())
      }
    }
    var visitor = try await visitors.visitor(of: call)
    visitor.peer = nil
    return { [visitor] () async throws(KennelError) in try await stillAdmits(visitor) }
  }
}

extension Problem {
  static let notInAlbum = Problem(.notFound, "The album does not show this photo any more.")
  fileprivate static let onlyForPeople = Problem(
    .unauthorized, "The photos here are only for people with an account. Sign in to see them.")
  fileprivate static let onlyForPeopleAndPeers = Problem(
    .unauthorized,
    "The photos here are only for people with an account, and for kennels with a token. Ask the owner for one: kennel peer add NAME. Then use kennel sync --token-file FILE."
  )
  fileprivate static let notForPeers = Problem(
    .forbidden, "The token of a kennel is only valid for its sync. Use the name and the password of a user.")
  fileprivate static let noSuchLink = Problem(
    .notFound, "This link does not work, or not any more. Ask the person who sent it for another one.")
  fileprivate static let noSuchFeed = Problem(
    .notFound,
    "This feed address does not work. It may have been replaced or turned off. Make a new one on the page “You”."
  )
  fileprivate static let expiredLink = Problem(
    410, "This link has expired. Ask the person who sent it for another one.")
}
