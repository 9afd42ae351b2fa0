// Results that are kept between runs.
import Foundation
import Testing

@testable import bench

struct ResultsTests {
  private let names = ["get64.throughput.c", "get64.throughput.go", "get64.cpu.c"]

  @Test func `a run replaces only the rows that it measured`() throws {
    let (c, go) = (try Question.get64("throughput.c"), try Question.get64("throughput.go"))
    var results = Results()
    results.replace(
      with: [try .sample(c, seconds: 1, 2), try .sample(go, seconds: 1, 4)], of: .sample("2026-01-01"),
      names: names)
    results.replace(with: [try .sample(go, seconds: 2, 5)], of: .sample("2026-01-02"), names: names)

    #expect(results.rows.map(\.name) == ["get64.throughput.c", "get64.throughput.go"])
    #expect(results.rows.map(\.ours) == [10_000, 5_000])
    #expect(results.rows.map(\.peer) == [5_000, 2_000])
    #expect(results.rows.map(\.run) == [1, 2])
    #expect(results.run(1)?.date == "2026-01-01")
    #expect(results.run(2)?.date == "2026-01-02")
  }

  @Test func `runs without rows are removed, and the others keep their rows`() throws {
    let (c, go) = (try Question.get64("throughput.c"), try Question.get64("throughput.go"))
    var results = Results()
    results.replace(with: [try .sample(c, seconds: 1, 2)], of: .sample("2026-01-01"), names: names)
    results.replace(with: [try .sample(go, seconds: 1, 2)], of: .sample("2026-01-02"), names: names)
    results.replace(with: [try .sample(c, seconds: 4, 5)], of: .sample("2026-01-03"), names: names)
    #expect(results.runs.map(\.date) == ["2026-01-02", "2026-01-03"])
    #expect(results["get64.throughput.c"]?.run == 2)
    #expect(results["get64.throughput.go"]?.run == 1)
  }

  @Test func `runs of one day on one machine with the same versions are one run`() throws {
    let (c, go) = (try Question.get64("throughput.c"), try Question.get64("throughput.go"))
    var results = Results()
    results.replace(with: [try .sample(c, seconds: 1, 2)], of: .sample("2026-01-01"), names: names)
    results.replace(with: [try .sample(go, seconds: 1, 2)], of: .sample("2026-01-01"), names: names)
    #expect(results.runs.count == 1)
    results.replace(
      with: [try .sample(go, seconds: 1, 2)], of: .sample("2026-01-01", machine: "another"), names: names)
    #expect(results.runs.count == 2)
  }

  @Test func `a row that no longer exists is removed`() throws {
    let (c, go) = (try Question.get64("throughput.c"), try Question.get64("throughput.go"))
    var results = Results()
    results.replace(with: [try .sample(c, seconds: 1, 2)], of: .sample("2026-01-01"), names: names)
    results.replace(
      with: [try .sample(go, seconds: 1, 2)], of: .sample("2026-01-02"), names: ["get64.throughput.go"])
    #expect(results.rows.map(\.name) == ["get64.throughput.go"])
    #expect(results.runs.map(\.date) == ["2026-01-02"])
  }

  @Test func `a row that could not be measured keeps its earlier result`() throws {
    let c = try Question.get64("throughput.c")
    var results = Results()
    results.replace(with: [try .sample(c, seconds: 1, 2)], of: .sample("2026-01-01"), names: names)
    let failed = Row(c, [c.ours: .success([try .sample(seconds: 9)])])
    #expect(failed.problem != nil)
    results.replace(with: [failed], of: .sample("2026-01-02"), names: names)
    #expect(results["get64.throughput.c"]?.ours == 10_000)
    #expect(results.runs.map(\.date) == ["2026-01-01"])
  }

  @Test func `a result of another peer does not count`() throws {
    let c = try Question.get64("throughput.c")
    var results = Results()
    results.replace(with: [try .sample(c, seconds: 1, 2)], of: .sample("2026-01-01"), names: names)
    let entry = try #require(results["get64.throughput.c"])
    #expect(Row(c, entry).verdict == .holds)
    #expect(Row(try .get64("throughput.go"), entry).verdict == .notMeasured)
    #expect(Row(c, nil).verdict == .notMeasured)
  }

  @Test func `stored results are read back`() throws {
    let c = try Question.get64("cpu.c")
    var results = Results()
    results.replace(with: [try .sample(c, seconds: 1, 3)], of: .sample("2026-01-01"), names: names)
    let file = FileManager.default.temporaryDirectory.appending(path: "results-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    try results.json().write(to: file)
    let read = try Results(contentsOf: file)
    #expect(try read.json() == results.json())
    #expect(read["get64.cpu.c"]?.ours == 50)

    try Data("{".utf8).write(to: file)
    #expect(throws: Problem.self) { try Results(contentsOf: file) }
    try FileManager.default.removeItem(at: file)
    #expect(try Results(contentsOf: file).rows.isEmpty)
  }
}
