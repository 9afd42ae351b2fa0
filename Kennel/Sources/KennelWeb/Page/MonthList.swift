import KennelModel

/// The heading of a month in the grid, and what fills the row before it.
struct MonthHeading {
  let month: Month
  let words: DateWords

  /// Items of the list of photos. Scripts make the same ones for photos that are added later.
  var html: HTML {
    """
    <li class="rest" aria-hidden="true"></li>\
    <li class="month" data-month="\(month.description)"><h2 tabindex="-1">\(words.month(month))</h2></li>
    """
  }
}

/// The list of all months with photos, to jump to one. It needs no script.
struct MonthList {
  let months: [MonthCount]
  /// The month at the top of the page.
  let shown: Month?
  let words: Words

  /// Returns nil if there is nothing to choose from.
  var html: HTML? {
    guard months.count > 1 else { return nil }
    return """
      <nav class="months" aria-label="\(words.grid.months)"><details><summary><svg class="icon" aria-hidden="true">\
      <use href="#calendar"/></svg><span class="hidden-text">\(words.grid.goToMonth)</span><span class="now">\(words.grid.months)</span></summary>
      <div class="years">\(years)</div></details></nav>
      """
  }

  private var years: [HTML] {
    var years: [HTML] = []
    var rest = months[...]
    while let year = rest.first?.month.year {
      let own = rest.prefix { $0.month.year == year }
      rest = rest.dropFirst(own.count)
      years.append(
        """
        <section aria-label="\(year)"><p aria-hidden="true">\(year)</p><ol>\(own.map(item))</ol></section>

        """)
    }
    return years
  }

  private func item(_ count: MonthCount) -> HTML {
    let month = count.month
    let current: HTML? = month == shown ? " aria-current=\"true\"" : nil
    return """
      <li><a href="/?month=\(month.description)" data-month="\(month.description)"\(current)>\
      <span aria-hidden="true">\(words.dates.shortMonth(month))</span>\
      <span class="hidden-text">\(words.dates.month(month)), \(words.frame.photoCount(count.posts))</span>\
      <span class="count" aria-hidden="true">\(count.posts)</span></a></li>
      """
  }
}
