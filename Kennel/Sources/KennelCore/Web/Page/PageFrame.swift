/// The frame of every page: the head, the bar at the top, and the dialogs that scripts open.
struct PageFrame {
  enum Place {
    case photos, hearts, photo, problem
  }

  let title: String
  let site: String
  let viewer: User?
  let place: Place
  let lastEvent: Int64?

  func document(_ body: HTML) -> String {
    let page: HTML = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>\(title)</title>
      <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
      <meta name="color-scheme" content="light dark">
      <meta name="theme-color" content="#fbfaf8" media="(prefers-color-scheme: light)">
      <meta name="theme-color" content="#131211" media="(prefers-color-scheme: dark)">
      \(PageAssets.styles.map { "<link rel=\"stylesheet\" href=\"/assets/\($0)\">" as HTML })
      <script type="module" src="/assets/app.js"></script>
      \(PageAssets.modules.map { "<link rel=\"modulepreload\" href=\"/assets/\($0)\">" as HTML })
      <link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
      <link rel="apple-touch-icon" href="/assets/icon-180.png">
      <link rel="manifest" href="/manifest.webmanifest">
      </head>
      <body data-place="\(placeName)" data-viewer="\(viewer?.name ?? "")" data-event="\(lastEvent ?? -1)">
      <a class="skip" href="#main">Skip to the photos</a>
      \(PageIcons.symbols)
      \(bar)
      <main id="main" tabindex="-1">
      \(body)
      </main>
      \(PageDialogs.all)
      <div id="toasts" popover="manual" role="status" aria-live="polite"></div>
      </body>
      </html>

      """
    return page.text
  }

  private var placeName: String {
    switch place {
    case .photos: "photos"
    case .hearts: "hearts"
    case .photo: "photo"
    case .problem: "problem"
    }
  }

  private var bar: HTML {
    """
    <header class="bar">
    <a class="home" href="/"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg><span>\(site)</span></a>
    <nav class="places" aria-label="Pages">\(link("/", "Photos", .photos))\
    \(viewer == nil ? nil : link("/hearts", "Hearts", .hearts))</nav>
    <div class="tools scripted">\(viewer.map(menu) ?? Self.signIn)</div>
    </header>
    """
  }

  private func link(_ address: String, _ name: String, _ target: Place) -> HTML {
    let current: HTML? = place == target ? " aria-current=\"page\"" : nil
    return "<a href=\"\(address)\"\(current)>\(name)</a>"
  }

  private static let signIn: HTML = "<button class=\"button\" type=\"button\" data-sign-in>Sign in</button>"

  private func menu(_ viewer: User) -> HTML {
    """
    <button class="button primary" type="button" data-upload><svg class="icon" aria-hidden="true">\
    <use href="#plus"/></svg><span>Share</span></button>
    <button class="initial tint-\(AvatarInitial(name: viewer.name).tint)" type="button" popovertarget="account" \
    aria-label="Account of \(viewer.name)">\(AvatarInitial(name: viewer.name).text)</button>
    <div id="account" class="menu" popover><p>Signed in as<br><bdi>\(viewer.name)</bdi></p>\
    <a class="only-small" href="/hearts"><svg class="icon" aria-hidden="true"><use href="#heart"/></svg>Hearts</a>\
    <button type="button" data-sign-out><svg class="icon" aria-hidden="true"><use href="#out"/></svg>Sign out</button>\
    </div>
    """
  }
}
