#if !canImport(Darwin)
import HTTPSyntax
import Foundation

/// Parses the dates of `Set-Cookie`, which servers write in many formats, as RFC 6265, 5.1.1 specifies.
package enum CookieDate {
  /// Returns the date, or `nil` if a part is missing or the date does not exist.
  package static func parse(_ text: String) -> Date? {
    var time: (hour: Int, minute: Int, second: Int)?
    var day: Int?
    var month: Int?
    var year: Int?
    for token in text.utf8.split(whereSeparator: isDelimiter) {
      if time == nil, let found = timeOfDay(token) {
        time = found
      } else if day == nil, let found = number(token, digits: 1...2) {
        day = found
      } else if month == nil, let found = monthNumber(token) {
        month = found
      } else if year == nil, let found = number(token, digits: 2...4) {
        year = found
      }
    }
    guard let time, let day, let month, var year else { return nil }
    if year < 70 { year += 2000 } else if year < 100 { year += 1900 }
    guard year >= 1601, (1...HTTPDateFormat.days(inMonth: month, year: year)).contains(day),
      time.hour < 24, time.minute < 60, time.second < 60
    else { return nil }
    let seconds =
      HTTPDateFormat.dayNumber(year: year, month: month, day: day) * 86_400 + time.hour * 3600
      + time.minute * 60 + time.second
    return Date(timeIntervalSince1970: TimeInterval(seconds))
  }

  /// Returns the expiry date of a cookie with that maximum age; `nil` if `maximumAge` is not a number.
  static func expiry(maximumAge: String, now: Date) -> Date? {
    let isNegative = maximumAge.hasPrefix("-")
    let digits = isNegative ? maximumAge.dropFirst() : maximumAge[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy(ASCII.isDigit) else { return nil }
    guard !isNegative, digits.utf8.contains(where: { $0 != UInt8(ascii: "0") }) else { return .distantPast }
    // A number that is too large means that the cookie does not expire.
    return ASCII.number(digits).map { min(now.addingTimeInterval(TimeInterval($0)), .distantFuture) }
      ?? .distantFuture
  }

  private static func isDelimiter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
    default: false
    }
  }

  /// Parses the leading digits, if their number is in `digits`. Anything may follow them.
  private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
    let leading = token.prefix(while: ASCII.isDigit)
    guard digits.contains(leading.count) else { return nil }
    return leading.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
  }

  private static func timeOfDay(_ token: Substring.UTF8View) -> (hour: Int, minute: Int, second: Int)? {
    let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].allSatisfy(ASCII.isDigit), parts[1].allSatisfy(ASCII.isDigit),
      let hour = number(parts[0], digits: 1...2), let minute = number(parts[1], digits: 1...2),
      let second = number(parts[2], digits: 1...2)
    else { return nil }
    return (hour, minute, second)
  }

  private static func monthNumber(_ token: Substring.UTF8View) -> Int? {
    HTTPDateFormat.monthNumber(String(decoding: token.prefix(3), as: UTF8.self))
  }
}
#endif
