import HTTPService
import KennelModel
import KennelStorage

/// Signs users in and out.
struct SessionEndpoints: Sendable {
  let accounts: Accounts
  let visitors: Visitors
  let clock: KennelClock

  func show(_ call: Call) async throws -> HTTPResponse {
    let user = try await visitors.visitor(of: call).user
    return .taggedJSON(for: call.request) { json in
      json.object { json in
        if let user { json.user(user) } else { json.null("user") }
      }
    }
  }

  func begin(_ call: Call) async throws -> HTTPResponse {
    let client = visitors.policy.client(of: call.request)
    let form = try await SignInForm(call.request)
    let proof = try await visitors.signIn(form.name, password: form.password, address: client.address)
    let cookie = try await start(proof, call.request)
    // The form was sent by a page without scripts, so the browser shows the response.
    if form.isFromPage {
      return HTTPResponse(
        status: .seeOther,
        fields: [
          "Location": ReturnAddress(call.request).text, "Set-Cookie": cookie, "Cache-Control": "no-store",
        ])
    }
    return .json(status: .created, fields: ["Set-Cookie": cookie]) { json in
      json.object { $0.user(proof.user) }
    }
  }

  /// Starts a session for a user who has signed in, and returns the cookie to set.
  func start(_ proof: SignInProof, _ request: HTTPRequest) async throws(KennelError) -> String {
    let client = visitors.policy.client(of: request)
    let session = try await accounts.beginSession(
      with: proof,
      client: .init(device: DeviceName(request.fields["User-Agent"] ?? "").text, address: client.address))
    return SessionCookie.setting(session, now: clock.now(), isSecure: client.isSecure)
  }

  /// What a browser deletes when a person signs out, so that no thumbnails stay on a shared computer. The page deletes what it has
  /// stored itself: with `storage`, browsers would also end the service worker, and keep the response waiting for that.
  static let clearedData = "\"cache\""

  /// Returns the cookie that removes the cookie of a session.
  func removal(_ request: HTTPRequest) -> String {
    SessionCookie.removing(isSecure: visitors.policy.client(of: request).isSecure)
  }

  func end(_ call: Call) async throws -> HTTPResponse {
    let client = visitors.policy.client(of: call.request)
    if let token = SessionCookie.token(in: call.request, isSecure: client.isSecure) {
      try await accounts.endSession(token)
    }
    var response = HTTPResponse.noContent
    response.fields["Set-Cookie"] = removal(call.request)
    response.fields["Clear-Site-Data"] = Self.clearedData
    return response
  }
}

extension JSONText {
  mutating func user(_ user: User) {
    object("user") { json in
      json.member("id", user.id)
      json.member("name", user.name)
      json.member("role", user.role.rawValue)
    }
  }
}
