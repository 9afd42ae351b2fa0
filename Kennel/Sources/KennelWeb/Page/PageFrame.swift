import KennelModel

/// The frame of every page: the head, the bar at the top, and the dialogs that scripts open.
struct PageFrame {
  enum Place {
    case photos, hearts, albums, album, photo, search, person, bin, problem, signIn, account
  }

  let title: String
  let site: String
  let viewer: User?
  let place: Place
  let lastEvent: Int64?
  let words: Words
  var preview: LinkPreview?

  private var frame: FrameWords { words.frame }

  func document(_ body: HTML) -> String {
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="\(words.language.rawValue)">
      <head>
      <meta charset="utf-8">
      <title>\(title)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
      <meta name="color-scheme" content="light dark">
      <meta name="theme-color" content="#fbfaf8" media="(prefers-color-scheme: light)">
      <meta name="theme-color" content="#131211" media="(prefers-color-scheme: dark)">
      <script type="module" src="\(PageAssets.address(of: PageAssets.texts(words.language)))"></script>
      \(Self.links)\(preview?.html)
      </head>
      <body data-place="\(placeName)" data-viewer="\(viewer?.name ?? "")"\
       data-role="\(viewer?.role.rawValue ?? "")" data-event="\(lastEvent ?? -1)">
      <a class="skip" href="#main">\(place == .account || place == .signIn ? frame.skipToContent : frame.skipToPhotos)</a>
      \(PageIcons.symbols)
      \(bar)
      <p id="offline" class="offline" role="status" hidden>\(frame.offline("<time></time>"))</p>
      <main id="main" tabindex="-1">
      \(body)
      </main>
      \(PageDialogs.all(words))
      <div id="toasts" popover="manual" role="status" aria-live="polite"></div>
      </body>
      </html>

      """
    return page.text
  }

  /// The files that a page uses.
  private static let links: HTML = """
    \(PageAssets.styles.map { "<link rel=\"stylesheet\" href=\"\(PageAssets.address(of: $0))\">" as HTML })
    <script type="module" src="\(PageAssets.address(of: "app.js"))"></script>
    \(PageAssets.modules.map { "<link rel=\"modulepreload\" href=\"\(PageAssets.address(of: $0))\">" as HTML })
    <link rel="icon" href="\(PageAssets.address(of: "icon.svg"))" type="image/svg+xml">
    <link rel="apple-touch-icon" href="\(PageAssets.address(of: "icon-180.png"))">
    <link rel="manifest" href="/manifest.webmanifest">
    """

  private var placeName: String {
    switch place {
    case .photos: "photos"
    case .hearts: "hearts"
    case .albums: "albums"
    case .album: "album"
    case .photo: "photo"
    case .search: "search"
    case .person: "person"
    case .bin: "bin"
    // The scripts treat it the same way: there is nothing to listen for.
    case .problem, .signIn, .account: "problem"
    }
  }

  private var bar: HTML {
    """
    <header class="bar">
    <a class="home" href="/"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg><span>\(site)</span></a>
    \(place == .signIn ? nil : places)
    \(hasSearch ? search : nil)
    <div class="tools scripted">\(viewer.map(menu) ?? (place == .signIn ? nil : signIn))</div>
    \(viewer.map(menuWithoutScripts))
    </header>
    """
  }

  /// Whether the visitor may search: everyone who sees photos. The page of the search has its own field.
  private var hasSearch: Bool {
    switch place {
    case .search: false
    case .photos, .hearts, .albums, .album, .photo, .person: true
    case .bin, .problem, .signIn, .account: viewer != nil
    }
  }

  /// The field, or on small screens a link to the page with the field.
  private var search: HTML {
    """
    \(SearchForm(query: nil, isInBar: true, words: frame).html)
    <a class="to-search" href="/search" aria-label="\(frame.search)"><svg class="icon" aria-hidden="true"><use href="#search"/></svg></a>
    """
  }

  private var places: HTML {
    """
    <nav class="places" aria-label="\(frame.pages)">\(link("/", frame.photos, .photos))\
    \(link("/albums", frame.albums, .albums))\
    \(viewer == nil ? nil : link("/hearts", frame.hearts, .hearts))</nav>
    """
  }

  private func link(_ address: String, _ name: String, _ target: Place) -> HTML {
    // An album belongs to the albums, but its page is another one.
    let current: HTML? =
      place == target
      ? " aria-current=\"page\"" : place == .album && target == .albums ? " aria-current=\"true\"" : nil
    return "<a href=\"\(address)\"\(current)>\(name)</a>"
  }

  private var signIn: HTML {
    "<button class=\"button\" type=\"button\" data-sign-in>\(frame.signIn)</button>"
  }

  private var visibility: HTML {
    """
    <button type="button" data-visibility><svg class="icon" aria-hidden="true"><use href="#eye"/></svg>\(frame.whoCanSee)</button>
    """
  }

  private var people: HTML {
    """
    <a href="/people"><svg class="icon" aria-hidden="true"><use href="#people"/></svg>\(frame.people)</a>
    """
  }

  private var share: HTML {
    """
    <button class="button primary" type="button" data-upload><svg class="icon" aria-hidden="true">\
    <use href="#plus"/></svg><span>\(frame.share)</span></button>
    """
  }

  /// The menu needs a script.
  private func menuWithoutScripts(_ viewer: User) -> HTML {
    """
    <noscript><a class="\(Avatar(viewer).classes)" href="/you" aria-label="\(frame.accountOf(viewer.name))">\(Avatar(viewer).content)</a></noscript>
    """
  }

  private func menu(_ viewer: User) -> HTML {
    """
    \(viewer.role.maySharePhotos ? share : nil)
    <button class="\(Avatar(viewer).classes)" type="button" popovertarget="account" \
    aria-label="\(frame.accountOf(viewer.name))">\(Avatar(viewer).content)</button>
    <div id="account" class="menu" popover><p>\(frame.signedInAs)<br><bdi>\(viewer.name)</bdi></p>\
    <a class="only-small" href="/albums"><svg class="icon" aria-hidden="true"><use href="#album"/></svg>\(frame.albums)</a>\
    <a class="only-small" href="/hearts"><svg class="icon" aria-hidden="true"><use href="#heart"/></svg>\(frame.hearts)</a>\
    <button type="button" data-select><svg class="icon" aria-hidden="true"><use href="#photos"/></svg>\(frame.selectPhotos)</button>\
    <a href="/you"><svg class="icon" aria-hidden="true"><use href="#person"/></svg>\(frame.you)</a>\
    \(viewer.role == .owner ? people : nil)\
    \(viewer.role == .owner ? visibility : nil)\
    <a href="/deleted"><svg class="icon" aria-hidden="true"><use href="#bin"/></svg>\(frame.bin)</a>\
    <button type="button" data-sign-out><svg class="icon" aria-hidden="true"><use href="#out"/></svg>\(frame.signOut)</button>\
    </div>
    """
  }
}

/// The icons of the page. They are in the document once, and `<use href="#name"/>` shows one.
enum PageIcons {
  static let symbols: HTML = """
    <svg class="symbols" aria-hidden="true">
    <symbol id="mark" viewBox="0 0 32 32">
    <path class="fur" d="M16 4.6c-5.3 0-8.3 3.7-8.3 9.6 0 7.6 3.4 13.2 8.3 13.2s8.3-5.6 8.3-13.2c0-5.9-3-9.6-8.3-9.6Z"/>
    <path class="ear" d="M11.2 5.2C7 3.2 2.6 6.6 1.9 12.4c-.6 5 .6 8.8 3.2 9 2.9.3 4.2-3.4 4.7-8.4.3-3 .8-5.4 1.4-7.8Z"/>
    <path class="ear" d="M20.8 5.2c4.2-2 8.6 1.4 9.3 7.2.6 5-.6 8.8-3.2 9-2.9.3-4.2-3.4-4.7-8.4-.3-3-.8-5.4-1.4-7.8Z"/>
    <circle class="face" cx="12.7" cy="14.4" r="1.35"/><circle class="face" cx="19.3" cy="14.4" r="1.35"/>
    <path class="face" d="M16 18.1c1.9 0 3.2.8 3.2 2 0 1.3-1.8 2.6-3.2 2.6s-3.2-1.3-3.2-2.6c0-1.2 1.3-2 3.2-2Z"/>
    </symbol>
    <symbol id="heart" viewBox="0 0 24 24"><path d="M12 20.6S3.6 15.9 2.3 10.6C1.4 7 3.8 4 7.1 4c2 0 3.7 1 4.9 2.8C13.2 5 \
    14.9 4 16.9 4c3.3 0 5.7 3 4.8 6.6C20.4 15.9 12 20.6 12 20.6Z"/></symbol>
    <symbol id="play" viewBox="0 0 24 24"><path d="M7 4.5v15l12-7.5z"/></symbol>
    <symbol id="plus" viewBox="0 0 24 24"><path d="M12 5v14M5 12h14"/></symbol>
    <symbol id="close" viewBox="0 0 24 24"><path d="M6 6l12 12M18 6 6 18"/></symbol>
    <symbol id="left" viewBox="0 0 24 24"><path d="m14.5 5-7 7 7 7"/></symbol>
    <symbol id="right" viewBox="0 0 24 24"><path d="m9.5 5 7 7-7 7"/></symbol>
    <symbol id="bin" viewBox="0 0 24 24"><path d="M4.5 7h15M9.5 7V4.5h5V7M6.5 7l.9 12.5h9.2L17.5 7M10.5 11v5M13.5 11v5"/>\
    </symbol>
    <symbol id="pencil" viewBox="0 0 24 24"><path d="M4.5 19.5l.9-4.2L16 4.7l3.3 3.3L8.7 18.6l-4.2.9ZM13.6 7.1l3.3 3.3"/></symbol>
    <symbol id="calendar" viewBox="0 0 24 24"><path d="M4.5 6h15v13.5h-15zM4.5 10h15M8.5 3.5v4M15.5 3.5v4"/></symbol>
    <symbol id="original" viewBox="0 0 24 24"><path d="M12 4v11m-5-4.5 5 5 5-5M4.5 20h15"/></symbol>
    <symbol id="link" viewBox="0 0 24 24"><path d="M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.5 1.5M14 10a4 4 0 0 0-6 \
    -.4l-3 3a4 4 0 0 0 5.7 5.7l1.5-1.5"/></symbol>
    <symbol id="eye" viewBox="0 0 24 24"><path d="M2.5 12S6 6 12 6s9.5 6 9.5 6-3.5 6-9.5 6-9.5-6-9.5-6Z"/>\
    <circle cx="12" cy="12" r="2.6"/></symbol>
    <symbol id="out" viewBox="0 0 24 24"><path d="M14 4.5H5.5v15H14M10 12h10m-4-4.5 4.5 4.5-4.5 4.5"/></symbol>
    <symbol id="person" viewBox="0 0 24 24"><circle cx="12" cy="8.5" r="4"/><path d="M4.5 20c.6-3.7 3.6-6 7.5-6s6.9 2.3 \
    7.5 6"/></symbol>
    <symbol id="people" viewBox="0 0 24 24"><circle cx="9" cy="8.5" r="3.5"/><path d="M2.5 19c.5-3.3 3.1-5.3 6.5-5.3s6 2 \
    6.5 5.3M15.5 5.3a3.5 3.5 0 0 1 0 6.4M18 14.3c2 .8 3.2 2.5 3.5 4.7"/></symbol>
    <symbol id="album" viewBox="0 0 24 24"><path d="M7.5 8h13v11.5h-13zM3.5 15.5V4.5h13"/><path d="m7.5 17.5 4-4 3 3 2-2 4 \
    4"/></symbol>
    <symbol id="search" viewBox="0 0 24 24"><circle cx="10.5" cy="10.5" r="6"/><path d="m15 15 5.5 5.5"/></symbol>
    <symbol id="photos" viewBox="0 0 24 24"><path d="M4 5h16v14H4zM4 16l5-5 4 4 2.5-2.5L20 17"/><circle cx="15.5" cy="9" \
    r="1.2"/></symbol>
    </svg>
    """
}
