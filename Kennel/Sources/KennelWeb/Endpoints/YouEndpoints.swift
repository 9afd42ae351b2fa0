import HTTPService
import KennelModel
import KennelStorage

/// Shows and changes a user's own account.
struct YouEndpoints: Sendable {
  let quotas: Quotas
  let photos: PhotoDirectory
  let accounts: Accounts
  let sessions: SessionEndpoints
  let pages: AccountPages

  /// Returns what the page reports after a form. The address names one of these.
  private static func notice(_ name: String, _ words: YouWords) -> String? {
    switch name {
    case "name": words.nameChanged
    case "password": words.passwordChanged
    case "language": words.languageChanged
    case "picture": words.pictureChanged
    case "session": words.deviceSignedOut
    case "sessions": words.devicesSignedOut
    case "feed": words.feedOff
    default: nil
    }
  }

  func pages(for user: User, _ call: Call) -> AccountPages {
    pages.speaking(sessions.visitors.languages.language(for: call.request, viewer: user))
  }

  func show(_ call: Call) async throws -> HTTPResponse {
    let visitor = try await sessions.visitors.visitor(of: call)
    guard let user = visitor.user else { throw Problem.signInRequired }
    if AccountPage.isWanted(by: call.request) {
      let words = pages(for: user, call).words.you
      let entry = FormEntry(notice: call.request.query("done").flatMap { Self.notice($0, words) })
      return try await page(of: user, call, entry)
    }
    let list = try await accounts.sessions(of: user.id, current: visitor.token)
    let feed = try await accounts.feed(of: user.id)
    let usage = try await quotas.usage(of: user.id)
    return .json { json in
      json.object { json in
        json.user(user)
        if let language = user.language {
          json.member("language", language.rawValue)
        } else {
          json.null("language")
        }
        json.picture(of: user)
        json.usage(usage)
        json.array("sessions") { json in
          for session in list { json.session(session) }
        }
        if let feed {
          json.object("feed") { $0.member("created", feed.created.iso8601) }
        } else {
          json.null("feed")
        }
      }
    }
  }

  /// Returns the page of a user's account.
  func page(
    of user: User, _ call: Call, _ entry: FormEntry, status: HTTPStatus = .ok
  ) async throws -> HTTPResponse {
    let pages = pages(for: user, call)
    let visitor = try await sessions.visitors.visitor(of: call)
    let list = try await accounts.sessions(of: user.id, current: visitor.token)
    let feed = try await accounts.feed(of: user.id)
    let usage = try await quotas.usage(of: user.id)
    return AccountPage.response(
      pages.you(user, list, feed: feed, usage: usage, entry: entry), in: pages.words.language, status: status)
  }

  func rename(_ call: Call) async throws -> HTTPResponse {
    let user = try await sessions.visitors.user(of: call)
    return try await answer(call, example: #"{"name":"…"}"#, done: "name") { form in
      try await accounts.rename(user.id, to: try form.required("name"))
    }
  }

  /// Sets the language of the pages. An empty one leaves the choice to the browser.
  func setLanguage(_ call: Call) async throws -> HTTPResponse {
    let user = try await sessions.visitors.user(of: call)
    return try await answer(call, example: #"{"language":"de"}"#, done: "language") { form in
      let tag = try form.required("language")
      let language = Language(rawValue: tag)
      guard language != nil || tag.isEmpty else {
        let known = Language.allCases.map(\.rawValue).joined(separator: ", ")
        throw Problem(.unprocessableContent, "The language must be one of \(known), or empty.")
      }
      try await accounts.setLanguage(language, of: user.id)
    }
  }

  func changePassword(_ call: Call) async throws -> HTTPResponse {
    let visitor = try await sessions.visitors.visitor(of: call)
    guard let user = visitor.user else { throw Problem.signInRequired }
    let address = sessions.visitors.policy.client(of: call.request).address
    return try await answer(call, example: #"{"current":"…","password":"…"}"#, done: "password") { form in
      try PasswordsDiffer.check(form)
      do throws(KennelError) {
        try await accounts.changePassword(
          of: user, from: form["current"] ?? "", to: form["password"] ?? "", keeping: visitor.token,
          address: address)
      } catch {
        if form.isFromPage || error.code != .wrongCredentials { throw error }
        // With 401, browsers and programs would ask for other credentials.
        throw Problem(.forbidden, "This is not your present password.")
      }
    }
  }

  func endOtherSessions(_ call: Call) async throws -> HTTPResponse {
    let visitor = try await sessions.visitors.visitor(of: call)
    guard let user = visitor.user else { throw Problem.signInRequired }
    try await accounts.endSessions(of: user.id, except: visitor.token)
    return ending(call, at: "/you?done=sessions")
  }

  func endSession(_ call: Call) async throws -> HTTPResponse {
    let visitor = try await sessions.visitors.visitor(of: call)
    guard let user = visitor.user else { throw Problem.signInRequired }
    let list = try await accounts.sessions(of: user.id, current: visitor.token)
    let isCurrent = list.contains { $0.id == call.id && $0.isCurrent }
    try await accounts.endSession(call.id, of: user.id)
    let removal = isCurrent ? sessions.removal(call.request) : nil
    return ending(call, at: isCurrent ? "/" : "/you?done=session", cookie: removal)
  }

  private func ending(_ call: Call, at path: String, cookie: String? = nil) -> HTTPResponse {
    let isPage = AccountPage.isWanted(by: call.request)
    var response = isPage ? AccountPage.redirect(to: path) : HTTPResponse.noContent
    if let cookie {
      response.fields["Set-Cookie"] = cookie
      response.fields["Clear-Site-Data"] = SessionEndpoints.clearedData
    }
    return response
  }

  /// Reads a form and makes its change. A form that failed is shown again.
  private func answer(
    _ call: Call, example: String, done: String, change: (SmallForm) async throws -> Void
  ) async throws -> HTTPResponse {
    let form = try await SmallForm(call.request, example: example)
    do {
      try await change(form)
    } catch  where form.isFromPage {
      let user = try await sessions.visitors.user(of: call)
      guard let entry = FormEntry(error, form, pages(for: user, call).words) else { throw error }
      // The present password was wrong, but the user is still signed in.
      let status = Problem.status(of: error)
      var response = try await page(
        of: user, call, entry, status: status == .unauthorized ? .unprocessableContent : status)
      response.fields["Retry-After"] = Problem(error).fields["Retry-After"]
      return response
    }
    return form.isFromPage ? AccountPage.redirect(to: "/you?done=\(done)") : .noContent
  }
}

extension JSONText {
  fileprivate mutating func session(_ session: Accounts.SessionDescription) {
    object { json in
      json.member("id", session.id)
      json.member("device", session.client.device)
      json.member("address", session.client.address)
      json.member("created", session.created.iso8601)
      json.member("used", session.used.iso8601)
      json.member("isCurrent", session.isCurrent)
    }
  }
}
