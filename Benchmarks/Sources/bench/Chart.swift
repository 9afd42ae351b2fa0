// A bar chart as SVG. It has its own background and colours for light and dark themes, and needs no fonts.

struct Chart {
  struct Bar {
    let name: String
    let value: Double
    let isOurs: Bool
  }

  let title: String
  let unit: String
  let groups: [(title: String, bars: [Bar])]

  private static let width = 760
  private static let (left, right) = (190, 110)
  private static let (barHeight, step) = (20, 26)

  func svg() -> String {
    let maximum = groups.flatMap(\.bars).map(\.value).max() ?? 1
    var y = 58
    var shapes: [String] = []
    for group in groups {
      shapes.append(Chart.text(24, y + 4, "heading", group.title))
      y += 16
      for bar in group.bars {
        let space = Double(Chart.width - Chart.left - Chart.right)
        let length = max(2, Int(space * bar.value / max(maximum, 1)))
        let kind = bar.isOurs ? "ours" : "peer"
        shapes.append(Chart.text(Chart.left - 10, y + 15, "name \(kind)-text", bar.name))
        shapes.append(
          #"<rect class="\#(kind)" x="\#(Chart.left)" y="\#(y)" width="\#(length)" height="\#(Chart.barHeight)" rx="3"/>"#
        )
        shapes.append(Chart.text(Chart.left + length + 8, y + 15, "\(kind)-text", grouped(bar.value)))
        y += Chart.step
      }
      y += 22
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(Chart.width) \(y)" width="\(Chart.width)" \
      height="\(y)" role="img" aria-labelledby="chart-title chart-description">
      <title id="chart-title">\(Chart.escaped(title))</title>
      <desc id="chart-description">\(Chart.escaped(description))</desc>
      <style>
      \(Chart.style)
      </style>
      <rect class="paper" x="0.5" y="0.5" width="\(Chart.width - 1)" height="\(y - 1)" rx="8"/>
      \(Chart.text(24, 32, "title", title))
      \(shapes.joined(separator: "\n"))
      </svg>

      """
  }

  /// The chart's values as sentences, for readers who do not see it.
  private var description: String {
    groups.map { group in
      let values = group.bars.map { "\($0.name) \(grouped($0.value)) \(unit)" }
      return "\(group.title): \(values.joined(separator: ", "))."
    }.joined(separator: " ")
  }

  private static let style = """
    text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328; }
    .title { font-size: 16px; font-weight: 600; }
    .heading { font-weight: 600; }
    .name { text-anchor: end; }
    .peer-text { fill: #59636e; }
    .ours-text { font-weight: 600; }
    .paper { fill: #ffffff; stroke: #d1d9e0; }
    .ours { fill: #0969da; }
    .peer { fill: #818b98; }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc; }
      .peer-text { fill: #9198a1; }
      .paper { fill: #0d1117; stroke: #3d444d; }
      .ours { fill: #4493f8; }
      .peer { fill: #656c76; }
    }
    """

  private static func text(_ x: Int, _ y: Int, _ kind: String, _ content: String) -> String {
    #"<text class="\#(kind)" x="\#(x)" y="\#(y)">\#(escaped(content))</text>"#
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
  }
}
