extension Migration {
  /// Adds the language that a user has chosen. It is null if the browser decides. The tags are not restricted, because a later
  /// version may have other languages.
  static let languages = Migration(script: "ALTER TABLE users ADD COLUMN language TEXT")
}
