extension Migration {
  /// Adds the duration of videos in milliseconds. Photos have none.
  static let videos = Migration(
    script: """
      ALTER TABLE photos ADD COLUMN duration INTEGER CHECK (duration >= 0);
      """)
}
