extension Migration {
  /// Adds the time since when a photo is not used. Photos in a store stay for a while.
  static let removalTimes = Migration(
    script: """
      ALTER TABLE removals ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
      """)
}
