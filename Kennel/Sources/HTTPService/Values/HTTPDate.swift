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
    guard let seconds = HTTPDateFormat.seconds(text) else { return nil }
    self.init(secondsSince1970: seconds)
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
  private static func civil(fromDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = divided(day + 719_468, by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }
}
