extension Migration {
  /// Adds the uploads that can be resumed. The bytes of an upload are in a file, whose size is the offset.
  static let uploads = Migration(
    script: """
      CREATE TABLE uploads (
        id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
        user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        bytes INTEGER NOT NULL CHECK (bytes > 0),
        caption TEXT NOT NULL,
        shares_metadata INTEGER NOT NULL CHECK (shares_metadata IN (0, 1)),
        allows_duplicate INTEGER NOT NULL CHECK (allows_duplicate IN (0, 1)),
        description TEXT NOT NULL,
        created INTEGER NOT NULL,
        expires INTEGER NOT NULL,
        post INTEGER
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX uploads_by_user ON uploads (user);
      CREATE INDEX uploads_by_end ON uploads (expires);
      """)
}
