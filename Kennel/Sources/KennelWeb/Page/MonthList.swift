import KennelModel

/// The heading of a month in the grid, and what fills the row before it.
struct MonthHeading {
  let month: Month

  /// Items of the list of photos. Scripts make the same ones for photos that are added later.
  var html: HTML {
    """
    <li class="rest" aria-hidden="true"></li>\
    <li class="month" data-month="\(month.description)"><h2 tabindex="-1">\(month.name)</h2></li>
    """
  }
}

/// The list of all months with photos, to jump to one. It needs no script.
struct MonthList {
  let months: [MonthCount]
  /// The month at the top of the page.
  let shown: Month?

  /// Returns nil if there is nothing to choose from.
  var html: HTML? {
    guard months.count > 1 else { return nil }
    return """
      <nav class="months" aria-label="Months"><details><summary><svg class="icon" aria-hidden="true">\
      <use href="#calendar"/></svg><span class="hidden-text">Go to a month: </span><span class="now">Months</span></summary>
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
      <span aria-hidden="true">\(month.shortName)</span>\
      <span class="hidden-text">\(month.name), \(count.posts) \(count.posts == 1 ? "photo" : "photos")</span>\
      <span class="count" aria-hidden="true">\(count.posts)</span></a></li>
      """
  }
}

extension Month {
  /// The month in words, such as `July 2026`.
  var name: String { "\(Self.englishNames[number - 1]) \(year)" }

  /// The first letters of the name, such as `Jul`.
  var shortName: String { String(Self.englishNames[number - 1].prefix(3)) }
}
