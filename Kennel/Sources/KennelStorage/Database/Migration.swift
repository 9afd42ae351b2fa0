/// A step from one version of the database schema to the next. Its number is its position in `all`, starting at 1.
package struct Migration: Sendable {
  package let script: String
  /// Whether the step makes a table again that others refer to. Foreign keys are then checked at its end only.
  private let rebuildsTables: Bool

  package init(script: String, rebuildsTables: Bool = false) {
    self.script = script
    self.rebuildsTables = rebuildsTables
  }

  /// A released step is never changed. A new schema is a new step.
  package static let all = [
    accountsAndPosts, favouritesAndComments, events, peers, eventDetails, identities, decisions, privacy,
    people, takenTimes, bin, albums, search, feeds, languages, quotas, videos, uploads, albumSearch, counters,
    removalTimes, userPictures, allowances, searchTimes, earlySearchOrder, earlySearchOrder, searchOrder,
    searchPeriods,
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

  /// Adds what only authors have of their photos, the links for people without an account, and the tokens of other kennels.
  ///
  /// `metadata` is NULL for the photos of earlier versions, until they are examined. `parts` has the files with what was
  /// taken out of photos (``PrivatePart``); they are stored like photos. Later, a link may lead to something else than a post.
  static let privacy = Migration(
    script: """
      CREATE TABLE parts (
        hash BLOB PRIMARY KEY NOT NULL CHECK (length(hash) = 32),
        bytes INTEGER NOT NULL CHECK (bytes > 0)
      ) STRICT, WITHOUT ROWID;
      ALTER TABLE posts ADD COLUMN metadata TEXT;
      ALTER TABLE posts ADD COLUMN original BLOB CHECK (length(original) = 32);
      ALTER TABLE posts ADD COLUMN original_format TEXT;
      ALTER TABLE posts ADD COLUMN part BLOB REFERENCES parts;
      CREATE INDEX posts_not_examined ON posts (id) WHERE metadata IS NULL;
      CREATE INDEX posts_by_original ON posts (original) WHERE original IS NOT NULL;
      CREATE INDEX posts_by_part ON posts (part) WHERE part IS NOT NULL;
      CREATE TABLE links (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        token BLOB NOT NULL UNIQUE CHECK (length(token) = 32),
        post INTEGER REFERENCES posts ON DELETE CASCADE,
        maker INTEGER NOT NULL REFERENCES users ON DELETE CASCADE,
        created INTEGER NOT NULL,
        expires INTEGER
      ) STRICT;
      CREATE INDEX links_by_post ON links (post, id);
      CREATE INDEX links_by_maker ON links (maker);
      CREATE TABLE peer_tokens (
        name TEXT PRIMARY KEY NOT NULL,
        token BLOB NOT NULL UNIQUE CHECK (length(token) = 32),
        created INTEGER NOT NULL,
        used INTEGER
      ) STRICT, WITHOUT ROWID;
      """)

  /// Adds the role of a viewer, links that create accounts and set passwords, and what a session knows of its device.
  ///
  /// A constraint cannot be changed, so the table of users is made again. Its last id is kept: ids are not used again.
  static let people = Migration(
    script: """
      CREATE TABLE users_rebuilt (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        folded TEXT NOT NULL UNIQUE,
        role TEXT NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
        password TEXT NOT NULL,
        created INTEGER NOT NULL
      ) STRICT;
      INSERT INTO users_rebuilt (id, name, folded, role, password, created)
      SELECT id, name, folded, role, password, created FROM users;
      DELETE FROM sqlite_sequence WHERE name = 'users_rebuilt';
      INSERT INTO sqlite_sequence (name, seq)
      SELECT 'users_rebuilt', seq FROM sqlite_sequence WHERE name = 'users';
      DROP TABLE users;
      ALTER TABLE users_rebuilt RENAME TO users;
      ALTER TABLE sessions ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
      ALTER TABLE sessions ADD COLUMN device TEXT NOT NULL DEFAULT '';
      ALTER TABLE sessions ADD COLUMN address TEXT NOT NULL DEFAULT '';
      ALTER TABLE sessions ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
      UPDATE sessions SET number = (random() & 281474976710655) + 1, used = created;
      CREATE UNIQUE INDEX sessions_by_number ON sessions (number);
      CREATE TABLE account_links (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        token BLOB NOT NULL UNIQUE CHECK (length(token) = 32),
        kind TEXT NOT NULL CHECK (kind IN ('first', 'account', 'password')),
        role TEXT CHECK (role IN ('owner', 'member', 'viewer')),
        user INTEGER REFERENCES users ON DELETE CASCADE,
        creator INTEGER REFERENCES users ON DELETE CASCADE,
        created INTEGER NOT NULL,
        expires INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX account_links_by_user ON account_links (user);
      CREATE INDEX account_links_by_creator ON account_links (creator);
      """, rebuildsTables: true)

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

  /// Adds albums, the posts in them, and links to them. A post can be in several albums. It stays in them while it is in the bin.
  static let albums = Migration(
    script: """
      CREATE TABLE albums (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        title TEXT NOT NULL CHECK (title <> ''),
        owner INTEGER NOT NULL REFERENCES users,
        is_open INTEGER NOT NULL DEFAULT 0 CHECK (is_open IN (0, 1)),
        cover INTEGER REFERENCES posts ON DELETE SET NULL,
        created INTEGER NOT NULL,
        changed INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX albums_by_owner ON albums (owner);
      CREATE INDEX albums_by_cover ON albums (cover) WHERE cover IS NOT NULL;
      CREATE TABLE album_posts (
        album INTEGER NOT NULL REFERENCES albums ON DELETE CASCADE,
        post INTEGER NOT NULL REFERENCES posts ON DELETE CASCADE,
        adder INTEGER REFERENCES users ON DELETE SET NULL,
        added INTEGER NOT NULL,
        PRIMARY KEY (album, post)
      ) STRICT, WITHOUT ROWID;
      CREATE INDEX album_posts_by_post ON album_posts (post, album);
      CREATE INDEX album_posts_by_adder ON album_posts (adder) WHERE adder IS NOT NULL;
      ALTER TABLE links ADD COLUMN album INTEGER REFERENCES albums ON DELETE CASCADE;
      CREATE INDEX links_by_album ON links (album, id) WHERE album IS NOT NULL;
      ALTER TABLE events ADD COLUMN album INTEGER;
      """)

  /// Applies the missing steps, each in its own transaction. A database of an older version is copied first.
  static func bringUpToDate(
    _ connection: Connection, path: String, migrations: [Migration]
  ) throws(KennelError) {
    let version = try version(connection)
    if version > 0, version < migrations.count {
      try MigrationCopy.make(of: connection, path: path, version: version)
    }
    // The version is read again in each transaction because another program may do the same.
    while try step(connection, path: path, migrations: migrations) {}
  }

  private static func step(
    _ connection: Connection, path: String, migrations: [Migration]
  ) throws(KennelError) -> Bool {
    // Within a transaction, this setting cannot be changed. It only matters for a step that begins at this version.
    let expected = try version(connection)
    let suspendsKeys = migrations.indices.contains(expected) && migrations[expected].rebuildsTables
    if suspendsKeys { try connection.script("PRAGMA foreign_keys = OFF") }
    defer { if suspendsKeys { _ = try? connection.script("PRAGMA foreign_keys = ON") } }
    try connection.run("BEGIN IMMEDIATE")
    do throws(KennelError) {
      guard try version(connection) == expected else {
        try connection.run("ROLLBACK")
        return true
      }
      let version = try supportedVersion(connection, path: path, migrations: migrations)
      let isDone = version == migrations.count
      if !isDone {
        try connection.script(migrations[version].script)
        if suspendsKeys { try checkReferences(connection, path: path) }
        try connection.script("PRAGMA user_version = \(version + 1)")
      }
      try connection.run("COMMIT")
      return !isDone
    } catch {
      if connection.isInTransaction { _ = try? connection.run("ROLLBACK") }
      throw error
    }
  }

  private static func checkReferences(_ connection: Connection, path: String) throws(KennelError) {
    guard let table = try connection.first("PRAGMA foreign_key_check", row: { $0.text(0) }) else { return }
    throw KennelError(
      .damaged,
      "The database at \(path) is damaged (a row of \(table) refers to a row that does not exist). Restore a backup."
    )
  }
}
