import KennelModel

/// The field for searches. It needs no script.
struct SearchForm {
  let query: SearchQuery?
  /// Whether it is in the bar at the top of a page.
  let isInBar: Bool
  let words: FrameWords

  var html: HTML {
    let id: HTML = isInBar ? "bar-search" : "page-search"
    let button: HTML =
      isInBar
      ? """
      <button type="submit" aria-label="\(words.search)"><svg class="icon" aria-hidden="true"><use href="#search"/></svg></button>
      """ : "<button class=\"button\" type=\"submit\">\(words.search)</button>"
    return """
      <form class="search" role="search" action="/search">\
      <label class="hidden-text" for="\(id)">\(words.searchPhotos)</label>\
      <input id="\(id)" type="search" name="q" value="\(query?.text ?? "")" maxlength="\(SearchQuery.maximumLength)" \
      placeholder="\(isInBar ? words.search : words.searchExamples)" enterkeyhint="search" autocomplete="off" \
      autocapitalize="none" spellcheck="false">\(button)</form>
      """
  }
}
