import HTTPService
import KennelModel
import KennelStorage

/// Recognizes the visitors of a site: by the cookie of a session, by a name and a password, or by what a trusted proxy reports.
struct Visitors: Sendable {
  let accounts: Accounts
  let policy: RequestPolicy
  let metrics: Metrics
  /// Whether `Authorization` fields belong to a proxy in front of the server.
  let ignoresAuthorization: Bool
  let languages: LanguageChoice

  /// Returns the visitor of a request. An ended session has no user.
  ///
  /// - Throws: a problem if there are credentials and they are wrong.
  func visitor(of call: Call) async throws -> SiteVisitor {
    if let visitor = call.visitor { return visitor }
    let client = policy.client(of: call.request)
    if let user = try await userOfProxy(call.request) { return SiteVisitor(user: user) }
    switch try Credentials(
      call.request, isSecure: client.isSecure, ignoresAuthorization: ignoresAuthorization)
    {
    case .none: return SiteVisitor()
    case .peer(let token):
      guard try await accounts.peer(token) != nil else { throw Problem.unknownPeer }
      return SiteVisitor(peer: token)
    case .session(let token):
      return SiteVisitor(user: try await accounts.user(of: token, address: client.address), token: token)
    case .password(let name, let password):
      let proof = try await signIn(name, password: password, address: client.address)
      return SiteVisitor(user: proof.user, proof: proof)
    }
  }

  /// Returns the user whose name an error page shows. Passwords are not verified for this, and the page has no name if
  /// the lookup fails.
  func viewer(ofProblem request: HTTPRequest) async -> User? {
    if let user = try? await userOfProxy(request) { return user }
    let client = policy.client(of: request)
    guard let token = SessionCookie.token(in: request, isSecure: client.isSecure) else { return nil }
    return try? await accounts.user(of: token)
  }

  /// Returns the user whom a trusted proxy has signed in. A name without an account is ignored: its visitor can still sign in
  /// with a password.
  private func userOfProxy(_ request: HTTPRequest) async throws -> User? {
    guard let name = try policy.proxies.userName(in: request) else { return nil }
    return try await accounts.user(named: name)
  }

  /// Returns the user who sent a request.
  ///
  /// - Throws: a problem with status 401 if nobody has signed in.
  func user(of call: Call) async throws -> User {
    guard let user = try await visitor(of: call).user else {
      throw Problem.signInRequired
    }
    return user
  }

  /// Verifies a name and a password, and counts the attempt.
  func signIn(_ name: String, password: String, address: String) async throws(KennelError) -> SignInProof {
    do {
      let proof = try await accounts.signIn(name, password: password, address: address)
      metrics.count(.signInAccepted)
      return proof
    } catch {
      metrics.count(.signInRefused)
      throw error
    }
  }
}
