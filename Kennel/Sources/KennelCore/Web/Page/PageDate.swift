import Foundation

/// A date as the page shows it. Scripts show it in the reader's time zone and language.
struct PageDate {
  let date: Date

  private static let months = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November",
    "December",
  ]

  /// The date in the form `2026-11-20T10:00:00Z`.
  var machineReadable: String { date.iso8601 }

  /// The date in the form `20 November 2026`, in UTC.
  var words: String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.year, .month, .day], from: date)
    let month = Self.months[min(max((parts.month ?? 1) - 1, 0), 11)]
    return "\(parts.day ?? 1) \(month) \(parts.year ?? 1970)"
  }

  var html: HTML { "<time datetime=\"\(machineReadable)\">\(words)</time>" }
}
