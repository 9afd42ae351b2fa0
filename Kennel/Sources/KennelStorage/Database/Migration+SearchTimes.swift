extension Migration {
  /// Adds an index with what a search needs of the posts that it finds. It is much smaller than the posts themselves.
  static let searchTimes = Migration(
    script: """
      CREATE INDEX posts_by_id ON posts (id, taken_local) WHERE binned IS NULL;
      """)
}
