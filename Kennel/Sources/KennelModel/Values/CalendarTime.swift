/// A day of the Gregorian calendar and a time of day, at no particular place. A pure value.
package struct CalendarTime: Sendable, Hashable {
  /// The local times of the years 1 to 9999, in milliseconds since 1970.
  package static let range: ClosedRange<Int64> = -62_135_596_800_000...253_402_300_799_999

  package let year: Int
  package let month: Int
  package let day: Int
  package let hour: Int
  package let minute: Int
  package let second: Int

  /// Creates the time that a clock shows.
  ///
  /// - Parameter milliseconds: the milliseconds since the clock showed 1 January 1970, 0:00. A time outside of ``range``
  ///   becomes the first or the last one.
  package init(localMilliseconds milliseconds: Int64) {
    let seconds = Self.quotient(min(max(milliseconds, Self.range.lowerBound), Self.range.upperBound), 1000)
    let days = Self.quotient(seconds, 86_400)
    let time = Int(seconds - days * 86_400)
    (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60)
    // A year is counted from 1 March, so that the leap day is its last day. An era has 400 years.
    let shifted = days + Self.daysBefore1970
    let era = Self.quotient(shifted, 146_097)
    let dayOfEra = Int(shifted - era * 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let index = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * index + 2) / 5 + 1
    month = index < 10 ? index + 3 : index - 9
    year = yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0)
  }

  /// Returns the number of days from 1 January 1970 to a day.
  static func days(year: Int, month: Int, day: Int) -> Int64 {
    let shifted = Int64(month > 2 ? year : year - 1)
    let era = quotient(shifted, 400)
    let yearOfEra = shifted - era * 400
    let dayOfYear = Int64((153 * ((month + 9) % 12) + 2) / 5 + day - 1)
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - daysBefore1970
  }

  /// The number of days from 1 March of the year 0 to 1 January 1970.
  private static let daysBefore1970: Int64 = 719_468

  /// Divides and rounds down.
  private static func quotient(_ number: Int64, _ divisor: Int64) -> Int64 {
    number >= 0 ? number / divisor : -((-number + divisor - 1) / divisor)
  }
}

/// A month of a year.
package struct Month: Sendable, Hashable, CustomStringConvertible {
  package let year: Int
  /// The number of the month, from 1 to 12.
  package let number: Int

  /// Creates the month of a local time.
  package init(localMilliseconds milliseconds: Int64) {
    let time = CalendarTime(localMilliseconds: milliseconds)
    (year, number) = (time.year, time.month)
  }

  /// Creates a month from a text such as `2026-07`.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 4, parts[1].utf8.count == 2,
      parts.allSatisfy({ $0.utf8.allSatisfy { (48...57).contains($0) } }), let year = Int(parts[0]),
      let number = Int(parts[1]), year >= 1, (1...12).contains(number)
    else { return nil }
    (self.year, self.number) = (year, number)
  }

  /// The first moment of the month as a local time in milliseconds.
  package var start: Int64 { CalendarTime.days(year: year, month: number, day: 1) * 86_400_000 }

  /// The first moment after the month as a local time in milliseconds.
  package var end: Int64 {
    let (nextYear, next) = number == 12 ? (year + 1, 1) : (year, number + 1)
    return CalendarTime.days(year: nextYear, month: next, day: 1) * 86_400_000
  }

  /// The month in the form `2026-07`.
  package var description: String { "\(year.padded(to: 4))-\(number.padded(to: 2))" }
}

/// A month and the number of its posts.
package struct MonthCount: Sendable, Hashable {
  package var month: Month
  package var posts: Int

  package init(month: Month, posts: Int) {
    self.month = month
    self.posts = posts
  }
}

extension Int {
  /// The decimal digits, with zeros in front if there are fewer than `width`.
  func padded(to width: Int) -> String {
    let text = String(self)
    return String(repeating: "0", count: Swift.max(width - text.count, 0)) + text
  }
}
