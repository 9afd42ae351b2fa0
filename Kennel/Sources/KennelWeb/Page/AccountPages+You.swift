import KennelModel

extension AccountPages {
  /// Renders the page of a user's own account.
  func you(
    _ user: User, _ sessions: [Accounts.SessionDescription], feed: Feed?, usage: QuotaUsage? = nil,
    entry: FormEntry = FormEntry()
  ) -> String {
    document(
      "You", viewer: user,
      """
      <div class="account">
      <h1>You</h1>
      \(entry.noticeHTML)
      <section class="card" aria-labelledby="name-title">
      <h2 id="name-title">Name</h2>
      <p class="hint">You are \(user.role.article) \(user.role.word.lowercased()). You can \(user.role.abilities)</p>
      <form method="post" action="/you/name">
      \(FormField(kind: .name, name: "name", label: "Your name", prefix: "you", entry: entry, hint: "Others see it, and you sign in with it.", value: user.name).html)
      <div class="choices"><button class="button" type="submit">Change the name</button></div>
      </form>
      </section>
      <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">Password</h2>
      <form method="post" action="/you/password">
      \(FormField(kind: .presentPassword, name: "current", label: "Present password", prefix: "you", entry: entry).html)
      \(FormField(kind: .newPassword, name: "password", label: "New password", prefix: "you", entry: entry, hint: "At least \(Accounts.minimumPasswordCharacterCount) characters. All other devices are signed out, and your feed address stops working.").html)
      \(FormField(kind: .newPassword, name: "again", label: "Repeat the new password", prefix: "you", entry: entry).html)
      \(FormField.passwordSwitch)
      <div class="choices"><button class="button" type="submit">Change the password</button></div>
      </form>
      </section>
      <section class="card" aria-labelledby="feed-title">
      <h2 id="feed-title">Feed</h2>
      \(feedForms(feed))
      </section>
      \(usage.map(space))
      <section class="card" aria-labelledby="devices-title">
      <h2 id="devices-title">Devices</h2>
      \(sessions.isEmpty ? "<p class=\"hint\">No device has a session.</p>" as HTML : nil)
      <ul class="rows">\(sessions.map(row))</ul>
      \(otherSessions(sessions))
      </section>
      </div>
      """)
  }

  /// What the user's photos take, and what they may take.
  private func space(_ usage: QuotaUsage) -> HTML {
    """
    <section class="card" aria-labelledby="space-title">
    <h2 id="space-title">Space</h2>
    <p>Your photos take \(usage.words). Photos in the bin count until they are deleted forever.</p>
    </section>
    """
  }

  private func feedForms(_ feed: Feed?) -> HTML {
    let explanation: HTML = """
      <p class="hint">With a feed reader app, you see new photos without visiting this page. Your feed has a secret address: \
      anyone who has it can see the latest \(Posts.feedLength) photos, their captions and the names of their authors.</p>
      """
    guard let feed else {
      return """
        \(explanation)
        <form method="post" action="/you/feed"><div class="choices"><button class="button" type="submit">Make an address\
        </button></div></form>
        """
    }
    return """
      \(explanation)
      <p>You made your feed address \(PageDate(date: feed.created).html). For safety, it cannot be shown again. If you make a \
      new one, the old one stops working.</p>
      <form method="post" action="/you/feed"><div class="choices"><button class="quiet button" type="submit" \
      formaction="/you/feed/end">Turn off the feed</button><button class="button" type="submit">Make a new address</button></div>\
      </form>
      """
  }

  /// Renders the page that shows the new address of a feed, once.
  func newFeed(address: String, viewer: User) -> String {
    document(
      "The address of your feed", viewer: viewer,
      """
      <div class="account">
      <p class="back"><a href="/you"><svg class="icon" aria-hidden="true"><use href="#left"/></svg>You</a></p>
      <h1>The address of your feed</h1>
      <section class="card">
      <p>Copy this address into your feed reader now. It is not shown again. Do not give it to anyone who should not see the \
      latest photos. Your earlier address, if you had one, no longer works.</p>
      <label for="feed-address">Address</label>
      <input id="feed-address" readonly value="\(address)">
      <div class="choices scripted"><button class="button primary" type="button" data-copy="feed-address">Copy the address</button></div>
      </section>
      </div>
      """)
  }

  private func row(_ session: Accounts.SessionDescription) -> HTML {
    let device = session.client.device.isEmpty ? "A browser" : session.client.device
    let address: HTML? = session.client.address.isEmpty ? nil : ", from <bdi>\(session.client.address)</bdi>"
    let use: HTML = session.isCurrent ? "This device" : "Last used \(PageDate(date: session.used).html)"
    return """
      <li><p><b>\(device)</b><br><span class="hint">\(use)\(address)</span></p>
      <form method="post" action="/you/sessions/\(session.id)/end"><button class="button" type="submit">Sign out\
      <span class="hidden-text">\(session.isCurrent ? "this device" : device)</span></button></form></li>
      """
  }

  private func otherSessions(_ sessions: [Accounts.SessionDescription]) -> HTML? {
    guard sessions.count(where: { !$0.isCurrent }) > 1 else { return nil }
    return """
      <form method="post" action="/you/sessions/end"><div class="choices">\
      <button class="button" type="submit">Sign out all other devices</button></div></form>
      """
  }
}

extension User.Role {
  var article: String { self == .owner ? "an" : "a" }
}
