import PostgresClient

/// The tables of a kennel in PostgreSQL. The columns are those of SQLite after all of its migrations (``Migration``).
///
/// All integers are `bigint`, also those that SQLite uses for booleans, so that no statement differs. The words of the search are
/// different: a vector of words for each post, which is made by the program.
enum PostgresSchema {
  /// The version is the number of migrations of SQLite, so the two say the same. A later migration needs a step here, too.
  static let version = 28
  /// The steps after the first version, by the version that they lead to. Versions 25 to 27 change SQLite's index of words only.
  private static let steps: [Int: String] = [
    21: "ALTER TABLE removals ADD COLUMN since bigint NOT NULL DEFAULT 0",
    22: userPicturesScript,
    23: allowancesScript,
    24: searchTimesScript,
    28: searchPeriodsScript,
  ]

  /// The lock that makes writers wait for each other, and the one that processes take to create the tables.
  private static let writersLock = 0x6b65_6e6e_656c
  private static let schemaLock = writersLock + 1

  /// Begins a transaction that changes something. It waits for others, but not for one whose process hangs.
  static let beginWriting = beginWriting(idleLimit: "60s")

  /// Begins a transaction during which nobody else changes anything. It may take long.
  static let beginMoving = beginWriting(idleLimit: "0")

  private static func beginWriting(idleLimit: String) -> String {
    """
    BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SET LOCAL lock_timeout = '10s';
    SET LOCAL idle_in_transaction_session_timeout = '\(idleLimit)';
    SELECT pg_advisory_xact_lock(\(writersLock))
    """
  }

  private static let userPicturesScript = """
    CREATE TABLE user_pictures (
      "user" bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      version bigint NOT NULL CHECK (version > 0),
      picture bytea NOT NULL CHECK (length(picture) > 0)
    );
    """

  private static let allowancesScript = """
    CREATE TABLE allowances (key bytea PRIMARY KEY CHECK (length(key) = 32), until bigint NOT NULL);
    CREATE INDEX allowances_by_end ON allowances (until);
    """

  /// Creates the tables, or brings those of an earlier version up to date.
  ///
  /// - Throws: `newerSchema`; `foreignDatabase` if the database has tables of another program.
  static func bringUpToDate(_ connection: PostgresRecordConnection) throws(KennelError) {
    // Processes that start at the same moment do this one after the other.
    try connection.begin("BEGIN; SELECT pg_advisory_xact_lock(\(schemaLock))")
    do throws(KennelError) {
      let tables = try connection.rows(
        "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
      ) { $0.text(0) }
      if tables.isEmpty {
        try connection.script(tablesScript)
        try connection.script(userPicturesScript)
        try connection.script(allowancesScript)
        try connection.script(searchScript)
        try connection.script(searchTimesScript)
        try connection.script(searchPeriodsScript)
        try connection.run("INSERT INTO kennel (version) VALUES (?)", .integer(Int64(version)))
      } else {
        try update(connection, tables)
      }
      try connection.commit()
    } catch {
      connection.rollBack()
      throw error
    }
  }

  private static func update(
    _ connection: PostgresRecordConnection, _ tables: [String]
  ) throws(KennelError) {
    let found =
      tables.contains("kennel")
      ? try connection.first("SELECT version FROM kennel") { Int($0.integer(0)) } : nil
    guard let found else { throw foreign }
    guard found <= version else { throw newer(found) }
    for next in found..<version { if let step = steps[next + 1] { try connection.script(step) } }
    try connection.run("UPDATE kennel SET version = ?", .integer(Int64(version)))
  }

  /// Refuses a database that is not of this version, for work that must not change it.
  static func requireCurrent(_ connection: PostgresRecordConnection) throws(KennelError) {
    let isKennel = try connection.first("SELECT to_regclass('kennel') IS NOT NULL") { $0.integer(0) != 0 }
    let found =
      isKennel == true ? try connection.first("SELECT version FROM kennel") { Int($0.integer(0)) } : nil
    guard let found else { throw foreign }
    guard found <= version else { throw newer(found) }
    guard found == version else {
      throw KennelError(
        .olderSchema,
        "The database was written by an earlier version of Kennel (format \(found); this version uses \(version)). "
          + "Start the server, or run kennel check --repair, to update it.")
    }
  }

  private static let foreign = KennelError(
    .foreignDatabase,
    "The database has tables of another program. Create a separate database for Kennel.")

  private static func newer(_ found: Int) -> KennelError {
    KennelError(
      .newerSchema,
      "The database was written by a later version of Kennel (format \(found); this version supports \(version)). "
        + "Install that version.")
  }

  private static let tablesScript = """
    CREATE TABLE kennel (version bigint NOT NULL);
    CREATE TABLE counters (name text PRIMARY KEY, value bigint NOT NULL);
    INSERT INTO counters VALUES ('events', 0), ('names', 0);
    CREATE TABLE decisions (name text PRIMARY KEY, value text NOT NULL);
    CREATE TABLE identities (
      number bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      identity bytea NOT NULL UNIQUE CHECK (length(identity) = 16),
      through bigint
    );

    CREATE TABLE users (
      id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      name text NOT NULL,
      folded text COLLATE "C" NOT NULL UNIQUE,
      role text NOT NULL CHECK (role IN ('owner', 'member', 'viewer')),
      password text NOT NULL,
      created bigint NOT NULL,
      language text
    );
    CREATE TABLE sessions (
      token bytea PRIMARY KEY CHECK (length(token) = 32),
      "user" bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      created bigint NOT NULL,
      expires bigint NOT NULL,
      number bigint NOT NULL UNIQUE,
      device text NOT NULL DEFAULT '',
      address text NOT NULL DEFAULT '',
      used bigint NOT NULL DEFAULT 0
    );
    CREATE INDEX sessions_by_user ON sessions ("user", created);
    CREATE INDEX sessions_by_expiry ON sessions (expires);
    CREATE TABLE account_links (
      id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      token bytea NOT NULL UNIQUE CHECK (length(token) = 32),
      kind text NOT NULL CHECK (kind IN ('first', 'account', 'password')),
      role text CHECK (role IN ('owner', 'member', 'viewer')),
      "user" bigint REFERENCES users ON DELETE CASCADE,
      creator bigint REFERENCES users ON DELETE CASCADE,
      created bigint NOT NULL,
      expires bigint NOT NULL
    );
    CREATE INDEX account_links_by_user ON account_links ("user");
    CREATE INDEX account_links_by_creator ON account_links (creator);
    CREATE TABLE feeds (
      "user" bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      token bytea NOT NULL UNIQUE CHECK (length(token) = 32),
      created bigint NOT NULL
    );
    CREATE TABLE quotas (
      "user" bigint PRIMARY KEY REFERENCES users ON DELETE CASCADE,
      bytes bigint CHECK (bytes >= 0)
    );

    CREATE TABLE photos (
      hash bytea PRIMARY KEY CHECK (length(hash) = 32),
      bytes bigint NOT NULL CHECK (bytes > 0),
      width bigint NOT NULL CHECK (width > 0),
      height bigint NOT NULL CHECK (height > 0),
      format text NOT NULL,
      thumbhash bytea NOT NULL,
      duration bigint CHECK (duration >= 0)
    );
    CREATE TABLE parts (hash bytea PRIMARY KEY CHECK (length(hash) = 32), bytes bigint NOT NULL CHECK (bytes > 0));
    CREATE TABLE removals (hash bytea PRIMARY KEY CHECK (length(hash) = 32), since bigint NOT NULL DEFAULT 0);
    CREATE TABLE posts (
      id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      author bigint NOT NULL REFERENCES users,
      photo bytea NOT NULL REFERENCES photos,
      caption text NOT NULL,
      created bigint NOT NULL,
      peer text,
      peer_author text,
      remote bigint,
      metadata text,
      original bytea CHECK (length(original) = 32),
      original_format text,
      part bytea REFERENCES parts,
      taken bigint NOT NULL,
      taken_offset bigint NOT NULL,
      taken_source text NOT NULL,
      taken_local bigint NOT NULL CHECK (taken_local = taken + taken_offset * 1000),
      binned bigint,
      edited bigint
    );
    CREATE INDEX posts_by_photo ON posts (photo);
    CREATE INDEX posts_by_author ON posts (author);
    CREATE INDEX posts_by_original ON posts (original) WHERE original IS NOT NULL;
    CREATE INDEX posts_by_part ON posts (part) WHERE part IS NOT NULL;
    CREATE INDEX posts_by_time ON posts (taken_local, id) WHERE binned IS NULL;
    CREATE INDEX posts_in_bin ON posts (binned) WHERE binned IS NOT NULL;
    CREATE INDEX posts_born_here ON posts (id) WHERE peer IS NULL;
    CREATE INDEX posts_by_person ON posts (author, taken_local, id) WHERE peer IS NULL AND binned IS NULL;
    CREATE INDEX posts_not_examined ON posts (id) WHERE metadata IS NULL;
    CREATE TABLE undated (post bigint PRIMARY KEY REFERENCES posts ON DELETE CASCADE);
    CREATE TABLE favourites (
      post bigint NOT NULL REFERENCES posts ON DELETE CASCADE,
      "user" bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      created bigint NOT NULL,
      PRIMARY KEY (post, "user")
    );
    CREATE INDEX favourites_by_user ON favourites ("user", post);
    CREATE TABLE comments (
      id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      post bigint NOT NULL REFERENCES posts ON DELETE CASCADE,
      author bigint NOT NULL REFERENCES users,
      text text NOT NULL,
      created bigint NOT NULL
    );
    CREATE INDEX comments_by_post ON comments (post, id);
    CREATE INDEX comments_by_author ON comments (author);
    CREATE TABLE events (
      id bigint PRIMARY KEY,
      kind text NOT NULL,
      post bigint NOT NULL,
      comment bigint,
      count bigint,
      created bigint NOT NULL,
      "user" bigint REFERENCES users ON DELETE SET NULL,
      given bigint,
      photo bytea,
      album bigint
    );
    CREATE INDEX events_by_user ON events ("user") WHERE "user" IS NOT NULL;
    CREATE TABLE uploads (
      id bytea PRIMARY KEY CHECK (length(id) = 16),
      "user" bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      bytes bigint NOT NULL CHECK (bytes > 0),
      caption text NOT NULL,
      shares_metadata bigint NOT NULL CHECK (shares_metadata IN (0, 1)),
      allows_duplicate bigint NOT NULL CHECK (allows_duplicate IN (0, 1)),
      description text NOT NULL,
      created bigint NOT NULL,
      expires bigint NOT NULL,
      post bigint
    );
    CREATE INDEX uploads_by_user ON uploads ("user");
    CREATE INDEX uploads_by_end ON uploads (expires);

    CREATE TABLE albums (
      id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      title text NOT NULL CHECK (title <> ''),
      owner bigint NOT NULL REFERENCES users,
      is_open bigint NOT NULL DEFAULT 0 CHECK (is_open IN (0, 1)),
      cover bigint REFERENCES posts ON DELETE SET NULL,
      created bigint NOT NULL,
      changed bigint NOT NULL
    );
    CREATE INDEX albums_by_owner ON albums (owner);
    CREATE INDEX albums_by_cover ON albums (cover) WHERE cover IS NOT NULL;
    CREATE TABLE album_posts (
      album bigint NOT NULL REFERENCES albums ON DELETE CASCADE,
      post bigint NOT NULL REFERENCES posts ON DELETE CASCADE,
      adder bigint REFERENCES users ON DELETE SET NULL,
      added bigint NOT NULL,
      PRIMARY KEY (album, post)
    );
    CREATE INDEX album_posts_by_post ON album_posts (post, album);
    CREATE INDEX album_posts_by_adder ON album_posts (adder) WHERE adder IS NOT NULL;
    CREATE TABLE links (
      id bigint GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
      token bytea NOT NULL UNIQUE CHECK (length(token) = 32),
      post bigint REFERENCES posts ON DELETE CASCADE,
      album bigint REFERENCES albums ON DELETE CASCADE,
      maker bigint NOT NULL REFERENCES users ON DELETE CASCADE,
      created bigint NOT NULL,
      expires bigint
    );
    CREATE INDEX links_by_post ON links (post, id);
    CREATE INDEX links_by_album ON links (album, id) WHERE album IS NOT NULL;
    CREATE INDEX links_by_maker ON links (maker);

    CREATE TABLE peers (name text COLLATE "C" PRIMARY KEY, cursor bigint NOT NULL, identity bytea CHECK (length(identity) = 16));
    CREATE TABLE taken (peer text NOT NULL, remote bigint NOT NULL, PRIMARY KEY (peer, remote));
    CREATE TABLE peer_tokens (
      name text COLLATE "C" PRIMARY KEY,
      token bytea NOT NULL UNIQUE CHECK (length(token) = 32),
      created bigint NOT NULL,
      used bigint
    );
    """

  /// The triggers note the posts whose words change, as those of SQLite do. The words of a deleted post go with it.
  private static let searchScript = """
    CREATE TABLE search (post bigint PRIMARY KEY REFERENCES posts ON DELETE CASCADE, words tsvector NOT NULL);
    CREATE INDEX search_by_word ON search USING gin (words);
    CREATE TABLE search_changes (post bigint NOT NULL);

    CREATE FUNCTION search_post() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO search_changes VALUES (NEW.id); RETURN NULL; END $$;
    CREATE TRIGGER search_post_inserted AFTER INSERT ON posts FOR EACH ROW EXECUTE FUNCTION search_post();
    CREATE TRIGGER search_post_changed AFTER UPDATE OF author, caption, peer_author, taken_local ON posts
      FOR EACH ROW EXECUTE FUNCTION search_post();

    CREATE FUNCTION search_member() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN INSERT INTO search_changes VALUES (OLD.post); END IF;
      IF TG_OP <> 'DELETE' THEN INSERT INTO search_changes VALUES (NEW.post); END IF;
      RETURN NULL;
    END $$;
    CREATE TRIGGER search_comment AFTER INSERT OR UPDATE OF post, text OR DELETE ON comments
      FOR EACH ROW EXECUTE FUNCTION search_member();
    CREATE TRIGGER search_album_post AFTER INSERT OR UPDATE OF album, post OR DELETE ON album_posts
      FOR EACH ROW EXECUTE FUNCTION search_member();

    CREATE FUNCTION search_user() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO search_changes SELECT id FROM posts WHERE author = NEW.id; RETURN NULL; END $$;
    CREATE TRIGGER search_user_renamed AFTER UPDATE OF name ON users FOR EACH ROW EXECUTE FUNCTION search_user();

    CREATE FUNCTION search_album() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO search_changes SELECT post FROM album_posts WHERE album = NEW.id; RETURN NULL; END $$;
    CREATE TRIGGER search_album_renamed AFTER UPDATE OF title ON albums FOR EACH ROW EXECUTE FUNCTION search_album();
    """
}
