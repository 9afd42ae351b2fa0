#if !canImport(Darwin)
import Foundation

/// Decides how a task responds to 401 responses: a pure state machine that takes one event and returns one action.
///
/// One machine serves one task for its entire lifetime, across redirects. It counts failures by protection space. The
/// driver reports each 401 with `refused` and passes the resulting question to the delegates. Without a delegate the
/// answer is `.performDefaultHandling`. The driver reports the answer with `answered`. It reports any other response
/// with `accepted`, which returns the credential to remember.
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

    /// Send the request again, with this value for `Authorization`.
    case retry(authorization: String)

    /// Deliver the 401 to the caller unchanged.
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
  }

  /// The maximum number of refusals. The next 401 is delivered, so that a delegate cannot retry forever.
  package static let maximumRefusals = 64

  private struct Pending {
    var offers: ArraySlice<(AuthenticationScheme, AuthenticateOffer)>
    let origin: Origin
    let url: URL
    let response: HTTPURLResponse
    let refused: (space: URLProtectionSpace, credential: URLCredential)?
    let lookup: @Sendable (URLProtectionSpace) -> URLCredential?
    var question: Question?
  }

  private struct Attempt {
    let space: URLProtectionSpace
    let credential: URLCredential
    let url: URL
    let authorization: String
  }

  private var pending: Pending?
  private var attempt: Attempt?
  /// The attempt that a server accepted most recently.
  private var acceptedAttempt: Attempt?
  private var refusedCredentials: [URLProtectionSpace: [URLCredential]] = [:]
  private var refusalCount = 0

  package init() {}

  /// Records that a request is sent with a remembered credential.
  package mutating func willSend(_ entry: CredentialCache.Entry, to url: URL) {
    attempt = Attempt(
      space: entry.protectionSpace, credential: entry.credential, url: url,
      authorization: entry.authorization)
  }

  /// Records that a redirect is followed. Returns the value of `Authorization` to send with it, if any.
  ///
  /// A credential that a server accepted from this task is sent to the same origin only.
  package mutating func willFollowRedirect(to url: URL) -> String? {
    // A redirect is a response too, so the server did not refuse the credential.
    if let attempt { acceptedAttempt = attempt }
    attempt = nil
    guard let last = acceptedAttempt, Origin(last.url) == Origin(url) else {
      acceptedAttempt = nil
      return nil
    }
    attempt = Attempt(
      space: last.space, credential: last.credential, url: url, authorization: last.authorization)
    return last.authorization
  }

  /// Handles a 401 response.
  ///
  /// - Parameters:
  ///   - response: The response.
  ///   - url: The request's URL; a name and password in it count as a known credential.
  ///   - lookup: Finds the known credential for a space. It is called here and in `answered`. A driver that holds a
  ///     lock during these calls should look up all `offeredSpaces(by:url:)` beforehand.
  package mutating func refused(
    by response: HTTPURLResponse, url: URL,
    lookup: @escaping @Sendable (URLProtectionSpace) -> URLCredential?
  ) -> Action {
    let sent = attempt
    attempt = nil
    acceptedAttempt = nil
    pending = nil
    if let sent {
      refusalCount += 1
      refusedCredentials[sent.space, default: []].append(sent.credential)
    }
    guard refusalCount < Self.maximumRefusals, let origin = Origin(url) else { return .deliver }
    pending = Pending(
      offers: Self.offers(in: response)[...], origin: origin, url: url, response: response,
      refused: sent.map { ($0.space, $0.credential) }, lookup: lookup)
    return askAboutFirstOffer()
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
          .cancelled, message: "The request was cancelled when the server asked for a credential.",
          url: waiting.url))
    case .rejectProtectionSpace:
      pending?.offers.removeFirst()
      return askAboutFirstOffer()
    }
  }

  /// Handles a response other than a 401. Returns the credential that the request was sent with, if any.
  package mutating func accepted() -> Acceptance? {
    defer {
      attempt = nil
      pending = nil
    }
    guard let attempt else { return nil }
    acceptedAttempt = attempt
    return Acceptance(
      credential: attempt.credential, protectionSpace: attempt.space, url: attempt.url)
  }

  /// The spaces that a 401 offers with a supported scheme, in the order in which they are asked about.
  package static func offeredSpaces(by response: HTTPURLResponse, url: URL) -> [URLProtectionSpace] {
    guard let origin = Origin(url) else { return [] }
    return offers(in: response).map { scheme, offer in
      URLProtectionSpace(origin: origin, scheme: scheme, realm: offer.realm)
    }
  }

  private static func offers(in response: HTTPURLResponse) -> [(AuthenticationScheme, AuthenticateOffer)] {
    AuthenticateOffer.answerable(
      AuthenticateOffer.parse(response.headerFields.values(for: "WWW-Authenticate")))
  }

  private mutating func askAboutFirstOffer() -> Action {
    guard let waiting = pending, let (scheme, offer) = waiting.offers.first else {
      // A delegate that rejected every space did not want a stored password to be sent to one of them.
      pending = nil
      return .deliver
    }
    let space = URLProtectionSpace(origin: waiting.origin, scheme: scheme, realm: offer.realm)
    let refused = refusedCredentials[space] ?? []
    let known = [credential(in: waiting.url), waiting.lookup(space)]
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
    guard let waiting = pending, let question = waiting.question,
      let (scheme, offer) = waiting.offers.first,
      let credential, let authorization = scheme.authorization(with: credential, for: offer)
    else { return .deliver }
    attempt = Attempt(
      space: question.protectionSpace, credential: credential, url: waiting.url,
      authorization: authorization)
    return .retry(authorization: authorization)
  }

  /// The name and password in the URL itself.
  private func credential(in url: URL) -> URLCredential? {
    guard let user = url.user(percentEncoded: false), !user.isEmpty else { return nil }
    return URLCredential(
      user: user, password: url.password(percentEncoded: false) ?? "", persistence: .none)
  }
}
#endif
