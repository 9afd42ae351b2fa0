import AdoptAnalysis
import Testing

@testable import AdoptCommand

struct TextReportTests {
  @Test func `findings look like compiler warnings`() {
    let report = CheckReport.of(
      [.sample(fix: 40..<46)], lines: [2: "  guard let image else {", 3: "    return", 1: ""],
      places: [40: Place(path: "Sources/a.swift", line: 3, column: 11, offset: 40)])
    let expected = """
      Sources/a.swift:3:5: warning: leaves without calling 'completion' [never]
          return
          ^
      Sources/a.swift:2:3: note: when this guard fails
        guard let image else {
        ^
      Sources/a.swift:3:11: note: fix: add a return
          return
                ^

      """
    #expect(TextReport(isColoured: false).text(report) == expected)
  }

  @Test func `the caret is below its column after tabs and wide characters`() {
    let line = "\t\"größe 日本\" return"
    let column = "\t\"größe 日本\" ".utf8.count + 1
    let report = CheckReport.of([.sample(line: 1, column: column, notes: [])], lines: [1: line])
    let lines = TextReport(isColoured: false).text(report).split(separator: "\n")
    #expect(lines[1] == line)
    #expect(lines[2] == "\t             ^")
  }

  @Test func `colours are those of the compiler`() {
    let report = CheckReport.of([.sample(notes: [])], lines: [3: "    return"])
    let text = TextReport(isColoured: true).text(report)
    #expect(text.hasPrefix("\u{1B}[1mSources/a.swift:3:5:\u{1B}[0m \u{1B}[1;35mwarning:\u{1B}[0m "))
    #expect(text.hasSuffix("    \u{1B}[1;32m^\u{1B}[0m\n"))
  }

  @Test func `control characters in source do not reach the terminal`() {
    let report = CheckReport.of(
      [.sample(path: "a\u{1B}[2J.swift", notes: [])], lines: [3: "    \u{1B}]0;x\u{7}return"])
    #expect(!TextReport(isColoured: false).text(report).contains("\u{1B}"))
  }

  @Test func `very long lines are not shown`() {
    let report = CheckReport.of([.sample(notes: [])], lines: [3: String(repeating: "x", count: 10_000)])
    #expect(TextReport(isColoured: false).text(report).split(separator: "\n").count == 1)
  }

  @Test func `the summary counts the findings that are not reported`() {
    var report = CheckReport.of([.sample()], lines: [:])
    report.handlerCount = 1234
    report.suppressedCount = 2
    report.knownCount = 3
    #expect(report.summary == "1 finding on 1,234 handlers in 1 file; 2 suppressed; 3 in the baseline")
    report.findings = []
    report.fileCount = 1_234_567
    report.suppressedCount = 0
    report.knownCount = 0
    #expect(report.summary == "1,234 handlers in 1,234,567 files, nothing found")
  }
}
