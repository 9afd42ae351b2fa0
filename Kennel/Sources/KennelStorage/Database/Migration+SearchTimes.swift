extension Migration {
  /// Changes nothing. This step of PostgreSQL adds times to the words of posts (`PostgresSchema.searchTimesScript`), and the two
  /// have the same numbers.
  static let searchTimes = Migration(script: "")
}
