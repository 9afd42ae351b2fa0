/// The formats of dates in header fields (RFC 9110, 5.6.7), and the calendar that they use.
///
/// Dates are seconds since January 1, 1970, 00:00 UTC.
public enum HTTPDateFormat {
  /// Parses a date in one of the three formats of HTTP: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`
  /// or `Sun Nov  6 08:49:37 1994`.
  ///
  /// The case of names does not matter. The name of the day must exist, but may be the name of another day. A leap second
  /// counts as the second after it.
  ///
  /// - Parameters:
  ///   - text: The value of a header field.
  ///   - latestYear: A year of two digits is the latest year up to this one that ends with these digits.
  /// - Returns: The seconds, or nil for any other text and for days that do not exist.
  public static func seconds(_ text: some StringProtocol, latestYear: Int = 2069) -> Int64? {
    var reader = Reader(rest: Substring(ASCII.trimmed(text)).utf8)
    let dayName = reader.letters()
    let date: (year: Int, month: Int, day: Int)
    let time: (hour: Int, minute: Int, second: Int)
    if reader.skip(",") {
      guard reader.skip(" "), let day = reader.number(digits: 2) else { return nil }
      let isObsolete = reader.skip("-")
      guard isObsolete || reader.skip(" "), let month = monthNumber(reader.letters()),
        reader.skip(isObsolete ? "-" : " "), var year = reader.number(digits: isObsolete ? 2 : 4),
        reader.skip(" "), let clock = reader.clock(), reader.skip(" "),
        ASCII.equalIgnoringCase(reader.letters(), "gmt"), reader.isAtEnd,
        (isObsolete ? longDayNames : dayNames).contains(ASCII.lowercased(dayName))
      else { return nil }
      if isObsolete { year = latestYear - ((latestYear - year) % 100 + 100) % 100 }
      (date, time) = ((year, month, day), clock)
    } else {
      guard reader.skip(" "), let month = monthNumber(reader.letters()), reader.skip(" "),
        let day = reader.skip(" ") ? reader.number(digits: 1) : reader.number(digits: 2),
        reader.skip(" "), let clock = reader.clock(), reader.skip(" "),
        let year = reader.number(digits: 4), reader.isAtEnd, dayNames.contains(ASCII.lowercased(dayName))
      else { return nil }
      (date, time) = ((year, month, day), clock)
    }
    guard 1...days(inMonth: date.month, year: date.year) ~= date.day, time.hour < 24, time.minute < 60,
      time.second <= 60
    else { return nil }
    let day = dayNumber(year: date.year, month: date.month, day: date.day)
    return Int64(day * 86_400 + time.hour * 3600 + time.minute * 60 + time.second)
  }

  /// Returns the number of days in a month of the Gregorian calendar.
  public static func days(inMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: (year.isMultiple(of: 4) && !year.isMultiple(of: 100)) || year.isMultiple(of: 400) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Returns the number of days from January 1, 1970 to a day of the years 0 to 9999.
  public static func dayNumber(year: Int, month: Int, day: Int) -> Int {
    // The year starts in March, so that the leap day comes last and every month has a fixed offset. The calendar repeats
    // after 400 years, so the addition keeps all numbers positive.
    let marchYear = (month > 2 ? year : year - 1) + 400
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return marchYear * 365 + marchYear / 4 - marchYear / 100 + marchYear / 400 + dayOfYear - 719_468 - 146_097
  }

  /// Returns the number of a month from 1 to 12, from the beginning of its English name.
  public static func monthNumber(_ name: some StringProtocol) -> Int? {
    let name = ASCII.lowercased(name)
    return monthNames.firstIndex(of: name).map { $0 + 1 }
  }

  private static let monthNames = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let dayNames: Set = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]
  private static let longDayNames: Set = [
    "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday",
  ]

  /// Reads the parts of a date from the front.
  private struct Reader {
    var rest: Substring.UTF8View

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard rest.first == UInt8(ascii: character) else { return false }
      rest = rest.dropFirst()
      return true
    }

    mutating func letters() -> Substring {
      let word = rest.prefix { 0x61...0x7A ~= $0 | 0x20 }
      rest = rest[word.endIndex...]
      return Substring(word)
    }

    /// Reads a number with exactly this many digits.
    mutating func number(digits count: Int) -> Int? {
      let digits = rest.prefix(while: ASCII.isDigit)
      guard digits.count == count else { return nil }
      rest = rest[digits.endIndex...]
      return digits.reduce(0) { $0 * 10 + Int($1 &- 0x30) }
    }

    mutating func clock() -> (hour: Int, minute: Int, second: Int)? {
      guard let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), skip(":"),
        let second = number(digits: 2)
      else { return nil }
      return (hour, minute, second)
    }
  }
}
