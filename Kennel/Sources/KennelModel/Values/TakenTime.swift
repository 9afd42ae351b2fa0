import Foundation
import KennelStorage
import RetrieverImages

/// The time when a photo was taken: a moment, the time zone of its place, and how they are known.
///
/// Photos are ordered by their local time, which a clock at the place showed. So the photos of a camera that does not record
/// its time zone are in order with the others of a journey, and a month has the same photos for everyone.
package struct TakenTime: Sendable, Hashable {
  /// How the time is known.
  package enum Source: String, Sendable, Hashable, CaseIterable {
    /// The camera recorded the time and its zone.
    case camera
    /// The camera recorded the time only. The zone is that of the kennel.
    case cameraClock = "camera-clock"
    /// The photo has no time. This is the modification date of an imported file.
    case file
    /// The photo has no time. This is the date of the post.
    case shared
    /// A person set the time.
    case edited
  }

  /// The moment in milliseconds since 1970.
  package let milliseconds: Int64
  /// The difference of the time zone from GMT in seconds, which are complete minutes.
  package let secondsFromGMT: Int
  package let source: Source

  /// Creates a time. A date or a difference out of range becomes the nearest one in range.
  package init(_ date: Date, secondsFromGMT: Int, source: Source) {
    self.secondsFromGMT = Self.minutes(secondsFromGMT)
    milliseconds = Self.clamped(date.milliseconds)
    self.source = source
  }

  /// Creates the time of a moment in a time zone.
  package init(_ date: Date, in zone: TimeZone, source: Source) {
    let date = Date(milliseconds: Self.clamped(date.milliseconds))
    self.init(date, secondsFromGMT: zone.secondsFromGMT(for: date), source: source)
  }

  /// Creates a time from what a clock in a time zone shows.
  init(clock: ImageMetadata.Timestamp, secondsFromGMT: Int, source: Source) {
    let offset = Self.minutes(secondsFromGMT)
    self.init(clock.date(in: .gmt) - Double(offset), secondsFromGMT: offset, source: source)
  }

  /// Creates a time from what a clock in a time zone shows.
  init(clock: ImageMetadata.Timestamp, in zone: TimeZone, source: Source) {
    let offset = zone.secondsFromGMT(for: clock.date(in: zone))
    self.init(clock: clock, secondsFromGMT: offset, source: source)
  }

  /// The moment.
  package var date: Date { Date(milliseconds: milliseconds) }

  /// The local time in milliseconds since a clock at the place showed 1 January 1970, 0:00.
  package var localMilliseconds: Int64 { milliseconds + Int64(secondsFromGMT) * 1000 }

  package var month: Month { Month(localMilliseconds: localMilliseconds) }

  /// What a clock at the place showed.
  package var clock: CalendarTime { CalendarTime(localMilliseconds: localMilliseconds) }

  /// Returns whether a photo can have been taken at this time: after photography was invented, and not in the future. One
  /// day is allowed for wrong clocks and time zones.
  package func isPossible(now: Date) -> Bool {
    milliseconds >= Self.firstPhotograph && milliseconds <= (now + 86_400).milliseconds
  }

  /// 1 January 1826.
  private static let firstPhotograph: Int64 = -4_544_208_000_000

  private static func clamped(_ milliseconds: Int64) -> Int64 {
    min(max(milliseconds, CalendarTime.range.lowerBound), CalendarTime.range.upperBound)
  }

  private static func minutes(_ seconds: Int) -> Int { min(max(seconds, -64_800), 64_800) / 60 * 60 }
}

// MARK: Text

extension TakenTime {
  /// The local time and its zone in the form of ISO 8601, such as `2026-07-14T16:03:00+02:00`.
  package var iso8601: String {
    let clock = clock
    let minutes = abs(secondsFromGMT) / 60
    let zone =
      secondsFromGMT == 0
      ? "Z"
      : (secondsFromGMT < 0 ? "-" : "+") + "\((minutes / 60).padded(to: 2)):\((minutes % 60).padded(to: 2))"
    return "\(clock.year.padded(to: 4))-\(clock.month.padded(to: 2))-\(clock.day.padded(to: 2))T"
      + "\(clock.hour.padded(to: 2)):\(clock.minute.padded(to: 2)):\(clock.second.padded(to: 2))\(zone)"
  }

  /// Reads a time such as `2026-07-14T16:03:00+02:00`. The seconds and the zone may be missing.
  ///
  /// - Parameter zone: the zone for a time without one.
  package init?(_ text: String, in zone: TimeZone, source: Source) {
    var rest = Substring(text)
    func number(_ digits: Int) -> Int? {
      let part = rest.prefix(digits)
      guard part.utf8.count == digits, part.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
      rest = rest.dropFirst(digits)
      return Int(part)
    }
    func skip(_ character: Character) -> Bool {
      guard rest.first == character else { return false }
      rest = rest.dropFirst()
      return true
    }
    guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2), skip("T"),
      let hour = number(2), skip(":"), let minute = number(2)
    else { return nil }
    var second = 0
    if skip(":") {
      guard let seconds = number(2) else { return nil }
      second = seconds
      if skip(".") { rest = rest.drop { $0.isASCII && $0.isNumber } }
    }
    var offset: Int?
    if skip("Z") {
      offset = 0
    } else if let sign = rest.first {
      guard sign == "+" || sign == "-" else { return nil }
      rest = rest.dropFirst()
      guard let hours = number(2), skip(":"), let minutes = number(2), hours <= 18, minutes <= 59 else {
        return nil
      }
      offset = (sign == "-" ? -1 : 1) * (hours * 3600 + minutes * 60)
    }
    guard rest.isEmpty,
      let clock = ImageMetadata.Timestamp(
        year: year, month: month, day: day, hour: hour, minute: minute, second: second)
    else { return nil }
    if let offset {
      self.init(clock: clock, secondsFromGMT: offset, source: source)
    } else {
      self.init(clock: clock, in: zone, source: source)
    }
  }
}
