import HTTPService
import KennelModel
import KennelStorage

/// Creates accounts and sets passwords with links that work once.
struct JoinEndpoints: Sendable {
  let accounts: Accounts
  let sessions: SessionEndpoints
  let pages: AccountPages

  /// Shows the form of a link.
  func show(_ call: Call) async throws -> HTTPResponse {
    let isPage = AccountPage.isWanted(by: call.request)
    let link: AccountLink
    do throws(KennelError) {
      link = try await accounts.link(of: SecretToken<AccountLink>(call.secret), address: address(call))
    } catch {
      guard isPage, error.code == .noSuchLink else { throw error }
      return await ended(error, call)
    }
    if isPage {
      let language = language(call)
      return AccountPage.response(pages.speaking(language).join(link), in: language)
    }
    return .json { json in json.object { $0.link(link) } }
  }

  /// Creates the account, or sets the password, and signs in.
  func join(_ call: Call) async throws -> HTTPResponse {
    let form = try await SmallForm(call.request, example: #"{"name":"…","password":"…"}"#)
    let token = SecretToken<AccountLink>(call.secret)
    do {
      try PasswordsDiffer.check(form)
      let (proof, purpose) = try await accounts.use(
        token, name: form["name"] ?? "", password: try form.required("password"), address: address(call))
      let cookie = try await sessions.start(proof, call.request)
      if form.isFromPage {
        if case .password = purpose { return AccountPage.redirect(to: "/you?done=password", cookie: cookie) }
        return AccountPage.redirect(to: "/welcome", cookie: cookie)
      }
      return .json(status: .created, fields: ["Set-Cookie": cookie]) { json in
        json.object { $0.user(proof.user) }
      }
    } catch  where form.isFromPage {
      if let error = error as? KennelError, error.code == .noSuchLink { return await ended(error, call) }
      let pages = pages.speaking(language(call))
      guard let entry = FormEntry(error, form, pages.words) else { throw error }
      let link = try await accounts.link(of: token, address: address(call))
      return AccountPage.response(
        pages.join(link, entry: entry), in: pages.words.language, status: Problem.status(of: error))
    }
  }

  /// Shows what to do next, after an account was created.
  func welcome(_ call: Call) async throws -> HTTPResponse {
    let user = try await sessions.visitors.user(of: call)
    let language = sessions.visitors.languages.language(for: call.request, viewer: user)
    return AccountPage.response(pages.speaking(language).welcome(user), in: language)
  }

  private func ended(_ error: KennelError, _ call: Call) async -> HTTPResponse {
    let viewer = await sessions.visitors.viewer(ofProblem: call.request)
    let language = sessions.visitors.languages.language(for: call.request, viewer: viewer)
    let pages = pages.speaking(language)
    let sentence = pages.words.problems.sentence(error.description, HTTPStatus.notFound.rawValue)
    return AccountPage.response(pages.endedLink(sentence, viewer: viewer), in: language, status: .notFound)
  }

  /// The language of somebody who has no account yet.
  private func language(_ call: Call) -> Language {
    sessions.visitors.languages.language(for: call.request, viewer: nil)
  }

  private func address(_ call: Call) -> String { sessions.visitors.policy.client(of: call.request).address }
}

extension Problem {
  /// Returns the status of a form that failed.
  static func status(of error: any Error) -> HTTPStatus {
    error is PasswordsDiffer ? .unprocessableContent : Problem(error).status
  }
}

extension JSONText {
  /// Writes what a link is for, without its token.
  mutating func link(_ link: AccountLink) {
    switch link.purpose {
    case .firstOwner:
      member("purpose", "first-owner")
      member("role", User.Role.owner.rawValue)
    case .account(let role):
      member("purpose", "invitation")
      member("role", role.rawValue)
    case .password(_, let name):
      member("purpose", "password")
      member("name", name)
    }
    if let creator = link.creator { member("creator", creator) } else { null("creator") }
    member("created", link.created.iso8601)
    member("expires", link.expires.iso8601)
  }
}
