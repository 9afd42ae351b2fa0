import Foundation
import KennelModel
import KennelStorage

/// A date as the page shows it. Scripts show it in the reader's time zone and language.
struct PageDate {
  let date: Date

  /// The date in the form `2026-11-20T10:00:00Z`.
  var machineReadable: String { date.iso8601 }

  /// The date in the form `20 November 2026`, in UTC.
  var words: String { CalendarTime(localMilliseconds: date.milliseconds).words }

  var html: HTML { "<time datetime=\"\(machineReadable)\">\(words)</time>" }
}

/// The time when a photo was taken, as the page shows it: what a clock at the place showed.
struct PageTakenTime {
  let time: TakenTime

  /// Returns nil if it is not known when the photo was taken.
  var html: HTML? {
    if time.source == .shared { return nil }
    return """
      <p class="taken"><svg class="icon" aria-hidden="true"><use href="#calendar"/></svg>\
      <span><span class="hidden-text">Taken on </span><time datetime="\(time.iso8601)" data-taken>\(words)</time>\
      \(note)</span></p>
      """
  }

  private var words: String {
    let clock = time.clock
    let minute = clock.minute < 10 ? "0\(clock.minute)" : "\(clock.minute)"
    return "\(clock.words), \(clock.hour):\(minute)"
  }

  private var note: HTML? {
    switch time.source {
    case .file: "<span class=\"note\">date of the file</span>"
    case .cameraClock: "<span class=\"note\">time zone not recorded</span>"
    case .camera, .shared, .edited: nil
    }
  }
}

extension CalendarTime {
  /// The day in the form `20 November 2026`.
  var words: String { "\(day) \(Month.englishNames[month - 1]) \(year)" }
}
