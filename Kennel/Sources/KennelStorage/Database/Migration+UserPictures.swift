extension Migration {
  /// Adds the pictures of users. The version is different for each picture, because it is in the address of the picture.
  static let userPictures = Migration(
    script: """
      CREATE TABLE user_pictures (
        user INTEGER PRIMARY KEY REFERENCES users ON DELETE CASCADE,
        version INTEGER NOT NULL CHECK (version > 0),
        picture BLOB NOT NULL CHECK (length(picture) > 0)
      ) STRICT;
      """)
}
