import KennelModel

extension PageRenderer {
  /// The posts that a grid shows.
  package enum Kind: Sendable, Hashable {
    case all, favourites
    /// The posts that a search finds.
    case search(SearchQuery)
    /// The posts of a person.
    case person(User.ID, name: String, picture: UserPicture.Version?)
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
    case .person(let id, _, _): "/people/\(id)/photos"
    }
  }

  /// The title of the page, before the name of the kennel, or nil for the page with all photos.
  func title(_ words: Words) -> String? {
    switch self {
    case .all: nil
    case .favourites: words.frame.hearts
    case .search(let query): query.hasWords ? words.grid.quoted(query.text) : words.frame.search
    case .person(_, let name, _): words.grid.photosBy(name)
    }
  }

  /// The beginning of the page.
  func heading(_ words: Words) -> HTML {
    switch self {
    case .all: "<h1 class=\"hidden-text\">\(words.frame.photos)</h1>"
    case .favourites: "<h1 class=\"title\">\(words.grid.yourHearts)</h1>"
    case .search(let query):
      "<h1 class=\"title\">\(words.frame.search)</h1>\n\(SearchForm(query: query, isInBar: false, words: words.frame).html)"
    case .person(let id, let name, let picture):
      """
      <header class="person">\(Avatar(id, name: name, picture: picture).html)\
      <h1 class="title">\(words.grid.photosByHTML("<bdi>\(name)</bdi>"))</h1></header>
      """
    }
  }

  /// What the page shows if there are no posts.
  func emptiness(viewer: User?, _ words: Words) -> HTML {
    let grid = words.grid
    let picture: HTML = "<svg class=\"mark\" aria-hidden=\"true\"><use href=\"#mark\"/></svg>"
    switch (self, viewer) {
    case (.all, nil):
      return """
        <div class="empty">\(picture)<h2>\(grid.noPhotosYet)</h2><p>\(grid.signInToShareFirst)</p></div>
        """
    case (.all, let viewer?) where !viewer.role.maySharePhotos:
      return """
        <div class="empty">\(picture)<h2>\(grid.noPhotosYet)</h2><p>\(grid.photosOfOthers)</p></div>
        """
    case (.all, _):
      return """
        <div class="empty">\(picture)<h2>\(grid.noPhotosYet)</h2>
        <p class="scripted">\(grid.shareFirst)</p>
        <button class="button primary scripted" type="button" data-upload>\(words.dialogs.sharePhotos)</button></div>
        """
    case (.favourites, nil):
      return """
        <div class="empty">\(picture)<h2>\(grid.yourHearts)</h2>
        <p>\(grid.signInToSeeHearts)</p>
        <button class="button primary scripted" type="button" data-sign-in>\(words.frame.signIn)</button></div>
        """
    case (.favourites, _):
      return """
        <div class="empty">\(picture)<h2>\(grid.noHeartsYet)</h2><p>\(grid.heartsAppearHere)</p>
        <a class="button" href="/">\(words.frame.seePhotos)</a></div>
        """
    case (.search(let query), _):
      let title = query.hasWords ? grid.nothingFound : grid.findPhotos
      return """
        <div class="empty">\(picture)<h2>\(title)</h2>
        <p>\(grid.searchExplanation)</p>
        <p>\(grid.searchRule)</p></div>
        """
    case (.person, _):
      return """
        <div class="empty">\(picture)<h2>\(grid.noPhotosYet)</h2><p>\(grid.ownPhotosAppearHere)</p>
        <a class="button" href="/">\(words.frame.seePhotos)</a></div>
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
  let words: GridWords

  var newest: HTML? { isFirst ? nil : "<p class=\"newest\"><a href=\"\(path)\">\(words.newest)</a></p>" }

  var older: HTML {
    let link = next.map { next -> HTML in
      """
      <a class="older button" rel="next" href="\(path)\(path.contains("?") ? "&" : "?")before=\(next.description)">\
      \(words.older)</a>
      """
    }
    return "<nav class=\"more\" aria-label=\"\(words.more)\">\(link)</nav>"
  }
}
