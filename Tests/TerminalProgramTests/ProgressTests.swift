import TerminalProgram
import Testing

@Suite struct ProgressTests {
  private func line(
    _ completed: Int64, of total: Int64?, rate: Double? = 1_000_000, elapsed: Duration = .seconds(4),
    label: String = "photo.jpg"
  ) -> ProgressLine {
    ProgressLine(label: label, completed: completed, total: total, rate: rate, elapsed: elapsed)
  }

  @Test func `a line has the name, percentage, bar, sizes, rate and time left`() {
    let text = line(5_000_000, of: 20_000_000).rendered(width: 100, usesUnicode: false)
    #expect(
      text
        == "photo.jpg   25%  [========>                             ]  5.00 MB of 20.0 MB  1.00 MB/s  0:15 left"
    )
  }

  @Test func `without a total, a line shows the elapsed time`() {
    let text = line(5_000_000, of: nil).rendered(width: 80, usesUnicode: false)
    #expect(text.hasSuffix("5.00 MB  1.00 MB/s  0:04"))
    #expect(text.contains("<=>"))
    #expect(!text.contains("%"))
  }

  @Test func `no line is wider than the terminal`() {
    let lines = [
      line(5, of: 20), line(0, of: nil, rate: nil), line(20, of: 20),
      line(5_000_000, of: 20_000_000, label: "犬の写真のとても長い名前.jpeg"),
      ProgressLine(
        label: "images", completed: 3, total: 200, unit: .items, rate: 12, elapsed: .seconds(1)),
    ]
    for line in lines {
      for width in 1...200 {
        for usesUnicode in [true, false] {
          #expect(DisplayText.width(line.rendered(width: width, usesUnicode: usesUnicode)) <= width)
        }
      }
    }
  }

  @Test func `a narrow line omits the least important fields`() {
    let narrow = line(5_000_000, of: 20_000_000).rendered(width: 40)
    #expect(narrow.contains("25%") && narrow.contains("5.00 MB of 20.0 MB"))
    #expect(!narrow.contains("/s"))
    #expect(line(5_000_000, of: 20_000_000).rendered(width: 15).contains("25%"))
  }

  @Test func `sizes that contradict each other are shown`() {
    for (completed, total) in [(5, 0), (30, 20), (-3, 20), (.max, .max), (0, -1)] as [(Int64, Int64)] {
      #expect(!line(completed, of: total).rendered(width: 80).isEmpty)
    }
    #expect(line(30, of: 20).fraction == 1)
    #expect(line(30, of: 20).timeLeft == nil)
  }

  @Test func `the rate is that of the last seconds`() {
    var meter = RateMeter(startingAt: .zero, count: 500)
    #expect(meter.rate(at: .milliseconds(100)) == nil)
    for tenth in 1...100 { meter.note(500 + Int64(tenth) * 100, at: .milliseconds(tenth * 100)) }
    #expect(abs((meter.rate(at: .seconds(10)) ?? 0) - 1000) < 1)
    for tenth in 101...200 { meter.note(10_500 + Int64(tenth - 100) * 10, at: .milliseconds(tenth * 100)) }
    #expect(abs((meter.rate(at: .seconds(20)) ?? 0) - 100) < 1)
  }

  @Test func `the rate of a stalled transfer falls to zero`() {
    var meter = RateMeter(startingAt: .zero)
    meter.note(1_000_000, at: .seconds(1))
    #expect((meter.rate(at: .seconds(2)) ?? 0) > 0)
    #expect(meter.rate(at: .seconds(60)) == 0)
  }

  @Test func `bytes from an earlier attempt do not count for the rate`() {
    var table = ProgressTable()
    let identifier = table.begin("a", at: .zero)
    table.describe(identifier, label: "a", completed: 1_000_000, total: 2_000_000, at: .zero)
    table.advance(identifier, to: 1_000_100, at: .seconds(1))
    #expect(table.lines(width: 100, height: 5, at: .seconds(1))[0].contains("100 B/s"))
  }

  @Test func `lines that do not fit are counted`() {
    var table = ProgressTable()
    let all = (1...10).map { table.begin("file \($0)", at: .zero) }
    let lines = table.lines(width: 60, height: 4, at: .zero)
    #expect(lines.count == 4)
    #expect(lines.last == "and 7 more")
    for identifier in all { table.end(identifier) }
    #expect(table.isEmpty && table.lines(width: 60, height: 4, at: .zero).isEmpty)
  }

  @Test func `a name cannot control the terminal`() {
    var table = ProgressTable()
    _ = table.begin("a\u{1B}[2Jb", at: .zero)
    #expect(!table.lines(width: 60, height: 4, at: .zero)[0].contains("\u{1B}"))
  }

  @Test func `messages stay above the lines that change`() {
    var screen = ScreenText()
    #expect(screen.message("one") == "one\n")
    #expect(screen.show(["a", "b"]) == "a\nb")
    #expect(screen.show(["a", "b"]) == "")
    #expect(screen.show(["c", "b"]) == "\u{1B}[1A\r\u{1B}[Jc\nb")
    #expect(screen.message("two") == "\u{1B}[1A\r\u{1B}[Jtwo\nc\nb")
    #expect(screen.show([]) == "\u{1B}[1A\r\u{1B}[J")
    #expect(screen.message("three") == "three\n")
  }
}
