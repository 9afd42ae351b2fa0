import Foundation

extension Date {
  /// The date in the format of JSON and pages, such as `2026-11-20T10:00:00Z`.
  var iso8601: String { formatted(Date.ISO8601FormatStyle()) }
}
