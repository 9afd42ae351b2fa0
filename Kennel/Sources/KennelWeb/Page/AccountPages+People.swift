import KennelModel

extension AccountPages {
  /// Renders the page with the people of a kennel, for owners.
  func people(
    viewer: User, users: [User], invitations: [AccountLink], usage: StorageUsage? = nil,
    quotas: [User.ID: QuotaUsage] = [:],
    entry: FormEntry = FormEntry()
  ) -> String {
    document(
      words.frame.people, viewer: viewer,
      """
      <div class="account">
      <h1>\(words.frame.people)</h1>
      \(entry.noticeHTML)
      <section class="card" aria-labelledby="people-title">
      <h2 id="people-title">\(all.personCount(users.count))</h2>
      <ul class="rows">\(users.map { row($0, quotas[$0.id], viewer: viewer) })</ul>
      </section>
      <section class="card" aria-labelledby="invite-title">
      <h2 id="invite-title">\(all.inviteSomebody)</h2>
      <p class="hint">\(all.inviteHint)</p>
      <form method="post" action="/people/invitations">
      \(roleChoices(selected: .member, prefix: "invite"))
      <label for="invite-days">\(all.validFor)</label>
      <select id="invite-days" name="days">\(Self.days.map(option))</select>
      <div class="choices"><button class="button primary" type="submit">\(all.makeLink)</button></div>
      </form>
      </section>
      \(open(invitations))
      \(usage?.html)
      </div>
      """)
  }

  private var all: PeopleWords { words.people }

  private static let days = [1, 7, 30]

  private func option(_ days: Int) -> HTML {
    let isDefault = days == Accounts.defaultInvitationDays
    return """
      <option value="\(days)"\(isDefault ? " selected" as HTML : nil)>\(all.dayCount(days))</option>
      """
  }

  private func row(_ user: User, _ usage: QuotaUsage?, viewer: User) -> HTML {
    """
    <li>\(Avatar(user).html)<p><b><bdi>\(user.name)</bdi></b>\
    \(user.id == viewer.id ? all.isViewer : "")<br><span class="hint">\
    \(all.since(user.role, PageDate(date: user.created, words: words.dates).day))\
    \(usage.map { all.photosTake($0.text(words)) } ?? "")</span></p>
    <a class="button" href="/people/\(user.id)">\(all.change)<span class="hidden-text">\(user.name)</span></a></li>
    """
  }

  private func open(_ invitations: [AccountLink]) -> HTML? {
    if invitations.isEmpty { return nil }
    return """
      <section class="card" aria-labelledby="open-title">
      <h2 id="open-title">\(all.openInvitations)</h2>
      <ul class="rows">\(invitations.map(row))</ul>
      </section>
      """
  }

  private func row(_ invitation: AccountLink) -> HTML {
    guard case .account(let role) = invitation.purpose else { return "" }
    let expiry = PageDate(date: invitation.expires, words: words.dates).day
    return """
      <li><p><b>\(words.joining.role(role))</b><br><span class="hint">\(all.until)\(expiry), \
      \(invitation.creator.map { all.madeBy("<bdi>\($0)</bdi>") } ?? "\(all.madeAtTerminal)")</span></p>
      <form method="post" action="/people/invitations/\(invitation.id)/revoke"><button class="button" type="submit">\
      \(all.revoke)<span class="hidden-text">\(all.revokedInvitation(role, expiry))</span></button></form></li>
      """
  }

  /// Radio buttons for the roles.
  private func roleChoices(selected: User.Role, prefix: String) -> HTML {
    let choices = [User.Role.viewer, .member, .owner].map { role -> HTML in
      """
      <label class="check"><input type="radio" name="role" value="\(role.rawValue)"\
      \(role == selected ? " checked" as HTML : nil)><span><b>\(words.joining.role(role))</b><br>\
      <span class="hint">\(all.abilities(role))</span></span></label>
      """
    }
    return "<fieldset><legend>\(all.roleTitle)</legend>\(choices)</fieldset>"
  }

  // MARK: One person

  /// Renders the page with which an owner changes the account of a person.
  ///
  /// - Parameters:
  ///   - belongings: what would be removed with the person.
  ///   - quota: how much the photos of the person may take.
  func person(
    _ user: User, belongings: Accounts.RemovedContent, quota: QuotaDecision, viewer: User,
    entry: FormEntry = FormEntry()
  ) -> String {
    let isViewer = user.id == viewer.id
    return document(
      user.name, viewer: viewer,
      """
      <div class="account">
      <p class="back"><a href="/people"><svg class="icon" aria-hidden="true"><use href="#left"/></svg>\(words.frame.people)</a></p>
      <h1><bdi>\(user.name)</bdi></h1>
      \(entry.noticeHTML)
      <section class="card" aria-labelledby="role-title">
      <h2 id="role-title">\(isViewer ? all.whatYouCan : all.whatPersonCan)</h2>
      <form method="post" action="/people/\(user.id)/role">
      \(roleChoices(selected: user.role, prefix: "person"))
      <div class="choices"><button class="button" type="submit">\(all.changeRole)</button></div>
      </form>
      </section>
      \(isViewer ? nil : pictureRemoval(user))
      \(quotaForm(user, quota, entry))
      \(isViewer ? nil : passwordReset(user))
      <section class="card" aria-labelledby="remove-title">
      <h2 id="remove-title">\(all.removeTitle)</h2>
      <form method="post" action="/people/\(user.id)/remove">
      \(removalChoices(belongings, isViewer: isViewer))
      <label class="check"><input type="checkbox" name="sure" value="yes" required><span>\
      \(all.confirmRemoval("<bdi>\(user.name)</bdi>"))</span></label>
      <div class="choices"><button class="button danger" type="submit">\(all.remove)</button></div>
      </form>
      </section>
      </div>
      """)
  }

  private func passwordReset(_ user: User) -> HTML {
    """
    <section class="card" aria-labelledby="reset-title">
    <h2 id="reset-title">\(all.forgottenPassword)</h2>
    <p class="hint">\(all.resetHint("<bdi>\(user.name)</bdi>"))</p>
    <form method="post" action="/people/\(user.id)/reset"><div class="choices">\
    <button class="button" type="submit">\(all.makeLink)</button></div></form>
    </section>
    """
  }

  private func removalChoices(_ belongings: Accounts.RemovedContent, isViewer: Bool) -> HTML? {
    if belongings.posts == 0, belongings.comments == 0 { return nil }
    let content = all.belongings(belongings.posts, belongings.comments)
    let keeping: HTML? =
      isViewer
      ? nil
      : """
      <label class="check"><input type="radio" name="content" value="kept" checked><span>\(all.keep(content))</span></label>
      """
    return """
      <fieldset><legend>\(all.photosAndComments)</legend>
      \(keeping)
      <label class="check"><input type="radio" name="content" value="removed"\(isViewer ? " checked" as HTML : nil)>\
      <span>\(all.removeToo(content))</span></label></fieldset>
      """
  }
}
