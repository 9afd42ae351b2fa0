import Foundation

extension Date {
  /// As dates stand in JSON and in pages: `2026-11-20T10:00:00Z`.
  var iso8601: String { formatted(Date.ISO8601FormatStyle()) }
}
