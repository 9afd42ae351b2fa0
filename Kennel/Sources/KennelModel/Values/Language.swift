/// A language of the pages. The raw value is its tag (RFC 5646).
///
/// Another language is another case here; then the compiler lists what is missing. See `docs/architecture.md`.
package enum Language: String, Sendable, Hashable, CaseIterable {
  case english = "en"
  case german = "de"

  /// The name in the language itself, for people who choose it.
  package var name: String {
    switch self {
    case .english: "English"
    case .german: "Deutsch"
    }
  }

  /// The names of the months, from the first one.
  package var monthNames: [String] {
    switch self {
    case .english:
      [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
        "November", "December",
      ]
    case .german:
      [
        "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
        "November", "Dezember",
      ]
    }
  }
}
