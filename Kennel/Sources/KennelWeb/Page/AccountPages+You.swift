import KennelModel

extension AccountPages {
  /// Renders the page of a user's own account.
  func you(
    _ user: User, _ sessions: [Accounts.SessionDescription], feed: Feed?, usage: QuotaUsage? = nil,
    entry: FormEntry = FormEntry()
  ) -> String {
    document(
      words.frame.you, viewer: user,
      """
      <div class="account">
      <h1>\(words.frame.you)</h1>
      \(entry.noticeHTML)
      <section class="card" aria-labelledby="name-title">
      <h2 id="name-title">\(words.frame.name)</h2>
      <p class="hint">\(own.role(user.role))</p>
      <form method="post" action="/you/name">
      \(FormField(kind: .name, name: "name", label: words.joining.yourName, prefix: "you", entry: entry, hint: words.joining.nameHint, value: user.name).html)
      <div class="choices"><button class="button" type="submit">\(own.changeName)</button></div>
      </form>
      </section>
      \(pictureForm(user, entry))
      <section class="card" aria-labelledby="password-title">
      <h2 id="password-title">\(own.passwordTitle)</h2>
      <form method="post" action="/you/password">
      \(FormField(kind: .presentPassword, name: "current", label: own.presentPassword, prefix: "you", entry: entry).html)
      \(FormField(kind: .newPassword, name: "password", label: own.newPassword, prefix: "you", entry: entry, hint: own.passwordHint(Accounts.minimumPasswordCharacterCount)).html)
      \(FormField(kind: .newPassword, name: "again", label: own.repeatNewPassword, prefix: "you", entry: entry).html)
      \(FormField.passwordSwitch(words.joining))
      <div class="choices"><button class="button" type="submit">\(own.changePassword)</button></div>
      </form>
      </section>
      \(languageForm(user))
      <section class="card" aria-labelledby="feed-title">
      <h2 id="feed-title">\(own.feed)</h2>
      \(feedForms(feed))
      </section>
      \(usage.map(space))
      <section class="card" aria-labelledby="devices-title">
      <h2 id="devices-title">\(own.devices)</h2>
      \(sessions.isEmpty ? "<p class=\"hint\">\(own.noDevice)</p>" as HTML : nil)
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
    <h2 id="space-title">\(own.space)</h2>
    <p>\(own.photosTake(usage.text(words)))</p>
    </section>
    """
  }

  private var own: YouWords { words.you }

  private func languageForm(_ user: User) -> HTML {
    let choices = Language.allCases.map { language -> HTML in
      """
      <option value="\(language.rawValue)" lang="\(language.rawValue)"\
      \(language == user.language ? " selected" as HTML : nil)>\(language.name)</option>
      """
    }
    return """
      <section class="card" aria-labelledby="language-title">
      <h2 id="language-title">\(own.language)</h2>
      <form method="post" action="/you/language">
      <label for="you-language">\(own.languageHint)</label>
      <select id="you-language" name="language"><option value="">\(own.asBrowser)</option>\(choices)</select>
      <div class="choices"><button class="button" type="submit">\(own.changeLanguage)</button></div>
      </form>
      </section>
      """
  }

  private func feedForms(_ feed: Feed?) -> HTML {
    let explanation: HTML = """
      <p class="hint">\(own.feedExplanation(Posts.feedLength))</p>
      """
    guard let feed else {
      return """
        \(explanation)
        <form method="post" action="/you/feed"><div class="choices"><button class="button" type="submit">\(own.makeAddress)</button></div></form>
        """
    }
    return """
      \(explanation)
      <p>\(own.feedMade(PageDate(date: feed.created, words: words.dates).html))</p>
      <form method="post" action="/you/feed"><div class="choices"><button class="quiet button" type="submit" \
      formaction="/you/feed/end">\(own.turnOffFeed)</button><button class="button" type="submit">\(own.makeNewAddress)</button></div>\
      </form>
      """
  }

  /// Renders the page that shows the new address of a feed, once.
  func newFeed(address: String, viewer: User) -> String {
    document(
      own.feedAddress, viewer: viewer,
      """
      <div class="account">
      <p class="back"><a href="/you"><svg class="icon" aria-hidden="true"><use href="#left"/></svg>\(words.frame.you)</a></p>
      <h1>\(own.feedAddress)</h1>
      <section class="card">
      <p>\(own.newFeedExplanation)</p>
      <label for="feed-address">\(own.address)</label>
      <input id="feed-address" readonly value="\(address)">
      <div class="choices scripted"><button class="button primary" type="button" data-copy="feed-address">\(own.copyAddress)</button></div>
      </section>
      </div>
      """)
  }

  private func row(_ session: Accounts.SessionDescription) -> HTML {
    let device = session.client.device.isEmpty ? own.browser : own.device(session.client.device)
    let address: HTML? =
      session.client.address.isEmpty ? nil : own.fromAddress("<bdi>\(session.client.address)</bdi>")
    let use: HTML =
      session.isCurrent
      ? "\(own.thisDevice)" : own.lastUsed(PageDate(date: session.used, words: words.dates).html)
    return """
      <li><p><b>\(device)</b><br><span class="hint">\(use)\(address)</span></p>
      <form method="post" action="/you/sessions/\(session.id)/end"><button class="button" type="submit">\(words.frame.signOut)\
      <span class="hidden-text">\(session.isCurrent ? own.thisDeviceEnding : device)</span></button></form></li>
      """
  }

  private func otherSessions(_ sessions: [Accounts.SessionDescription]) -> HTML? {
    guard sessions.count(where: { !$0.isCurrent }) > 1 else { return nil }
    return """
      <form method="post" action="/you/sessions/end"><div class="choices">\
      <button class="button" type="submit">\(own.signOutOthers)</button></div></form>
      """
  }
}
