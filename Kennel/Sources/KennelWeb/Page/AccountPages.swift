import KennelModel
import QRCodes

/// Renders the pages about accounts: joining, one's own account, and the people of a kennel. They work without scripts.
struct AccountPages: Sendable {
  /// The name of the kennel.
  let site: String
  /// The texts.
  private(set) var words: Words

  init(site: String, language: Language = .english) {
    self.site = site
    words = .of(language)
  }

  /// Returns the same pages in another language.
  func speaking(_ language: Language) -> AccountPages { AccountPages(site: site, language: language) }

  private var joining: JoinWords { words.joining }

  func document(_ title: String, viewer: User?, _ body: HTML) -> String {
    PageFrame(
      title: "\(title) · \(site)", site: site, viewer: viewer, place: viewer == nil ? .signIn : .account,
      lastEvent: nil, words: words
    ).document(body)
  }

  // MARK: Joining

  /// Renders the page of a link: a form that creates an account, or sets a password.
  func join(_ link: AccountLink, entry: FormEntry = FormEntry()) -> String {
    let title: String
    let reason: HTML
    let action: String
    switch link.purpose {
    case .firstOwner:
      title = joining.welcomeOwner
      reason = "\(joining.firstOwner)"
      action = joining.createAccount
    case .account(let role):
      title = joining.joinSite(site)
      let inviter = link.creator.map { joining.invitedBy("<bdi>\($0)</bdi>") } ?? "\(joining.invited)"
      reason = "\(inviter) \(joining.invitation(role))"
      action = joining.join
    case .password(_, let name):
      title = joining.newPassword
      reason = joining.passwordFor("<bdi>\(name)</bdi>")
      action = joining.setPassword
    }
    let body: HTML = """
      <div class="sheet enter">
      <form method="post">
      <svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
      <h1>\(title)</h1>
      <p class="why">\(reason)</p>
      \(entry.noticeHTML)
      \(joinFields(link, entry))
      \(FormField.passwordSwitch(joining))
      <div class="choices"><button class="button primary" type="submit">\(action)</button></div>
      </form>
      </div>
      """
    return document(title, viewer: nil, body)
  }

  private func joinFields(_ link: AccountLink, _ entry: FormEntry) -> [HTML] {
    let password = FormField(
      kind: .newPassword, name: "password", label: words.frame.password, prefix: "join", entry: entry,
      hint: joining.passwordHint(Accounts.minimumPasswordCharacterCount))
    let again = FormField(
      kind: .newPassword, name: "again", label: joining.repeatPassword, prefix: "join", entry: entry)
    if case .password(_, let user) = link.purpose {
      // A password manager stores the password under this name.
      let name = FormField(
        kind: .name, name: "name", label: words.frame.name, prefix: "join", entry: entry, isReadOnly: true,
        value: user)
      return [name.html, password.html, again.html]
    }
    let name = FormField(
      kind: .name, name: "name", label: joining.yourName, prefix: "join", entry: entry,
      hint: joining.nameHint)
    return [name.html, password.html] + (link.purpose == .firstOwner ? [again.html] : [])
  }

  /// Renders the page of a link that does not work any more.
  func endedLink(_ explanation: String, viewer: User?) -> String {
    document(
      joining.linkDoesNotWork, viewer: viewer,
      """
      <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
      <h1>\(joining.linkDoesNotWork)</h1><p>\(explanation)</p>
      <a class="button" href="/">\(words.frame.seePhotos)</a></div>
      """)
  }

  /// Renders the page after joining, which says what to do next.
  func welcome(_ user: User) -> String {
    let steps: [HTML?] =
      [
        user.role == .owner ? joining.inviteOthers : nil,
        user.role.maySharePhotos ? joining.sharePhotos : nil,
        joining.homeScreen,
        joining.otherDevice("<b><bdi>\(user.name)</bdi></b>"),
      ]
    return document(
      joining.welcome, viewer: user,
      """
      <div class="account">
      <h1>\(joining.welcomeNamed("<bdi>\(user.name)</bdi>"))</h1>
      <section class="card">
      <h2>\(joining.nextSteps)</h2>
      <ul class="steps">\(steps.compactMap { $0 }.map { "<li>\($0)</li>" as HTML })</ul>
      <div class="choices"><a class="button primary" href="/">\(words.frame.seePhotos)</a></div>
      </section>
      </div>
      """)
  }

  // MARK: Links

  /// Renders the page that shows a new link, once.
  ///
  /// - Parameter address: the complete address.
  func newLink(_ new: NewAccountLink, address: String, viewer: User) -> String {
    let title: String
    let explanation: HTML
    if case .password(_, let name) = new.link.purpose {
      title = joining.newPasswordLink
      explanation = joining.sendPasswordLink("<bdi>\(name)</bdi>")
    } else {
      title = joining.newInvitation
      explanation = "\(joining.sendInvitation)"
    }
    return document(
      title, viewer: viewer,
      """
      <div class="account">
      <p class="back"><a href="/people"><svg class="icon" aria-hidden="true"><use href="#left"/></svg>\(words.frame.people)</a></p>
      <h1>\(title)</h1>
      <section class="card">
      <p>\(explanation) \(joining.worksOnce(PageDate(date: new.link.expires, words: words.dates).day))</p>
      <label for="account-link">\(joining.link)</label>
      <input id="account-link" readonly value="\(address)">
      <div class="choices scripted"><button class="button" type="button" data-share-link="account-link" hidden>\(joining.sendLink)</button>\
      <button class="button primary" type="button" data-copy="account-link">\(joining.copyLink)</button></div>
      \(QRCode(address).map(picture))
      </section>
      </div>
      """)
  }

  /// A QR code as a picture, dark on light in both colour schemes.
  private func picture(_ code: QRCode) -> HTML {
    let edge = QRCode.quietZone
    let side = code.size + 2 * edge
    return """
      <svg class="code" viewBox="-\(edge) -\(edge) \(side) \(side)" role="img" aria-label="\(joining.linkCode)">\
      <path d="\(code.pathData)"/></svg>
      """
  }
}
