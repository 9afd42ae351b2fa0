import HTTPSyntax

/// A date in the format of HTTP, such as `Sun, 06 Nov 1994 08:49:37 GMT`, with a precision of one second.
public struct HTTPDate: Sendable, Hashable, Comparable, CustomStringConvertible {
  /// The number of seconds since January 1, 1970, 00:00 UTC, in the years 1 to 9999.
  public let secondsSince1970: Int64

  private static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

  /// Creates a date. Values outside the years 1 to 9999 are clamped.
  ///
  /// - Parameter secondsSince1970: The number of seconds since January 1, 1970, 00:00 UTC.
  public init(secondsSince1970: Int64) {
    self.secondsSince1970 = min(max(secondsSince1970, Self.range.lowerBound), Self.range.upperBound)
  }

  /// Returns whether one date is earlier than another.
  public static func < (left: HTTPDate, right: HTTPDate) -> Bool {
    left.secondsSince1970 < right.secondsSince1970
  }

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]

  /// The date in the format of a header field.
  public var description: String {
    let (day, second) = Self.divided(secondsSince1970, by: 86_400)
    let (year, month, dayOfMonth) = Self.civil(fromDay: day)
    let name = Self.days[Int(Self.divided(day, by: 7).remainder)]
    let time = [second / 3600, second / 60 % 60, second % 60].map { Self.padded($0, 2) }
    return "\(name), \(Self.padded(dayOfMonth, 2)) \(Self.months[Int(month) - 1]) \(Self.padded(year, 4)) "
      + time.joined(separator: ":") + " GMT"
  }

  /// Parses a date in one of the three formats of HTTP (RFC 9110, 5.6.7). Returns nil for any other text.
  ///
  /// - Parameter text: The value of a header field.
  public init?(_ text: String) {
    let words = text.utf8.split { $0 == 0x20 || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "-") }
      .map { String(decoding: Array($0), as: UTF8.self) }
    // Sun 06 Nov 1994 08:49:37 GMT, the same with a year of two digits, or Sun Nov 6 08:49:37 1994.
    let order: (day: Int, month: Int, year: Int, time: Int)
    switch words.count {
    case 6 where words[5] == "GMT": order = (1, 2, 3, 4)
    case 5: order = (2, 1, 4, 3)
    default: return nil
    }
    let clock = words[order.time].split(separator: ":", omittingEmptySubsequences: false).map {
      ASCII.number($0)
    }
    guard let month = Self.months.firstIndex(of: words[order.month]),
      let day = ASCII.number(words[order.day][...]), 1...31 ~= day,
      var year = ASCII.number(words[order.year][...]), year <= 9999,
      clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
      hour < 24, minute < 60, second <= 60
    else { return nil }
    if words[order.year].utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
    let days = Self.dayNumber(year: year, month: Int64(month) + 1, day: day)
    self.init(secondsSince1970: days * 86_400 + hour * 3600 + minute * 60 + second)
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }

  private static func divided(_ number: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let remainder = ((number % divisor) + divisor) % divisor
    return ((number - remainder) / divisor, remainder)
  }

  // If the year begins in March, the leap day is the last day, and one formula gives the lengths of the months.
  private static func dayNumber(year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = divided(year, by: 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(fromDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = divided(day + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
