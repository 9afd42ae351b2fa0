#if !canImport(Darwin)
import Foundation
import TransferEngine

/// Decides how a task responds to 401 responses of servers, or to 407 responses of proxies: a pure state machine that
/// takes one event and returns one action.
///
/// One machine serves one task for its entire lifetime, across redirects; a task has another one for proxies. It counts
/// failures by protection space. The driver reports each refusal with `refused` and passes the resulting question to the
/// delegates. Without a delegate the answer is `.performDefaultHandling`. The driver reports the answer with `answered`.
/// It reports any other response with `accepted`, which returns the credential to remember.
package struct ChallengeMachine: Sendable {
  /// The contents of a `URLAuthenticationChallenge`.
  package struct Question: Sendable {
    package let protectionSpace: URLProtectionSpace
    package let proposedCredential: URLCredential?
    package let previousFailureCount: Int
    package let failureResponse: HTTPURLResponse

    /// The credential that this response refused. A store that remembers it for this space should remove it.
    package let refusedCredential: URLCredential?

    /// The challenge to show to a delegate.
    package func makeChallenge() -> URLAuthenticationChallenge {
      URLAuthenticationChallenge(
        protectionSpace: protectionSpace, proposedCredential: proposedCredential,
        previousFailureCount: previousFailureCount, failureResponse: failureResponse, error: nil,
        sender: nil)
    }
  }

  /// The driver's next step.
  package enum Action: Sendable {
    /// Ask the delegates, then report the answer.
    case ask(Question)

    /// Send the request again, with an answer to the challenge.
    case retry(Authorizer)

    /// Deliver the refusal to the caller unchanged.
    case deliver

    /// End the task with this error.
    case fail(URLError)

    /// Ignore the answer, because no question is pending.
    case ignore
  }

  /// A credential that a server accepted, and where.
  package struct Acceptance: Sendable {
    package let credential: URLCredential
    package let protectionSpace: URLProtectionSpace
    package let url: URL
    package let authorizer: Authorizer

    package init(
      credential: URLCredential, protectionSpace: URLProtectionSpace, url: URL, authorizer: Authorizer
    ) {
      self.credential = credential
      self.protectionSpace = protectionSpace
      self.url = url
      self.authorizer = authorizer
    }
  }

  /// The maximum number of refusals. The next 401 is delivered, so that a delegate cannot retry forever.
  package static let maximumRefusals = 64

  /// The maximum number of nonces that were too old. The next one counts as a refusal.
  package static let maximumStaleNonces = 16

  /// An offer with its protection space.
  private struct Offer {
    let offer: AnswerableOffer
    let space: URLProtectionSpace
  }

  private struct Pending {
    var offers: ArraySlice<Offer>
    let challenger: Challenger
    let url: URL
    let response: HTTPURLResponse
    let refused: (space: URLProtectionSpace, credential: URLCredential)?
    let lookup: @Sendable (URLProtectionSpace) -> URLCredential?
    let session: SessionSource
    var question: Question?
  }

  private struct Attempt {
    let space: URLProtectionSpace
    let credential: URLCredential
    let url: URL
    let authorizer: Authorizer
    /// Whether the answer was sent before the server asked.
    var isRemembered = false
    var proof: DigestSession.Proof?
  }

  /// Returns the session of a Digest challenge, which loads of the same nonce share.
  package typealias SessionSource = @Sendable (DigestChallenge, URLProtectionSpace) -> DigestSession

  private var pending: Pending?
  private var attempt: Attempt?
  /// The attempt that a server accepted most recently.
  private var acceptedAttempt: Attempt?
  private var refusedCredentials: [URLProtectionSpace: [URLCredential]] = [:]
  private var refusalCount = 0
  private var staleCount = 0

  package init() {}

  /// Records that a request is sent with a remembered credential.
  package mutating func willSend(_ entry: CredentialCache.Entry, to url: URL) {
    attempt = Attempt(
      space: entry.protectionSpace, credential: entry.credential, url: url, authorizer: entry.authorizer,
      isRemembered: true)
  }

  /// Records that the credential that was accepted before is sent again, with the task's next request.
  package mutating func willSendAgain() {
    guard attempt == nil, let last = acceptedAttempt else { return }
    attempt = Attempt(
      space: last.space, credential: last.credential, url: last.url, authorizer: last.authorizer,
      isRemembered: true)
  }

  /// Records what was sent with the current request.
  package mutating func didSend(_ answer: Authorizer.Answer) { attempt?.proof = answer.proof }

  /// Records that a redirect is followed. Returns what answers for the next request, if anything.
  ///
  /// A credential that a server accepted from this task is sent to the same origin only.
  package mutating func willFollowRedirect(to url: URL) -> Authorizer? {
    // A redirect is a response too, so the server did not refuse the credential.
    if let attempt { acceptedAttempt = attempt }
    attempt = nil
    guard let last = acceptedAttempt, Origin(last.url) == Origin(url) else {
      acceptedAttempt = nil
      return nil
    }
    attempt = Attempt(
      space: last.space, credential: last.credential, url: url, authorizer: last.authorizer,
      isRemembered: true)
    return last.authorizer
  }

  /// Handles a 401 response of the server, or a 407 response of the proxy.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - url: The request's URL; a name and password in it count as a known credential of the server.
  ///   - challenger: The server or proxy.
  ///   - session: Returns the session of a Digest challenge.
  ///   - lookup: Finds the known credential for a space. It is called here and in `answered`. A driver that holds a
  ///     lock during these calls should look up all `offeredSpaces(by:url:from:)` beforehand.
  package mutating func refused(
    by response: HTTPURLResponse, url: URL, from challenger: Challenger = .server,
    session: @escaping SessionSource = { challenge, _ in DigestSession(challenge) },
    lookup: @escaping @Sendable (URLProtectionSpace) -> URLCredential?
  ) -> Action {
    let sent = attempt
    attempt = nil
    acceptedAttempt = nil
    pending = nil
    let offers = Self.offers(in: response, url: url, from: challenger)
    if let sent, let retry = retry(sent, url: url, offers: offers, session: session) { return retry }
    if let sent {
      refusalCount += 1
      refusedCredentials[sent.space, default: []].append(sent.credential)
    }
    guard refusalCount < Self.maximumRefusals else { return .deliver }
    pending = Pending(
      offers: offers[...], challenger: challenger, url: url, response: response,
      refused: sent.map { ($0.space, $0.credential) }, lookup: lookup, session: session)
    return askAboutFirstOffer()
  }

  /// Answers again with a new nonce, if the server may have refused the nonce and not the credential.
  ///
  /// `stale=true` says so. Servers that have forgotten their nonces do not always say it, so a remembered nonce that is
  /// replaced counts as stale once.
  private mutating func retry(
    _ sent: Attempt, url: URL, offers: [Offer], session: SessionSource
  ) -> Action? {
    guard case .digest(let user, let password, let old) = sent.authorizer,
      staleCount < Self.maximumStaleNonces
    else { return nil }
    let fresh = offers.first { offer in
      guard offer.space == sent.space, let challenge = offer.offer.digest else { return false }
      return challenge.isStale || sent.isRemembered && challenge.nonce != old.nonce
    }
    guard let fresh, let challenge = fresh.offer.digest else { return nil }
    staleCount += 1
    let authorizer = Authorizer.digest(user: user, password: password, session(challenge, fresh.space))
    attempt = Attempt(space: sent.space, credential: sent.credential, url: url, authorizer: authorizer)
    return .retry(authorizer)
  }

  /// Handles the answer that the delegates, or default handling, gave to the most recent question.
  package mutating func answered(
    _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?
  ) -> Action {
    guard let waiting = pending, let question = waiting.question else { return .ignore }
    switch disposition {
    case .useCredential:
      return use(credential)
    case .performDefaultHandling:
      return use(question.proposedCredential)
    case .cancelAuthenticationChallenge:
      pending = nil
      return .fail(
        URLError(
          .cancelled,
          message: "The request was cancelled when the server or proxy asked for a credential.",
          url: waiting.url))
    case .rejectProtectionSpace:
      pending?.offers.removeFirst()
      return askAboutFirstOffer()
    }
  }

  /// Whether a response other than a refusal contains no proof (`rspauth`), or the right one.
  package func isConfirmed(by response: HTTPURLResponse, from challenger: Challenger = .server) -> Bool {
    guard let proof = attempt?.proof else { return true }
    return proof.isConfirmed(by: response.headerFields.values(for: challenger.infoField))
  }

  /// The proof in such a response that also covers its body; nil if there is none.
  package func bodyProof(
    in response: HTTPURLResponse, from challenger: Challenger = .server
  ) -> DigestSession.BodyProof? {
    guard let proof = attempt?.proof, proof.algorithmOfBody != nil else { return nil }
    return proof.bodyProof(in: response.headerFields.values(for: challenger.infoField))
  }

  /// Handles a response other than a refusal. Returns the credential that the request was sent with, if any.
  package mutating func accepted() -> Acceptance? {
    defer {
      attempt = nil
      pending = nil
    }
    guard let attempt else { return nil }
    acceptedAttempt = attempt
    return Acceptance(
      credential: attempt.credential, protectionSpace: attempt.space, url: attempt.url,
      authorizer: attempt.authorizer)
  }

  /// The spaces that a refusal offers with a supported scheme, in the order in which they are asked about.
  package static func offeredSpaces(
    by response: HTTPURLResponse, url: URL, from challenger: Challenger = .server
  ) -> [URLProtectionSpace] {
    offers(in: response, url: url, from: challenger).map(\.space)
  }

  /// The offers that can be answered. Of several in one space, such as Digest with two algorithms, only the strongest.
  private static func offers(
    in response: HTTPURLResponse, url: URL, from challenger: Challenger
  ) -> [Offer] {
    var spaces: Set<URLProtectionSpace> = []
    let offers = AuthenticateOffer.parse(response.headerFields.values(for: challenger.offerField))
    return AnswerableOffer.sorted(offers).compactMap { offer in
      guard let space = challenger.space(of: offer, url: url), spaces.insert(space).inserted else {
        return nil
      }
      return Offer(offer: offer, space: space)
    }
  }

  private mutating func askAboutFirstOffer() -> Action {
    guard let waiting = pending, let space = waiting.offers.first?.space else {
      // A delegate that rejected every space did not want a stored password to be sent to one of them.
      pending = nil
      return .deliver
    }
    let refused = refusedCredentials[space] ?? []
    let known = [waiting.challenger.ownCredential(url: waiting.url), waiting.lookup(space)]
    let question = Question(
      protectionSpace: space,
      proposedCredential: known.lazy.compactMap { $0 }.first { !refused.contains($0) },
      previousFailureCount: refused.count, failureResponse: waiting.response,
      refusedCredential: waiting.refused.flatMap { $0.space == space ? $0.credential : nil })
    pending?.question = question
    return .ask(question)
  }

  private mutating func use(_ credential: URLCredential?) -> Action {
    defer { pending = nil }
    guard let waiting = pending, let offer = waiting.offers.first, let credential,
      let user = credential.user
    else { return .deliver }
    let password = credential.password ?? ""
    let authorizer: Authorizer =
      if let scheme = offer.offer.scheme.ofConnection {
        .connection(ConnectionSignIn(scheme, user: user, password: password))
      } else if let challenge = offer.offer.digest {
        .digest(user: user, password: password, waiting.session(challenge, offer.space))
      } else {
        .basic(user: user, password: password)
      }
    attempt = Attempt(space: offer.space, credential: credential, url: waiting.url, authorizer: authorizer)
    return .retry(authorizer)
  }
}
#endif
