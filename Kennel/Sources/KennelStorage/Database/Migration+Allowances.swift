extension Migration {
  /// Adds the attempts that all processes count together, such as those to sign in. The keys are hashes.
  static let allowances = Migration(
    script: """
      CREATE TABLE allowances (
        key BLOB PRIMARY KEY NOT NULL CHECK (length(key) = 32),
        until INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX allowances_by_end ON allowances (until);
      """)
}
