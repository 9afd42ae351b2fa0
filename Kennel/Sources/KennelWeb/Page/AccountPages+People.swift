import KennelModel

extension AccountPages {
  /// Renders the page with the people of a kennel, for owners.
  func people(
    viewer: User, users: [User], invitations: [AccountLink], usage: StorageUsage? = nil,
    quotas: [User.ID: QuotaUsage] = [:],
    entry: FormEntry = FormEntry()
  ) -> String {
    document(
      "People", viewer: viewer,
      """
      <div class="account">
      <h1>People</h1>
      \(entry.noticeHTML)
      <section class="card" aria-labelledby="people-title">
      <h2 id="people-title">\(users.count == 1 ? "1 person" : "\(users.count) people")</h2>
      <ul class="rows">\(users.map { row($0, quotas[$0.id], viewer: viewer) })</ul>
      </section>
      <section class="card" aria-labelledby="invite-title">
      <h2 id="invite-title">Invite somebody</h2>
      <p class="hint">You get a link to send. With it, one person creates an account.</p>
      <form method="post" action="/people/invitations">
      \(roleChoices(selected: .member, prefix: "invite"))
      <label for="invite-days">The link is valid for</label>
      <select id="invite-days" name="days">\(Self.days.map(option))</select>
      <div class="choices"><button class="button primary" type="submit">Make a link</button></div>
      </form>
      </section>
      \(open(invitations))
      \(usage?.html)
      </div>
      """)
  }

  private static let days = [1, 7, 30]

  private func option(_ days: Int) -> HTML {
    let isDefault = days == Accounts.defaultInvitationDays
    return """
      <option value="\(days)"\(isDefault ? " selected" as HTML : nil)>\(days == 1 ? "1 day" : "\(days) days")</option>
      """
  }

  private func row(_ user: User, _ usage: QuotaUsage?, viewer: User) -> HTML {
    """
    <li>\(AvatarInitial(name: user.name).html)<p><b><bdi>\(user.name)</bdi></b>\
    \(user.id == viewer.id ? " (you)" as HTML : nil)<br><span class="hint">\(user.role.word), since \
    \(PageDate(date: user.created).words)\(usage.map { ". Photos: \($0.words)" })</span></p>
    <a class="button" href="/people/\(user.id)">Change<span class="hidden-text">\(user.name)</span></a></li>
    """
  }

  private func open(_ invitations: [AccountLink]) -> HTML? {
    if invitations.isEmpty { return nil }
    return """
      <section class="card" aria-labelledby="open-title">
      <h2 id="open-title">Open invitations</h2>
      <ul class="rows">\(invitations.map(row))</ul>
      </section>
      """
  }

  private func row(_ invitation: AccountLink) -> HTML {
    let role = if case .account(let role) = invitation.purpose { role.word } else { "" }
    let expiry = PageDate(date: invitation.expires).words
    return """
      <li><p><b>\(role)</b><br><span class="hint">Until \(expiry), \
      \(invitation.creator.map { "made by <bdi>\($0)</bdi>" } ?? "made at the terminal" as HTML)</span></p>
      <form method="post" action="/people/invitations/\(invitation.id)/revoke"><button class="button" type="submit">\
      Revoke<span class="hidden-text">the invitation as \(role.lowercased()) until \(expiry)</span></button></form></li>
      """
  }

  /// Radio buttons for the roles.
  private func roleChoices(selected: User.Role, prefix: String) -> HTML {
    let choices = [User.Role.viewer, .member, .owner].map { role -> HTML in
      """
      <label class="check"><input type="radio" name="role" value="\(role.rawValue)"\
      \(role == selected ? " checked" as HTML : nil)><span><b>\(role.word)</b><br>\
      <span class="hint">Can \(role.abilities)</span></span></label>
      """
    }
    return "<fieldset><legend>Role</legend>\(choices)</fieldset>"
  }

  // MARK: One person

  /// Renders the page with which an owner changes the account of a person.
  ///
  /// - Parameter belongings: what would be removed with the person.
  func person(
    _ user: User, belongings: Accounts.RemovedContent, viewer: User, entry: FormEntry = FormEntry()
  ) -> String {
    let isViewer = user.id == viewer.id
    return document(
      user.name, viewer: viewer,
      """
      <div class="account">
      <p class="back"><a href="/people"><svg class="icon" aria-hidden="true"><use href="#left"/></svg>People</a></p>
      <h1><bdi>\(user.name)</bdi></h1>
      \(entry.noticeHTML)
      <section class="card" aria-labelledby="role-title">
      <h2 id="role-title">What \(isViewer ? "you" : "this person") can do</h2>
      <form method="post" action="/people/\(user.id)/role">
      \(roleChoices(selected: user.role, prefix: "person"))
      <div class="choices"><button class="button" type="submit">Change the role</button></div>
      </form>
      </section>
      \(isViewer ? nil : passwordReset(user))
      <section class="card" aria-labelledby="remove-title">
      <h2 id="remove-title">Remove the account</h2>
      <form method="post" action="/people/\(user.id)/remove">
      \(removalChoices(belongings, isViewer: isViewer))
      <label class="check"><input type="checkbox" name="sure" value="yes" required><span>Remove the account of \
      <bdi>\(user.name)</bdi>. This cannot be undone.</span></label>
      <div class="choices"><button class="button danger" type="submit">Remove</button></div>
      </form>
      </section>
      </div>
      """)
  }

  private func passwordReset(_ user: User) -> HTML {
    """
    <section class="card" aria-labelledby="reset-title">
    <h2 id="reset-title">Forgotten password</h2>
    <p class="hint">You get a link to send. With it, <bdi>\(user.name)</bdi> sets a new password, and all devices with the \
    old one are signed out.</p>
    <form method="post" action="/people/\(user.id)/reset"><div class="choices">\
    <button class="button" type="submit">Make a link</button></div></form>
    </section>
    """
  }

  private func removalChoices(_ belongings: Accounts.RemovedContent, isViewer: Bool) -> HTML? {
    if belongings.posts == 0, belongings.comments == 0 { return nil }
    func counted(_ count: Int, _ noun: String) -> String? {
      count == 0 ? nil : count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }
    let content = [counted(belongings.posts, "photo"), counted(belongings.comments, "comment")]
      .compactMap { $0 }.joined(separator: " and ")
    let keeping: HTML? =
      isViewer
      ? nil
      : """
      <label class="check"><input type="radio" name="content" value="kept" checked><span>Keep the \(content), under your name</span></label>
      """
    return """
      <fieldset><legend>Photos and comments</legend>
      \(keeping)
      <label class="check"><input type="radio" name="content" value="removed"\(isViewer ? " checked" as HTML : nil)>\
      <span>Remove the \(content), too</span></label></fieldset>
      """
  }
}
