import HTTPService
import KennelModel
import KennelStorage

/// Shows and changes the people of a kennel, for owners.
struct PeopleEndpoints: Sendable {
  let store: KennelStore
  let visitors: Visitors
  let address: KennelAddress
  let pages: AccountPages

  private var accounts: Accounts { store.accounts }

  func pages(for viewer: User, _ call: Call) -> AccountPages {
    pages.speaking(visitors.languages.language(for: call.request, viewer: viewer))
  }

  func show(_ call: Call) async throws -> HTTPResponse {
    let viewer = try await visitors.user(of: call)
    let users = try await accounts.users()
    let invitations = try await accounts.invitations()
    let quotas = try await store.quotas.usages()
    if AccountPage.isWanted(by: call.request) {
      let pages = pages(for: viewer, call)
      let usage = StorageUsage(
        photoBytes: try await store.counts().photoBytes, disk: try await store.space(), words: pages.words)
      return AccountPage.response(
        pages.people(
          viewer: viewer, users: users, invitations: invitations, usage: usage, quotas: quotas,
          entry: notice(call, pages)),
        in: pages.words.language)
    }
    return .json { json in
      json.object { json in
        json.array("people") { json in
          for user in users { json.person(user, quotas[user.id]) }
        }
        json.array("invitations") { json in
          for invitation in invitations {
            json.object { json in
              json.member("id", invitation.id)
              json.link(invitation)
            }
          }
        }
      }
    }
  }

  func showPerson(_ call: Call) async throws -> HTTPResponse {
    let user = try await user(call)
    guard AccountPage.isWanted(by: call.request) else {
      let usage = try await store.quotas.usage(of: user.id)
      return .json { json in json.person(user, usage) }
    }
    let viewer = try await visitors.user(of: call)
    return try await page(of: user, call, notice(call, pages(for: viewer, call)))
  }

  // MARK: Invitations

  func invite(_ call: Call) async throws -> HTTPResponse {
    let viewer = try await visitors.user(of: call)
    let form = try await SmallForm(call.request, example: #"{"role":"member","days":7}"#)
    let role = try role(form)
    let range = Accounts.invitationDays
    guard let days = Int(form["days"] ?? "\(Accounts.defaultInvitationDays)"), range.contains(days) else {
      throw Problem(
        .unprocessableContent,
        "The number of days must be from \(range.lowerBound) to \(range.upperBound).")
    }
    return try await answer(accounts.invite(role, days: days, creator: viewer.id), call, form, viewer: viewer)
  }

  func revokeInvitation(_ call: Call) async throws -> HTTPResponse {
    try await accounts.revokeInvitation(call.id)
    return end(call, at: "/people?done=revoked")
  }

  func resetPassword(_ call: Call) async throws -> HTTPResponse {
    let viewer = try await visitors.user(of: call)
    let link = try await accounts.makePasswordLink(for: call.id, creator: viewer.id)
    return try await answer(link, call, nil, viewer: viewer)
  }

  /// Answers with a new link, which is shown only now.
  private func answer(
    _ new: NewAccountLink, _ call: Call, _ form: SmallForm?, viewer: User
  ) async throws -> HTTPResponse {
    let link = try await address.base(for: call) + "/join/" + new.token.text
    if form?.isFromPage ?? AccountPage.isWanted(by: call.request) {
      let pages = pages(for: viewer, call)
      return AccountPage.response(
        pages.newLink(new, address: link, viewer: viewer), in: pages.words.language, status: .created)
    }
    return .json(status: .created) { json in
      json.object { json in
        json.member("id", new.link.id)
        json.link(new.link)
        json.member("link", link)
      }
    }
  }

  // MARK: One person

  func changeRole(_ call: Call) async throws -> HTTPResponse {
    let form = try await SmallForm(call.request, example: #"{"role":"member"}"#)
    let role = try role(form)
    let user = try await user(call)
    do throws(KennelError) {
      try await accounts.setRole(role, of: user.id)
    } catch {
      guard form.isFromPage, error.code == .notAllowed else { throw error }
      return try await refusal(Problem(error), user, call)
    }
    return end(call, at: "/people/\(user.id)?done=role")
  }

  func remove(_ call: Call) async throws -> HTTPResponse {
    let viewer = try await visitors.user(of: call)
    let form = try await SmallForm(call.request, example: #"{"content":"kept","sure":true}"#)
    let user = try await user(call)
    guard ["yes", "true"].contains(form["sure"]) else {
      throw Problem(.unprocessableContent, "Removing an account cannot be undone. Confirm it with “sure”.")
    }
    let keeps: Bool
    switch form["content"] {
    case "removed": keeps = false
    case "kept":
      guard user.id != viewer.id else { throw Self.nobodyToKeep }
      keeps = true
    case nil:
      // The form of a person without content has no choice. Something may have been shared meanwhile.
      let belongings = try await accounts.belongings(of: user.id)
      guard belongings.posts == 0, belongings.comments == 0 else {
        guard form.isFromPage else { throw Self.contentNotChosen }
        return try await refusal(Self.contentNotChosen, user, call)
      }
      keeps = false
    default: throw Self.contentNotChosen
    }
    do throws(KennelError) {
      _ = try await accounts.removeUser(
        user.id, contentPolicy: keeps ? .transferred(to: viewer.id) : .removed)
    } catch {
      guard form.isFromPage, error.code == .notAllowed else { throw error }
      return try await refusal(Problem(error), user, call)
    }
    return end(call, at: user.id == viewer.id ? "/" : "/people?done=removed")
  }

  private static let nobodyToKeep = Problem(
    .unprocessableContent,
    "Your own posts and comments cannot be kept, because you would keep them. Choose to delete them too, or ask another owner to remove the account."
  )
  private static let contentNotChosen = Problem(
    .unprocessableContent,
    "Choose what happens to the posts and comments: “content” must be kept or removed.")

  /// Shows the page of a person again, with what was wrong.
  private func refusal(_ problem: Problem, _ user: User, _ call: Call) async throws -> HTTPResponse {
    let viewer = try await visitors.user(of: call)
    let pages = pages(for: viewer, call)
    let sentence = pages.words.problems.sentence(problem.detail, problem.status.rawValue)
    return try await page(
      of: user, call, FormEntry(notice: sentence, isProblem: true), status: problem.status)
  }

  /// Returns the page of a person.
  func page(
    of user: User, _ call: Call, _ entry: FormEntry, status: HTTPStatus = .ok
  ) async throws -> HTTPResponse {
    let viewer = try await visitors.user(of: call)
    let pages = pages(for: viewer, call)
    let belongings = try await accounts.belongings(of: user.id)
    let quota = try await store.quotas.decision(for: user.id)
    return AccountPage.response(
      pages.person(user, belongings: belongings, quota: quota, viewer: viewer, entry: entry),
      in: pages.words.language, status: status)
  }

  func user(_ call: Call) async throws -> User {
    guard let user = try await accounts.user(call.id) else { throw KennelError.noSuchUser }
    return user
  }

  private func role(_ form: SmallForm) throws(Problem) -> User.Role {
    guard let role = User.Role(rawValue: form["role"] ?? "") else {
      throw Problem(.unprocessableContent, "The role must be owner, member or viewer.")
    }
    return role
  }

  /// Returns what the pages report after a form. The address names one of these.
  private func notice(_ call: Call, _ pages: AccountPages) -> FormEntry {
    switch call.request.query("done") {
    case "picture": FormEntry(notice: pages.words.people.pictureRemoved)
    case "quota": FormEntry(notice: pages.words.people.spaceChanged)
    case "role": FormEntry(notice: pages.words.people.roleChanged)
    case "removed": FormEntry(notice: pages.words.people.accountRemoved)
    case "revoked": FormEntry(notice: pages.words.people.invitationRevoked)
    default: FormEntry()
    }
  }

  func end(_ call: Call, at path: String) -> HTTPResponse {
    AccountPage.isWanted(by: call.request) ? AccountPage.redirect(to: path) : .noContent
  }
}

extension JSONText {
  fileprivate mutating func person(_ user: User, _ usage: QuotaUsage? = nil) {
    object { json in
      json.member("id", user.id)
      json.member("name", user.name)
      json.member("role", user.role.rawValue)
      json.member("created", user.created.iso8601)
      json.picture(of: user)
      if let usage { json.usage(usage) }
    }
  }

  /// Writes the bytes that the photos of a user take, and how many they may take: null without a limit.
  mutating func usage(_ usage: QuotaUsage) {
    member("usedBytes", usage.used)
    if case .bytes(let bytes) = usage.quota { member("quotaBytes", bytes) } else { null("quotaBytes") }
  }
}
