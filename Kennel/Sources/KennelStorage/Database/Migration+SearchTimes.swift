extension Migration {
  // These steps change nothing. The steps of the two databases have the same numbers, and these are PostgreSQL's.

  /// Adds times to the words of posts (`PostgresSchema.searchTimesScript`).
  static let searchTimes = Migration(script: "")

  /// Adds words with periods (`PostgresSchema.searchPeriodsScript`).
  static let searchPeriods = Migration(script: "")
}
