import TerminalProgram
import Testing

@testable import RetrieverCommand

@Suite struct HopChartTests {
  @Test func barsStandWhereTheTimeWent() {
    let hop = Hop(
      method: "GET", url: "https://a.example/", status: 200, reason: "OK",
      phases: [
        .init("name look-up", start: 0, end: 0.010), .init("connect", start: 0.010, end: 0.020),
        .init("request", start: 0.020, end: 0.020), .init("wait", start: 0.020, end: 0.040),
      ], fields: [.init(name: "Server", value: "x")])
    #expect(
      HopChart.lines([hop], width: 48, usesUnicode: false) == [
        "GET https://a.example/ -> 200 OK",
        "  name look-up    10.00 ms #####",
        "  connect         10.00 ms      #####",
        "  request          0.00 ms           |",
        "  wait            20.00 ms           ##########",
        "  total           40.00 ms 0 B",
        "  Server: x",
      ])
  }

  @Test func noBarLeavesItsPlace() {
    for width in [1, 20, 40, 80, 300] {
      let hop = Hop(
        method: "GET", url: "u", status: nil, reason: nil,
        phases: [.init("wait", start: 5, end: 1), .init("receive", start: 0, end: 1e-9)])
      let bars = HopChart.lines([hop], width: width, usesUnicode: true).dropFirst()
      #expect(bars.allSatisfy { DisplayText.width($0) <= max(width, 38) }, "\(bars)")
    }
  }

  @Test func anAnswerThatNeverCameIsSaid() {
    let hop = Hop(method: "GET", url: "u", status: nil, reason: nil, phases: [])
    #expect(HopChart.lines([hop], width: 80, usesUnicode: true) == ["GET u → no response"])
  }
}
