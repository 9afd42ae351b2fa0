extension Migration {
  /// Adds the limits on how many bytes the photos of users may take. A user without a row has the default, which is a decision
  /// for the kennel. NULL is no limit.
  static let quotas = Migration(
    script: """
      CREATE TABLE quotas (
        user INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        bytes INTEGER CHECK (bytes >= 0)
      ) STRICT;
      """)
}
