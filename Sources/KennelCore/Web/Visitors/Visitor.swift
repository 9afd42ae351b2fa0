import HTTPService

/// Who asks.
struct Visitor: Sendable {
  /// Nil when nobody has signed in.
  var user: User?
  /// The session, when that is how they came.
  var token: SessionToken?
}

extension KennelSite {
  /// Who asks; a session that has ended is nobody's.
  ///
  /// - Throws: a problem when there are credentials and they are wrong.
  func visitor(_ call: Call) async throws -> Visitor {
    let client = Client(call.request, configuration: configuration)
    switch try Credentials(call.request, isSecure: client.isSecure) {
    case .none: return Visitor()
    case .session(let token): return Visitor(user: try await store.accounts.user(of: token), token: token)
    case .password(let name, let password):
      return Visitor(user: try await signIn(name, password: password, address: client.address))
    }
  }

  /// Whose name stands on a page that says what went wrong. No password is looked at for that, and what fails once more
  /// leaves the page without a name.
  func viewer(ofProblem request: HTTPRequest) async -> User? {
    let client = Client(request, configuration: configuration)
    guard let token = SessionCookie.token(in: request, isSecure: client.isSecure) else { return nil }
    return try? await store.accounts.user(of: token)
  }

  /// The user who asks.
  ///
  /// - Throws: a problem with status 401 when nobody has signed in.
  func user(_ call: Call) async throws -> User {
    guard let user = try await visitor(call).user else {
      throw Problem(.unauthorized, "Sign in first: that is for people who have an account here.")
    }
    return user
  }

  func signIn(_ name: String, password: String, address: String) async throws(KennelError) -> User {
    do {
      let user = try await store.accounts.signIn(name, password: password, address: address)
      metrics.count(.signInAccepted)
      return user
    } catch {
      metrics.count(.signInRefused)
      throw error
    }
  }
}
