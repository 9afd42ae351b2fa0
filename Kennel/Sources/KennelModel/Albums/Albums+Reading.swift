import KennelStorage

/// Reading albums.
extension Albums {
  /// Returns all albums, the newest first.
  package func all() async throws(KennelError) -> [Album] { try await versionedList().value }

  /// Returns all albums, the newest first, with their version.
  package func versionedList() async throws(KennelError) -> Versioned<[Album]> {
    try await posts.versioned { connection throws(KennelError) in
      try Self.albums(1...Int64.max, connection)
    }
  }

  /// Returns an album.
  ///
  /// - Throws: `noSuchAlbum`.
  package func album(_ id: Album.ID) async throws(KennelError) -> Album {
    try await database.read { connection throws(KennelError) in try Self.existing(id, connection) }
  }

  /// Returns an album and its posts from a start on, ordered like all posts, with their version.
  ///
  /// - Throws: `noSuchAlbum`.
  package func versionedPage(
    of id: Album.ID, _ start: PageStart = .newest, limit: Int, viewer: User.ID?
  ) async throws(KennelError) -> Versioned<AlbumPage> {
    try await posts.versioned { connection throws(KennelError) in
      let album = try Self.existing(id, connection)
      let ids = try Self.ids(in: id, start, limit: limit, connection)
      return AlbumPage(album: album, posts: try Posts.posts(ids, for: viewer, from: connection))
    }
  }

  /// Returns the ids of all posts that an album shows, the newest first.
  ///
  /// - Throws: `noSuchAlbum`.
  package func posts(in id: Album.ID) async throws(KennelError) -> [Post.ID] {
    try await database.read { connection throws(KennelError) in
      _ = try Self.existing(id, connection)
      return try Self.ids(in: id, .newest, limit: Self.maximumPostCount, connection)
    }
  }

  /// Returns the titles of the albums that show a post, the newest first.
  package func titles(with post: Post.ID) async throws(KennelError) -> [AlbumTitle] {
    try await database.read { connection throws(KennelError) in
      try connection.rows(
        """
        SELECT a.id, a.title FROM album_posts m JOIN albums a ON a.id = m.album JOIN posts p ON p.id = m.post
        WHERE m.post = ? AND p.binned IS NULL ORDER BY a.created DESC, a.id DESC
        """, .integer(post)
      ) { AlbumTitle(id: $0.integer(0), title: $0.text(1)) }
    }
  }

  /// Returns whether an album shows a post: it is in the album, and not in the bin.
  package func shows(_ post: Post.ID, in album: Album.ID) async throws(KennelError) -> Bool {
    try await database.read { connection throws(KennelError) in try Self.shows(post, in: album, connection) }
  }

  /// Returns whether an album shows a post with this photo.
  package func shows(
    _ post: Post.ID, as photo: PhotoHash, in album: Album.ID
  ) async throws(KennelError) -> Bool {
    try await database.read { connection throws(KennelError) in
      guard try Self.shows(post, in: album, connection) else { return false }
      return try connection.first(
        "SELECT 1 FROM posts WHERE id = ? AND photo = ?", .integer(post), .blob(photo.bytes),
        row: { _ in true }) != nil
    }
  }

  static func shows(
    _ post: Post.ID, in album: Album.ID, _ connection: any RecordConnection
  ) throws(KennelError) -> Bool {
    try connection.first(
      """
      SELECT 1 FROM album_posts m JOIN posts p ON p.id = m.post
      WHERE m.album = ? AND m.post = ? AND p.binned IS NULL
      """, .integer(album), .integer(post), row: { _ in true }) != nil
  }

  private static func ids(
    in album: Album.ID, _ start: PageStart, limit: Int, _ connection: any RecordConnection
  ) throws(KennelError) -> [Post.ID] {
    guard let position = try Posts.position(before: start, connection) else { return [] }
    return try connection.rows(
      """
      SELECT p.id FROM album_posts m JOIN posts p ON p.id = m.post
      WHERE m.album = ? AND p.binned IS NULL AND (p.taken_local, p.id) < (?, ?)
      ORDER BY p.taken_local DESC, p.id DESC LIMIT ?
      """, .integer(album), .integer(position.localMilliseconds), .integer(position.id),
      .integer(Int64(min(max(limit, 1), maximumPostCount)))
    ) { $0.integer(0) }
  }

  static func existing(_ id: Album.ID, _ connection: any RecordConnection) throws(KennelError) -> Album {
    guard let album = try albums(id...id, connection).first else { throw KennelError.noSuchAlbum }
    return album
  }

  /// Loads the albums with some ids, the newest first. All albums are loaded by this query, which counts the posts of each album
  /// once.
  private static func albums(
    _ ids: ClosedRange<Album.ID>, _ connection: any RecordConnection
  ) throws(KennelError) -> [Album] {
    try connection.rows(
      """
      WITH shown AS (
        SELECT m.album, count(*) AS count, max(p.taken_local) AS taken
        FROM album_posts m JOIN posts p ON p.id = m.post
        WHERE m.album BETWEEN ?1 AND ?2 AND p.binned IS NULL GROUP BY m.album)
      SELECT a.id, a.title, a.owner, u.name, a.is_open,
        coalesce((SELECT id FROM posts WHERE id = a.cover AND binned IS NULL),
          (SELECT p.id FROM album_posts m JOIN posts p ON p.id = m.post
            WHERE m.album = a.id AND p.binned IS NULL AND p.taken_local = s.taken ORDER BY p.id DESC LIMIT 1)),
        coalesce(s.count, 0), a.created, a.changed
      FROM albums a JOIN users u ON u.id = a.owner LEFT JOIN shown s ON s.album = a.id
      WHERE a.id BETWEEN ?1 AND ?2 ORDER BY a.created DESC, a.id DESC
      """, .integer(ids.lowerBound), .integer(ids.upperBound), row: Album.init(row:))
  }
}
