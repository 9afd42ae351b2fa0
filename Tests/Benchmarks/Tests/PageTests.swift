// The page of results, its chart, and the choice of rows.
import Testing

@testable import bench

struct PageTests {
  @Test func `the first table shows the values of each client in one line`() throws {
    let rows = try ["c", "go", "foundation"].enumerated().map { number, peer in
      try Row.sample(.get64("throughput.\(peer)"), seconds: 0.3, Double(number + 1))
    }
    var results = Results()
    results.replace(with: rows, of: .sample("2026-01-01"), names: rows.map(\.question.name))
    let page = Page(results).markdown()
    #expect(page.contains("|  |  | Retriever | Go net/http | C, libcurl multi | FoundationNetworking |"))
    #expect(
      page.contains("| http | requests a second | 33,333 req/s | 5,000 req/s | 10,000 req/s | 3,333 req/s |"))
    // What was not measured has no line.
    #expect(!page.contains("CPU time per request"))
    #expect(page.contains("Measured in run 1, 2026-01-01: a machine; Retriever abcdef."))
    #expect(page.contains("Not measured yet."))
  }

  @Test func `a table with rows of two runs names the run of each row`() throws {
    let (c, foundation) = (try Question.get64("throughput.c"), try Question.get64("throughput.foundation"))
    var results = Results()
    let names = [c.name, foundation.name]
    results.replace(with: [try .sample(c, seconds: 1, 2)], of: .sample("2026-01-01"), names: names)
    #expect(!Page(results).markdown().contains("| Target |  | Run |"))
    results.replace(with: [try .sample(foundation, seconds: 1, 20)], of: .sample("2026-01-02"), names: names)
    let page = Page(results).markdown()
    #expect(page.contains("| Target |  | Run |"))
    #expect(page.contains("| Retriever | Go net/http | C, libcurl multi | FoundationNetworking | Run |"))
    #expect(page.contains("| http | requests a second | 10,000 req/s | - | 5,000 req/s | 500 req/s | 1, 2 |"))
    #expect(page.contains("| 2 | >= 0.85x | met | 1 |"))
    #expect(page.contains("| 20 | >= 12x | met | 2 |"))
  }

  @Test func `the times with very many photos are in one table, with a column for each database`() {
    func run(_ database: String, _ rows: [ManyPosts.Row]) -> ManyPosts.Run {
      ManyPosts.Run(database: database, date: "2026-01-01", posts: 1_000_000, rows: rows)
    }
    let page = Page(
      Results(),
      ManyPosts([
        run(
          "SQLite",
          [.init(name: "a page", median: 0.84, high: 1.25), .init(name: "a search", median: 5, high: 13)]),
        run("PostgreSQL", [.init(name: "a page", median: 2.34, high: 4.4)]),
      ])
    ).markdown()
    #expect(page.contains("| Request | SQLite, median | 99 % | PostgreSQL, median | 99 % |"))
    #expect(page.contains("| a page | 0.8 ms | 1.2 ms | 2.3 ms | 4.4 ms |"))
    #expect(page.contains("| a search | 5.0 ms | 13.0 ms | - | - |"))
    #expect(!Page(Results()).markdown().contains("many photos"))
  }

  @Test func `the bars of the chart have lengths in proportion, and special characters are escaped`() {
    let chart = Chart(
      title: "A & B <fast>", unit: "req/s",
      groups: [
        (
          "http",
          [
            Chart.Bar(name: "ours", value: 1_000, isOurs: true),
            Chart.Bar(name: "a<b", value: 250, isOurs: false),
          ]
        )
      ])
    let svg = chart.svg()
    #expect(svg.contains("<title id=\"chart-title\">A &amp; B &lt;fast&gt;</title>"))
    #expect(svg.contains("http: ours 1,000 req/s, a&lt;b 250 req/s."))
    #expect(svg.contains("width=\"460\""))
    #expect(svg.contains("width=\"115\""))
  }

  @Test func `numbers have commas between thousands`() {
    #expect(grouped(0.25) == "0.25")
    #expect(grouped(999) == "999")
    #expect(grouped(25_162) == "25,162")
    #expect(grouped(1_234_567) == "1,234,567")
  }

  @Test func `ONLY selects complete measurements, and short runs do not change the page`() throws {
    let settings = Settings(["ONLY": "get1.latency.go,bodies.br"])
    #expect(settings.measurements.map(\.name) == ["get1", "bodies.br"])
    #expect(Set(settings.measurements.flatMap(\.products)) == ["bench-retriever", "bench-foundation"])
    #expect(settings.isFull)
    #expect(!Settings(["SECONDS": "0.5"]).isFull)
    #expect(!Settings(["ROUNDS": "1"]).isFull)
  }

  @Test func `names of rows are unique`() {
    let names = Measurement.all.flatMap(\.questions).map(\.name)
    #expect(Set(names).count == names.count)
  }
}
