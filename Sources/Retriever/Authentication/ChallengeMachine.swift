#if !canImport(Darwin)
  import Foundation

  /// Decides what a task does about the 401 responses it gets: pure, one event in, one action out.
  ///
  /// One machine serves one task for its whole life, across redirects: failures are counted by protection space.
  /// The driver reports each 401 with `refused`, puts the question that comes out to the delegates (without any
  /// of them the answer is `.performDefaultHandling`), and reports the answer with `answered`. A response that is
  /// not a 401 is reported with `accepted`, which tells what is now worth remembering.
  package struct ChallengeMachine: Sendable {
    /// What a `URLAuthenticationChallenge` is made of.
    package struct Question: Sendable {
      package let protectionSpace: URLProtectionSpace
      package let proposedCredential: URLCredential?
      package let previousFailureCount: Int
      package let failureResponse: HTTPURLResponse

      /// The credential this response refused; whoever remembers it for this space should forget it.
      package let refusedCredential: URLCredential?

      /// The challenge to show to a delegate.
      package func makeChallenge() -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
          protectionSpace: protectionSpace, proposedCredential: proposedCredential,
          previousFailureCount: previousFailureCount, failureResponse: failureResponse, error: nil,
          sender: nil)
      }
    }

    /// What the driver does next.
    package enum Action: Sendable {
      /// Ask the delegates, then report the answer.
      case ask(Question)

      /// Send the request again, with this value for `Authorization`.
      case retry(authorization: String)

      /// Deliver the 401 to the caller as it is.
      case deliver

      /// End the task with this error.
      case fail(URLError)

      /// Nothing was asked: the answer is one too many.
      case ignore
    }

    /// A credential that a server took, and what for.
    package struct Acceptance: Sendable {
      package let credential: URLCredential
      package let protectionSpace: URLProtectionSpace
      package let url: URL
    }

    /// After this many refusals the 401 is delivered: a delegate that never gives up must not hammer a server.
    package static let refusalLimit = 64

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
    /// The attempt that a server accepted last.
    private var taken: Attempt?
    private var refusedCredentials: [URLProtectionSpace: [URLCredential]] = [:]
    private var refusalCount = 0

    package init() {}

    /// A request is sent with a credential that was remembered from an earlier one.
    package mutating func willSend(_ entry: CredentialCache.Entry, to url: URL) {
      attempt = Attempt(
        space: entry.protectionSpace, credential: entry.credential, url: url,
        authorization: entry.authorization)
    }

    /// A redirect is followed: returns the value for `Authorization` that goes along, if one does.
    ///
    /// A credential that this task was given, and a server accepted, goes on to the same origin only.
    package mutating func willFollowRedirect(to url: URL) -> String? {
      // A redirect is an answer too: whatever was sent was not refused.
      if let attempt { taken = attempt }
      attempt = nil
      guard let last = taken, Origin(last.url) == Origin(url) else {
        taken = nil
        return nil
      }
      attempt = Attempt(
        space: last.space, credential: last.credential, url: url, authorization: last.authorization)
      return last.authorization
    }

    /// A 401 has arrived.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - url: Where the request went to; a name and password in it count as a known credential.
    ///   - lookup: Finds the credential known for a space. It is called here and in `answered`: a driver that
    ///     holds a lock meanwhile looks up all `offeredSpaces(by:url:)` beforehand.
    package mutating func refused(
      by response: HTTPURLResponse, url: URL,
      lookup: @escaping @Sendable (URLProtectionSpace) -> URLCredential?
    ) -> Action {
      let sent = attempt
      attempt = nil
      taken = nil
      pending = nil
      if let sent {
        refusalCount += 1
        refusedCredentials[sent.space, default: []].append(sent.credential)
      }
      guard refusalCount < Self.refusalLimit, let origin = Origin(url) else { return .deliver }
      pending = Pending(
        offers: Self.offers(in: response)[...], origin: origin, url: url, response: response,
        refused: sent.map { ($0.space, $0.credential) }, lookup: lookup)
      return askAboutFirstOffer()
    }

    /// The delegates, or default handling in their place, have answered the question asked last.
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
            .cancelled, sentence: "The request was given up when it was asked for a credential.",
            url: waiting.url))
      case .rejectProtectionSpace:
        pending?.offers.removeFirst()
        return askAboutFirstOffer()
      }
    }

    /// A response other than a 401 has arrived; returns the credential that brought it, if one did.
    package mutating func accepted() -> Acceptance? {
      defer {
        attempt = nil
        pending = nil
      }
      guard let attempt else { return nil }
      taken = attempt
      return Acceptance(
        credential: attempt.credential, protectionSpace: attempt.space, url: attempt.url)
    }

    /// The spaces that a 401 offers and that can be answered, in the order in which they are asked about.
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
        // Whoever rejected every space did not mean a stored password to be sent to one of them.
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

    /// The name and password that are part of the URL itself.
    private func credential(in url: URL) -> URLCredential? {
      guard let user = url.user(percentEncoded: false), !user.isEmpty else { return nil }
      return URLCredential(
        user: user, password: url.password(percentEncoded: false) ?? "", persistence: .none)
    }
  }
#endif
