/// A step from one version of the database schema to the next. Its number is its position in `all`, starting at 1.
package struct Migration: Sendable {
  package let script: String

  /// A released step is never changed. A new schema is a new step.
  package static let all = [
    accountsAndPosts, favouritesAndComments, events, peers, eventDetails, identities, decisions,
    takenTimes, bin,
  ]

  static let accountsAndPosts = Migration(
    script: """
      CREATE TABLE users (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        folded TEXT NOT NULL UNIQUE,
        role TEXT NOT NULL CHECK (role IN ('owner', 'member')),
        password TEXT NOT NULL,
        created INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE sessions (
        token BLOB PRIMARY KEY NOT NULL CHECK (length(token) = 32),
        user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        created INTEGER NOT NULL,
        expires INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX sessions_by_user ON sessions (user, created);
      CREATE INDEX sessions_by_expiry ON sessions (expires);
      CREATE TABLE photos (
        hash BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
        bytes INTEGER NOT NULL CHECK (bytes > 0),
        width INTEGER NOT NULL CHECK (width > 0),
        height INTEGER NOT NULL CHECK (height > 0),
        format TEXT NOT NULL,
        thumbhash BLOB NOT NULL
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE removals (
        hash BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE posts (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        author INTEGER NOT NULL REFERENCES users,
        photo BLOB NOT NULL REFERENCES photos,
        caption TEXT NOT NULL,
        created INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX posts_by_photo ON posts (photo);
      CREATE INDEX posts_by_author ON posts (author);
      """)

  static let favouritesAndComments = Migration(
    script: """
      CREATE TABLE favourites (
        post INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE,
        user INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        created INTEGER NOT NULL,
        PRIMARY KEY (post, user)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX favourites_by_user ON favourites (user, post);
      CREATE TABLE comments (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        post INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE,
        author INTEGER NOT NULL REFERENCES users,
        text TEXT NOT NULL,
        created INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX comments_by_post ON comments (post, id);
      CREATE INDEX comments_by_author ON comments (author);
      """)

  static let events = Migration(
    script: """
      CREATE TABLE events (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        kind TEXT NOT NULL,
        post INTEGER NOT NULL,
        comment INTEGER,
        count INTEGER,
        created INTEGER NOT NULL
      ) STRICT;
      """)

  /// A row in `taken` is kept when its post is deleted, so that the post is not fetched again.
  static let peers = Migration(
    script: """
      ALTER TABLE posts ADD COLUMN peer TEXT;
      ALTER TABLE posts ADD COLUMN peer_author TEXT;
      ALTER TABLE posts ADD COLUMN remote INTEGER;
      CREATE INDEX posts_born_here ON posts (id) WHERE peer IS NULL;
      CREATE TABLE taken (
        peer TEXT NOT NULL,
        remote INTEGER NOT NULL,
        PRIMARY KEY (peer, remote)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE peers (
        name TEXT PRIMARY KEY NOT NULL,
        cursor INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
      """)

  /// Adds the user who gave a heart, for this user's other windows, and the photo of a deleted post, for clients with
  /// thumbnails of it.
  static let eventDetails = Migration(
    script: """
      ALTER TABLE events ADD COLUMN user INTEGER REFERENCES users ON DELETE SET NULL;
      ALTER TABLE events ADD COLUMN given INTEGER;
      ALTER TABLE events ADD COLUMN photo BLOB;
      """)

  /// The current identity is the row without a last number. It is created when the store is opened. In `peers`, the row
  /// of an address has the identity of the kennel that was there last. The read position of a kennel is in a row with
  /// its own name (``PeerKey``).
  static let identities = Migration(
    script: """
      CREATE TABLE identities (
        number INTEGER PRIMARY KEY,
        identity BLOB NOT NULL UNIQUE CHECK (length(identity) = 16),
        through INTEGER
      ) STRICT;
      ALTER TABLE peers ADD COLUMN identity BLOB CHECK (length(identity) = 16);
      """)

  /// Adds what the owner decides for the kennel. A kennel that was opened before this step exists was open to everyone, and
  /// stays so until its owner decides.
  static let decisions = Migration(
    script: """
      CREATE TABLE decisions (
        name TEXT PRIMARY KEY NOT NULL,
        value TEXT NOT NULL
      ) STRICT, WITHOUT ROWID;
      INSERT INTO decisions SELECT 'visibility', 'undecided'
      WHERE EXISTS (SELECT 1 FROM identities) OR EXISTS (SELECT 1 FROM users);
      """)

  /// Adds when photos were taken: the moment in milliseconds, the offset of its time zone in seconds, and how it is known.
  /// Posts are ordered by the local time, which is their sum. The photos in `undated` count as taken when they were shared, until their files
  /// are read in the background.
  static let takenTimes = Migration(
    script: """
      ALTER TABLE posts ADD COLUMN taken INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE posts ADD COLUMN taken_offset INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE posts ADD COLUMN taken_source TEXT NOT NULL DEFAULT 'shared';
      ALTER TABLE posts ADD COLUMN taken_local INTEGER NOT NULL DEFAULT 0
        CHECK (taken_local = taken + taken_offset * 1000);
      UPDATE posts SET taken = min(max(created, -62135596800000), 253402300799999),
        taken_local = min(max(created, -62135596800000), 253402300799999);
      CREATE INDEX posts_by_time ON posts (taken_local, id);
      CREATE TABLE undated (
        post INTEGER PRIMARY KEY REFERENCES posts ON DELETE CASCADE
      ) STRICT;
      INSERT INTO undated SELECT id FROM posts;
      """)

  /// Adds when posts were moved to the bin. The posts that are not in it are found by their time.
  static let bin = Migration(
    script: """
      ALTER TABLE posts ADD COLUMN binned INTEGER;
      DROP INDEX posts_by_time;
      CREATE INDEX posts_by_time ON posts (binned, taken_local, id);
      """)

  /// Applies the missing steps, each in its own transaction.
  static func bringUpToDate(
    _ connection: Connection, path: String, migrations: [Migration]
  ) throws(KennelError) {
    // The version is read again in each transaction because another program may do the same.
    while try step(connection, path: path, migrations: migrations) {}
  }

  private static func step(
    _ connection: Connection, path: String, migrations: [Migration]
  ) throws(KennelError) -> Bool {
    try connection.run("BEGIN IMMEDIATE")
    do throws(KennelError) {
      let version = Int(try connection.first("PRAGMA user_version") { $0.integer(0) } ?? 0)
      guard version >= 0, version <= migrations.count else {
        throw KennelError(
          .newerSchema,
          "The database at \(path) was written by a later version of Kennel (format \(version); this version "
            + "supports \(migrations.count)). Install that version, or restore a backup.")
      }
      if version == 0, try connection.first("SELECT 1 FROM sqlite_schema", row: { _ in true }) != nil {
        throw KennelError(
          .foreignDatabase,
          "The database at \(path) belongs to another program. Use a separate directory for Kennel.")
      }
      let isDone = version == migrations.count
      if !isDone {
        try connection.script(migrations[version].script)
        try connection.script("PRAGMA user_version = \(version + 1)")
      }
      try connection.run("COMMIT")
      return !isDone
    } catch {
      if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
      throw error
    }
  }
}
