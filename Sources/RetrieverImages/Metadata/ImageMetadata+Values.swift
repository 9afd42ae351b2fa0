import Foundation

extension ImageMetadata {
  /// The density of the pixels when an image is printed.
  public struct Resolution: Sendable, Hashable {
    enum Unit { case inch, centimeter, meter }

    /// Pixels per inch from left to right.
    public var horizontal: Double
    /// Pixels per inch from top to bottom.
    public var vertical: Double

    /// Creates a resolution from two numbers of pixels per inch.
    public init(horizontal: Double, vertical: Double) {
      self.horizontal = horizontal
      self.vertical = vertical
    }

    /// Returns nil if a density is not positive or has no unit, which means that only the ratio is known.
    init?(horizontal: Double, vertical: Double, unit: Unit?) {
      let perInch: Double
      switch unit {
      case .inch: perInch = 1
      case .centimeter: perInch = 2.54
      case .meter: perInch = 0.0254
      case nil: return nil
      }
      guard horizontal > 0, vertical > 0 else { return nil }
      self.init(horizontal: horizontal * perInch, vertical: vertical * perInch)
    }
  }

  /// A place on the Earth.
  public struct Location: Sendable, Hashable {
    /// The latitude in degrees, from -90 (south) to 90 (north).
    public var latitude: Double
    /// The longitude in degrees, from -180 (west) to 180 (east).
    public var longitude: Double
    /// The altitude in meters above the sea level.
    public var altitude: Double?
    /// The time of the position, as the satellites state it.
    public var timestamp: Timestamp?

    /// Creates a place. Returns nil if the latitude or longitude is out of range.
    public init?(latitude: Double, longitude: Double, altitude: Double? = nil, timestamp: Timestamp? = nil) {
      guard (-90...90).contains(latitude), (-180...180).contains(longitude) else { return nil }
      self.latitude = latitude
      self.longitude = longitude
      self.altitude = altitude
      self.timestamp = timestamp
    }
  }

  /// A date and a time of day, with the time zone if the file states it.
  ///
  /// Many cameras store the time of their clock without its zone. Such a time belongs to no moment, so ``date`` is nil.
  public struct Timestamp: Sendable, Hashable, CustomStringConvertible {
    /// The year, from 1 to 9999.
    public let year: Int
    /// The month, from 1 to 12.
    public let month: Int
    /// The day of the month, from 1.
    public let day: Int
    /// The hour, from 0 to 23.
    public let hour: Int
    /// The minute, from 0 to 59.
    public let minute: Int
    /// The second, from 0 to 60.
    public let second: Int
    /// The fraction of the second in nanoseconds.
    public let nanosecond: Int
    /// The difference of the time zone from GMT in seconds; nil if the zone is unknown.
    public let secondsFromGMT: Int?
    /// Whether only the day is known. The hour, the minute and the second are 0 then.
    public let isDateOnly: Bool

    /// Creates a time. Returns nil if one of the numbers is out of range.
    public init?(
      year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, nanosecond: Int = 0,
      secondsFromGMT: Int? = nil
    ) {
      self.init(
        year, month, day, hour, minute, second, nanosecond, secondsFromGMT, isDateOnly: false)
    }

    fileprivate init?(
      _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int, _ second: Int, _ nanosecond: Int,
      _ secondsFromGMT: Int?, isDateOnly: Bool
    ) {
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
      guard (1...9999).contains(year), (1...12).contains(month), (1...lengths[month - 1]).contains(day),
        (0...23).contains(hour), (0...59).contains(minute), (0...60).contains(second),
        (0...999_999_999).contains(nanosecond), (-64_800...64_800).contains(secondsFromGMT ?? 0)
      else { return nil }
      self.year = year
      self.month = month
      self.day = day
      self.hour = hour
      self.minute = minute
      self.second = second
      self.nanosecond = nanosecond
      self.secondsFromGMT = secondsFromGMT
      self.isDateOnly = isDateOnly
    }

    /// The moment; nil if the time zone is unknown.
    public var date: Date? { secondsFromGMT.map { date(secondsFromGMT: $0) } }

    /// Returns the moment that this time is in a time zone, regardless of the zone in the file.
    public func date(in zone: TimeZone) -> Date {
      let guess = date(secondsFromGMT: zone.secondsFromGMT(for: date(secondsFromGMT: 0)))
      return date(secondsFromGMT: zone.secondsFromGMT(for: guess))
    }

    private func date(secondsFromGMT: Int) -> Date {
      // Days since 1 March of the year 0, in the Gregorian calendar.
      let shifted = month > 2 ? year : year - 1
      let monthDays = (153 * ((month + 9) % 12) + 2) / 5
      let days = 365 * shifted + shifted / 4 - shifted / 100 + shifted / 400 + monthDays + day - 1
      let seconds = (days - 719_468) * 86_400 + hour * 3_600 + minute * 60 + second - secondsFromGMT
      return Date(timeIntervalSince1970: Double(seconds) + Double(nanosecond) / 1e9)
    }

    /// The time in the form of ISO 8601, such as `2026-11-26T16:00:00.25+01:00`, or the day, such as `2026-11-26`.
    public var description: String {
      func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, width - text.count)) + text
      }
      var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
      if isDateOnly { return text }
      text += "T\(padded(hour, 2)):\(padded(minute, 2)):\(padded(second, 2))"
      if nanosecond > 0 {
        var digits = padded(nanosecond, 9)
        while digits.hasSuffix("0") { digits.removeLast() }
        text += "." + digits
      }
      guard let secondsFromGMT else { return text }
      if secondsFromGMT == 0 { return text + "Z" }
      let minutes = abs(secondsFromGMT) / 60
      return text + (secondsFromGMT < 0 ? "-" : "+") + padded(minutes / 60, 2) + ":" + padded(minutes % 60, 2)
    }
  }
}

extension ImageMetadata.Timestamp {
  /// Reads the forms of EXIF (`2026:11:26 16:00:00`) and of ISO 8601 (`2026-11-26T16:00:00.25+01:00`).
  ///
  /// - Parameters:
  ///   - fraction: The digits after the decimal point, which EXIF stores separately.
  ///   - zone: The time zone, which EXIF stores separately, such as `+01:00`.
  init?(_ text: String, fraction: String? = nil, zone: String? = nil) {
    var rest = text[...]
    func number(_ digits: Int) -> Int? {
      let part = rest.prefix(digits)
      guard part.count == digits, part.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
      rest = rest.dropFirst(digits)
      return Int(part)
    }
    func skip(_ separators: String) -> Bool {
      guard let first = rest.first, separators.contains(first) else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4), skip(":-"), let month = number(2), skip(":-"), let day = number(2) else {
      return nil
    }
    var (hour, minute, second, digits) = (0, 0, 0, fraction ?? "")
    let hasTime = skip(" T")
    if hasTime {
      guard let hours = number(2), skip(":"), let minutes = number(2) else { return nil }
      (hour, minute) = (hours, minutes)
      if skip(":") { second = number(2) ?? 0 }
      if skip(".") {
        digits = String(rest.prefix { $0.isASCII && $0.isNumber })
        rest = rest.dropFirst(digits.count)
      }
    }
    let own = Self.offset(String(rest))
    self.init(
      year, month, day, hour, minute, second, hasTime ? Self.nanoseconds(digits) : 0,
      hasTime ? own ?? zone.flatMap(Self.offset) : nil, isDateOnly: !hasTime)
  }

  /// Reads the form of mail messages, which the PNG specification recommends: `Fri, 5 Jun 2020 10:11:12 +0200`.
  init?(message text: String) {
    var parts = text.split(whereSeparator: { " ,".contains($0) })[...]
    if parts.count == 6 { parts = parts.dropFirst() }
    let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard parts.count == 5, let day = parts.popFirst().flatMap({ Int($0) }),
      let month = parts.popFirst().flatMap({ months.firstIndex(of: $0.capitalized) }),
      let year = parts.popFirst().flatMap({ Int($0) })
    else { return nil }
    let clock = parts.removeFirst().split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard clock.count == 3 || clock.count == 2, let hour = clock[0], let minute = clock[1],
      let second = clock.count == 3 ? clock[2] : 0
    else { return nil }
    let zone = String(parts.removeFirst())
    self.init(
      year: year, month: month + 1, day: day, hour: hour, minute: minute, second: second,
      secondsFromGMT: ["GMT", "UT", "UTC"].contains(zone.uppercased()) ? 0 : Self.offset(zone))
  }

  private static func nanoseconds(_ digits: String) -> Int {
    let digits = digits.prefix { $0.isASCII && $0.isNumber }.prefix(9)
    return Int(digits + String(repeating: "0", count: 9 - digits.count)) ?? 0
  }

  /// Returns the seconds of a time zone such as `+01:00`, `+0100` or `Z`.
  private static func offset(_ text: String) -> Int? {
    if text == "Z" { return 0 }
    let isShort = text.utf8.count == 5 && !text.contains(":")
    let text = isShort ? "\(text.prefix(3)):\(text.suffix(2))" : text
    let parts = text.dropFirst().split(separator: ":", omittingEmptySubsequences: false)
    guard let sign = text.first, sign == "+" || sign == "-", parts.count == 2, parts[0].count == 2,
      parts[1].count == 2, let hours = Int(parts[0]), let minutes = Int(parts[1]), hours >= 0,
      (0...59).contains(minutes)
    else { return nil }
    return (sign == "-" ? -1 : 1) * (hours * 3_600 + minutes * 60)
  }
}
