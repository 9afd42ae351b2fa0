import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite struct CalendarTimeTests {
  private var calendar: Calendar {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }

  @Test func `a local time has the same day and hour as in Foundation's calendar`() {
    var random = SeededRandom(4)
    // The Gregorian calendar begins in 1582. Foundation uses the Julian one before.
    for _ in 0..<2000 {
      let milliseconds = Int64.random(in: -12_000_000_000_000...253_402_300_799_999, using: &random)
      let time = CalendarTime(localMilliseconds: milliseconds)
      // Foundation rounds fractions of a second.
      let seconds = (Double(milliseconds) / 1000).rounded(.down)
      let parts = calendar.dateComponents(
        [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: seconds))
      #expect(time.year == parts.year && time.month == parts.month && time.day == parts.day)
      #expect(time.hour == parts.hour && time.minute == parts.minute && time.second == parts.second)
    }
  }

  @Test func `times out of range become the first or the last one`() {
    let first = CalendarTime(localMilliseconds: .min)
    #expect(first.year == 1 && first.month == 1 && first.day == 1 && first.hour == 0)
    let last = CalendarTime(localMilliseconds: .max)
    #expect(last.year == 9999 && last.month == 12 && last.day == 31 && last.second == 59)
  }

  @Test func `a month begins where the one before it ends`() throws {
    var month = try #require(Month("1899-12"))
    while month.year < 2105 {
      let next = Month(localMilliseconds: month.end)
      #expect(next.start == month.end)
      #expect(Month(localMilliseconds: month.end - 1) == month)
      #expect(Month(localMilliseconds: month.start) == month)
      #expect(Month(next.description) == next)
      #expect((28...31).contains((month.end - month.start) / 86_400_000))
      month = next
    }
  }

  @Test(arguments: [
    "", "2026", "2026-7", "2026-00", "2026-13", "0000-01", "26-07", "2026-07-01", "-026-07", "2026-+7",
    "２０２６-07",
    "2026_07", " 2026-07",
  ])
  func `other texts are not months`(text: String) { #expect(Month(text) == nil) }
}
