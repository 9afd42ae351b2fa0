extension Migration {
  /// Adds the numbers that changes count up: `events` is the id of the latest event, and `names` is the number of users who
  /// were removed or got another name.
  ///
  /// Earlier, these were read from SQLite's own table of sequences, where a changed name skipped the id of a user.
  static let counters = Migration(
    script: """
      CREATE TABLE counters (
        name TEXT NOT NULL PRIMARY KEY,
        value INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      INSERT INTO counters
      SELECT 'events', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0)
      UNION ALL
      SELECT 'names', coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'users'), 0) - (SELECT count(*) FROM users);
      """)
}
