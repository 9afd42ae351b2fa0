import KennelModel

extension PageRenderer {
  /// The posts that a grid shows.
  package enum Kind: Sendable, Hashable {
    case all, favourites
    /// The posts that a search finds.
    case search(SearchQuery)
    /// The posts of a person.
    case person(User.ID, name: String)
  }
}

extension PageRenderer.Kind {
  var place: PageFrame.Place {
    switch self {
    case .all: .photos
    case .favourites: .hearts
    case .search: .search
    case .person: .person
    }
  }

  /// Whether links to the page have a preview with its first photo.
  var hasPreview: Bool {
    switch self {
    case .all, .person: true
    case .favourites, .search: false
    }
  }

  /// The path and the query of the first page.
  var address: String {
    switch self {
    case .all: "/"
    case .favourites: "/hearts"
    case .search(let query): "/search?q=\(QueryText.escaped(query.text))"
    case .person(let id, _): "/people/\(id)/photos"
    }
  }

  /// The title of the page, before the name of the kennel, or nil for the page with all photos.
  var title: String? {
    switch self {
    case .all: nil
    case .favourites: "Hearts"
    case .search(let query): query.hasWords ? "“\(query.text)”" : "Search"
    case .person(_, let name): "Photos by \(name)"
    }
  }

  /// The beginning of the page.
  var heading: HTML {
    switch self {
    case .all: "<h1 class=\"hidden-text\">Photos</h1>"
    case .favourites: "<h1 class=\"title\">Your hearts</h1>"
    case .search(let query):
      "<h1 class=\"title\">Search</h1>\n\(SearchForm(query: query, isInBar: false).html)"
    case .person(_, let name): "<h1 class=\"title\">Photos by <bdi>\(name)</bdi></h1>"
    }
  }

  /// What the page shows if there are no posts.
  func emptiness(viewer: User?) -> HTML {
    let picture: HTML = "<svg class=\"mark\" aria-hidden=\"true\"><use href=\"#mark\"/></svg>"
    switch (self, viewer) {
    case (.all, nil):
      return """
        <div class="empty">\(picture)<h2>No photos yet</h2><p>Sign in to share the first photo.</p></div>
        """
    case (.all, let viewer?) where !viewer.role.maySharePhotos:
      return """
        <div class="empty">\(picture)<h2>No photos yet</h2><p>Photos that others share appear here.</p></div>
        """
    case (.all, _):
      return """
        <div class="empty">\(picture)<h2>No photos yet</h2>
        <p class="scripted">Share the first one<span class="with-pointer">: choose it, drop it here, or paste \
        it</span>.</p>
        <button class="button primary scripted" type="button" data-upload>Share photos</button></div>
        """
    case (.favourites, nil):
      return """
        <div class="empty">\(picture)<h2>Your hearts</h2>
        <p>Sign in to see the photos that you gave a heart.</p>
        <button class="button primary scripted" type="button" data-sign-in>Sign in</button></div>
        """
    case (.favourites, _):
      return """
        <div class="empty">\(picture)<h2>No hearts yet</h2><p>Photos that you give a heart appear here.</p>
        <a class="button" href="/">See the photos</a></div>
        """
    case (.search(let query), _):
      let title: HTML = query.hasWords ? "Nothing found" : "Find photos"
      return """
        <div class="empty">\(picture)<h2>\(title)</h2>
        <p>Search for words of captions, comments and titles of albums, for the name of a person who shared photos, or for the time when they \
        were taken: July, 2026, 2026-07 or 14 July 2026.</p>
        <p>A photo is found if it has all the words. The last word may be the beginning of one.</p></div>
        """
    case (.person, _):
      return """
        <div class="empty">\(picture)<h2>No photos yet</h2><p>Photos that you share appear here.</p>
        <a class="button" href="/">See the photos</a></div>
        """
    }
  }
}

/// The links of a grid to the pages around it.
struct GridLinks {
  /// The path and the query of the first page.
  let path: String
  /// The position after which the next page begins; nil on the last page.
  let next: PostPosition?
  let isFirst: Bool

  var newest: HTML? { isFirst ? nil : "<p class=\"newest\"><a href=\"\(path)\">Newest photos</a></p>" }

  var older: HTML {
    let link = next.map { next -> HTML in
      """
      <a class="older button" rel="next" href="\(path)\(path.contains("?") ? "&" : "?")before=\(next.description)">\
      Older photos</a>
      """
    }
    return "<nav class=\"more\" aria-label=\"More photos\">\(link)</nav>"
  }
}

/// The field for searches. It needs no script.
struct SearchForm {
  let query: SearchQuery?
  /// Whether it is in the bar at the top of a page.
  let isInBar: Bool

  var html: HTML {
    let id: HTML = isInBar ? "bar-search" : "page-search"
    let button: HTML =
      isInBar
      ? """
      <button type="submit" aria-label="Search"><svg class="icon" aria-hidden="true"><use href="#search"/></svg></button>
      """ : "<button class=\"button\" type=\"submit\">Search</button>"
    return """
      <form class="search" role="search" action="/search">\
      <label class="hidden-text" for="\(id)">Search photos</label>\
      <input id="\(id)" type="search" name="q" value="\(query?.text ?? "")" maxlength="\(SearchQuery.maximumLength)" \
      placeholder="\(isInBar ? "Search" : "Words, names or dates" as HTML)" enterkeyhint="search" autocomplete="off" \
      autocapitalize="none" spellcheck="false">\(button)</form>
      """
  }
}
