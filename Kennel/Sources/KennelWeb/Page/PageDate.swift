import Foundation
import KennelModel
import KennelStorage

/// A date as the page shows it. Scripts show it in the reader's time zone.
struct PageDate {
  let date: Date
  let words: DateWords

  /// The date in the form `2026-11-20T10:00:00Z`.
  var machineReadable: String { date.iso8601 }

  /// The day, in UTC.
  var day: String { words.day(CalendarTime(localMilliseconds: date.milliseconds)) }

  var html: HTML { "<time datetime=\"\(machineReadable)\">\(day)</time>" }
}

/// The time when a photo was taken, as the page shows it: what a clock at the place showed.
struct PageTakenTime {
  let time: TakenTime
  let words: Words

  /// Returns nil if it is not known when the photo was taken.
  var html: HTML? {
    if time.source == .shared { return nil }
    return """
      <p class="taken"><svg class="icon" aria-hidden="true"><use href="#calendar"/></svg>\
      <span><span class="hidden-text">\(words.photo.takenOn)</span><time datetime="\(time.iso8601)" data-taken>\(moment)</time>\
      \(note)</span></p>
      """
  }

  private var moment: String {
    let clock = time.clock
    let minute = clock.minute < 10 ? "0\(clock.minute)" : "\(clock.minute)"
    return words.dates.moment(clock, "\(clock.hour):\(minute)")
  }

  private var note: HTML? {
    switch time.source {
    case .file: "<span class=\"note\">\(words.photo.dateOfFile)</span>"
    case .cameraClock: "<span class=\"note\">\(words.photo.zoneNotRecorded)</span>"
    case .camera, .shared, .edited: nil
    }
  }
}
