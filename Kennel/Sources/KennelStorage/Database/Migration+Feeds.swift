extension Migration {
  /// Adds the secret addresses of feeds, one for each user at most, and when posts were changed last.
  static let feeds = Migration(
    script: """
      CREATE TABLE feeds (
        user INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        token BLOB NOT NULL UNIQUE CHECK (length(token) = 32),
        created INTEGER NOT NULL
      ) STRICT;
      ALTER TABLE posts ADD COLUMN edited INTEGER;
      """)
}
