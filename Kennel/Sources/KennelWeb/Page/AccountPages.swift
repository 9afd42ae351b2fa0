import KennelModel
import QRCodes

/// Renders the pages about accounts: joining, one's own account, and the people of a kennel. They work without scripts.
struct AccountPages: Sendable {
  /// The name of the kennel.
  let site: String

  func document(_ title: String, viewer: User?, _ body: HTML) -> String {
    PageFrame(
      title: "\(title) · \(site)", site: site, viewer: viewer, place: viewer == nil ? .signIn : .account,
      lastEvent: nil
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
      title = "Welcome to your kennel"
      reason =
        "You are the first one here. Create the owner’s account: with it, you share photos and invite others."
      action = "Create the account"
    case .account(let role):
      title = "Join \(site)"
      let inviter: HTML = link.creator.map { "<bdi>\($0)</bdi> invites you" } ?? "You are invited"
      reason = "\(inviter) \(role.invitation)"
      action = "Join"
    case .password(_, let name):
      title = "Set a new password"
      reason =
        "It is for the account of <bdi>\(name)</bdi>. All other devices with this account are signed out."
      action = "Set the password"
    }
    let body: HTML = """
      <div class="sheet enter">
      <form method="post">
      <svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
      <h1>\(title)</h1>
      <p class="why">\(reason)</p>
      \(entry.noticeHTML)
      \(joinFields(link, entry))
      \(FormField.passwordSwitch)
      <div class="choices"><button class="button primary" type="submit">\(action)</button></div>
      </form>
      </div>
      """
    return document(title, viewer: nil, body)
  }

  private func joinFields(_ link: AccountLink, _ entry: FormEntry) -> [HTML] {
    let password = FormField(
      kind: .newPassword, name: "password", label: "Password", prefix: "join", entry: entry,
      hint: "At least \(Accounts.minimumPasswordCharacterCount) characters.")
    let again = FormField(
      kind: .newPassword, name: "again", label: "Repeat the password", prefix: "join", entry: entry)
    if case .password(_, let user) = link.purpose {
      // A password manager stores the password under this name.
      let name = FormField(
        kind: .name, name: "name", label: "Name", prefix: "join", entry: entry, isReadOnly: true, value: user)
      return [name.html, password.html, again.html]
    }
    let name = FormField(
      kind: .name, name: "name", label: "Your name", prefix: "join", entry: entry,
      hint: "Others see it, and you sign in with it.")
    return [name.html, password.html] + (link.purpose == .firstOwner ? [again.html] : [])
  }

  /// Renders the page of a link that does not work any more.
  func endedLink(_ explanation: String, viewer: User?) -> String {
    document(
      "This link does not work", viewer: viewer,
      """
      <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
      <h1>This link does not work</h1><p>\(explanation)</p>
      <a class="button" href="/">See the photos</a></div>
      """)
  }

  /// Renders the page after joining, which says what to do next.
  func welcome(_ user: User) -> String {
    let steps: [HTML?] =
      [
        user.role == .owner
          ? "<li>Invite others: on the page <a href=\"/people\">People</a>, make a link for each of them.</li>"
          : nil,
        user.role.maySharePhotos
          ? "<li>Share your photos: choose <b>Share</b> at the top of the page with the photos.</li>" : nil,
        "<li>On a phone or tablet, open the menu of the browser and choose <b>Add to Home Screen</b>.</li>",
        "<li>On another device, sign in as <b><bdi>\(user.name)</bdi></b> with your password. You can change both on the page <a href=\"/you\">You</a>.</li>",
      ]
    return document(
      "Welcome", viewer: user,
      """
      <div class="account">
      <h1>Welcome, <bdi>\(user.name)</bdi></h1>
      <section class="card">
      <h2>What to do next</h2>
      <ul class="steps">\(steps.compactMap { $0 })</ul>
      <div class="choices"><a class="button primary" href="/">See the photos</a></div>
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
      title = "A link for a new password"
      explanation = "Send this link to <bdi>\(name)</bdi>. With it, a new password can be set."
    } else {
      title = "A new invitation"
      explanation = "Send this link to the person whom you invite, or let a phone scan the code."
    }
    return document(
      title, viewer: viewer,
      """
      <div class="account">
      <p class="back"><a href="/people"><svg class="icon" aria-hidden="true"><use href="#left"/></svg>People</a></p>
      <h1>\(title)</h1>
      <section class="card">
      <p>\(explanation) It works once, until \(PageDate(date: new.link.expires).words). It is shown only now.</p>
      <label for="account-link">Link</label>
      <input id="account-link" readonly value="\(address)">
      <div class="choices scripted"><button class="button" type="button" data-share-link="account-link" hidden>Send…</button>\
      <button class="button primary" type="button" data-copy="account-link">Copy the link</button></div>
      \(QRCode(address).map(Self.picture))
      </section>
      </div>
      """)
  }

  /// A QR code as a picture, dark on light in both colour schemes.
  private static func picture(_ code: QRCode) -> HTML {
    let edge = QRCode.quietZone
    let side = code.size + 2 * edge
    return """
      <svg class="code" viewBox="-\(edge) -\(edge) \(side) \(side)" role="img" aria-label="QR code of the link">\
      <path d="\(code.pathData)"/></svg>
      """
  }
}

extension User.Role {
  /// The role as a word for people.
  var word: String {
    switch self {
    case .owner: "Owner"
    case .member: "Member"
    case .viewer: "Viewer"
    }
  }

  /// What users with this role can do, after “can”.
  var abilities: String {
    switch self {
    case .owner: "do everything, and invite and remove people."
    case .member: "look, give hearts, comment and share photos."
    case .viewer: "look, give hearts and comment."
    }
  }

  /// The end of a sentence about an invitation.
  fileprivate var invitation: String {
    switch self {
    case .owner: "to this kennel, as an owner: you can share photos and change everything."
    case .member: "to see the photos here, and to share your own."
    case .viewer: "to see the photos here, to give hearts and to comment."
    }
  }
}
