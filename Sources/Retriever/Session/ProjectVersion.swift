/// The version of the project. Commands, manual pages and packages take it from here; `scripts/release` changes it.
enum ProjectVersion {
  static let current = "0.1.0"
}
