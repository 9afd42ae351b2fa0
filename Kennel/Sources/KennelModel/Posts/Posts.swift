import Foundation
import KennelStorage
import Synchronization

/// The posts with their favourites and comments. Each change and its event are one transaction.
///
/// In queries that look for posts in another way than by their time, `+binned` keeps SQLite from using the index that begins
/// with this column: nearly all posts have the same value in it.
package final class Posts: Sendable {
  /// The maximum page size.
  package static let maximumPageSize = 200

  let database: any Records
  let clock: KennelClock
  let changes: ChangeRecorder
  /// The time zone of cameras that do not record it, and of dates without a zone.
  package let timeZone: TimeZone
  let latestMonths = Mutex<Versioned<[MonthCount]>?>(nil)
  /// Where files arrive.
  let photos: PhotoDirectory
  let blobs: any Blobs
  let searches = ClientLimiter.searches()
  /// The space of the disk that uploads leave free.
  let minimumFreeSpace: Int64

  init(
    database: any Records, photos: PhotoDirectory, blobs: any Blobs, changes: ChangeRecorder,
    clock: KennelClock, timeZone: TimeZone, minimumFreeSpace: Int64
  ) {
    self.minimumFreeSpace = minimumFreeSpace
    self.database = database
    self.photos = photos
    self.blobs = blobs
    self.changes = changes
    self.clock = clock
    self.timeZone = timeZone
  }

  /// Posts a photo. When this returns, the post and the photo are on the disk.
  ///
  /// - Parameters:
  ///   - created: the date of the post (default: now). A date in the future counts as now.
  ///   - taken: when the photo was taken (default: the date of the post). An impossible time counts as unknown.
  ///   - allowsDuplicate: whether another post may have the same photo.
  ///   - ignoresQuota: whether the photos of the author may take more than the quota allows (``Quotas``).
  ///   - upload: the id of the upload that becomes the post.
  /// - Throws: `badText`, `badPhoto`, `noSuchUser`, `noSuchUpload`, `alreadyPosted` or `quotaExceeded`, or an error of the
  ///   file system.
  package func add(
    _ photo: NewPhoto, caption: String, author: User.ID, created: Date? = nil, taken: TakenTime? = nil,
    allowsDuplicate: Bool = true, ignoresQuota: Bool = false, upload: Upload.ID? = nil
  ) async throws(KennelError) -> Post {
    var draft = try Draft(photo: photo, caption: caption, author: author, created: created)
    draft.taken = taken
    draft.allowsDuplicate = allowsDuplicate
    draft.upload = upload
    draft.ignoresQuota = ignoresQuota
    return try await storing(photo) { [self, draft] transaction throws(KennelError) in
      try insert(draft, in: transaction)
    }
  }

  /// The data of a new post.
  struct Draft: Sendable {
    let photo: NewPhoto
    let caption: String
    let author: User.ID
    let created: Date?
    var taken: TakenTime?
    var allowsDuplicate = true
    var upload: Upload.ID?
    var ignoresQuota = false
    var origin: Post.Origin?

    init(photo: NewPhoto, caption: String, author: User.ID, created: Date?) throws(KennelError) {
      try TextRules.check(caption, TextRules.caption, name: "caption")
      let facts = photo.facts
      guard facts.width > 0, facts.height > 0, facts.thumbHash.count <= 64 else {
        throw KennelError(.badPhoto, "The photo has no size, or a placeholder that is too long.")
      }
      (self.photo, self.caption, self.author, self.created) = (photo, caption, author, created)
    }
  }

  func insert(_ draft: Draft, in transaction: WriteTransaction) throws(KennelError) -> Post {
    let now = clock.now()
    let created = min(draft.created ?? now, now)
    let isKnown = draft.taken?.isPossible(now: now) ?? false
    let taken = (isKnown ? draft.taken : nil) ?? TakenTime(created, in: timeZone, source: .shared)
    let connection = transaction.connection
    if !draft.allowsDuplicate { try Self.refuseDuplicate(of: draft.photo, connection) }
    if !draft.ignoresQuota { try Quotas.requireRoom(for: draft.photo, of: draft.author, connection) }
    try keep(draft.photo, in: transaction)
    let id: Post.ID
    do throws(KennelError) {
      let (photo, origin) = (draft.photo, draft.origin)
      id = try connection.runReturningNumber(
        """
        INSERT INTO posts (author, photo, caption, created, peer, peer_author, remote, taken, taken_offset, taken_source,
          taken_local, metadata, original, original_format, part)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id
        """, .integer(draft.author), .blob(photo.file.hash.bytes), .text(draft.caption),
        .integer(created.milliseconds), origin.map { .text($0.kennel) } ?? .null,
        origin.map { .text($0.author) } ?? .null, origin.map { .integer($0.id) } ?? .null,
        .integer(taken.milliseconds), .integer(Int64(taken.secondsFromGMT)), .text(taken.source.rawValue),
        .integer(taken.localMilliseconds), photo.metadata.value, photo.original.value,
        photo.originalFormat.value, photo.part.value)
    } catch  where error.isMissingReference {
      throw KennelError.noSuchUser
    }
    if let upload = draft.upload {
      let count = try connection.run(
        "UPDATE uploads SET post = ? WHERE id = ? AND post IS NULL", .integer(id), .blob(upload))
      guard count == 1 else { throw KennelError.noSuchUpload }
    }
    try changes.record(.posted, post: id, at: now, in: transaction)
    guard let post = try Self.post(id, for: nil, from: connection) else { throw Self.noSuchPost }
    return post
  }

  /// Returns the first post with a photo, or nil if there is none.
  static func firstPost(of hash: PhotoHash, _ connection: any RecordConnection) throws(KennelError) -> Post
    .ID?
  {
    try connection.first(
      "SELECT min(id) FROM posts WHERE (photo = ?1 OR original = ?1) AND +binned IS NULL",
      .blob(hash.bytes)
    ) { $0.isNull(0) ? nil : $0.integer(0) } ?? nil
  }

  /// A photo is known if the file of a post that others get, or the one that was uploaded, has the same bytes.
  private static func refuseDuplicate(of photo: NewPhoto, _ connection: any RecordConnection)
    throws(KennelError)
  {
    guard let first = try firstPost(of: photo.uploadedHash, connection) else { return }
    throw KennelError.alreadyPosted(first)
  }

  /// Returns the ids of the posts before a given one, the newest first.
  package func ids(before: Post.ID?) async throws(KennelError) -> [Post.ID] {
    try await database.read { connection throws(KennelError) in
      try connection.rows(
        "SELECT id FROM posts WHERE id < ? AND +binned IS NULL ORDER BY id DESC LIMIT 2000",
        .integer(before ?? .max)
      ) { $0.integer(0) }
    }
  }

  /// Returns posts in the order of the times when their photos were taken, the newest first.
  ///
  /// - Parameters:
  ///   - start: where the page begins.
  ///   - limit: the page size, clamped to 1…``maximumPageSize``.
  ///   - viewer: the user for whom `isFavourite` is set.
  package func page(
    _ start: PageStart = .newest, limit: Int = 50, viewer: User.ID? = nil
  ) async throws(KennelError) -> [Post] {
    try await database.read { connection throws(KennelError) in
      try Self.page(start, limit: limit, viewer: viewer, from: connection)
    }
  }

  static func page(
    _ start: PageStart, limit: Int, viewer: User.ID?, from connection: any RecordConnection
  ) throws(KennelError) -> [Post] {
    try posts(try ids(start, limit: limit, from: connection), for: viewer, from: connection)
  }

  /// - Throws: `noSuchPost`.
  package func post(_ id: Post.ID, viewer: User.ID? = nil) async throws(KennelError) -> Post {
    let post = try await database.read { connection throws(KennelError) in
      try Self.post(id, for: viewer, from: connection)
    }
    guard let post else { throw Self.noSuchPost }
    return post
  }

  /// Returns the posts with these ids, in this order. Posts that do not exist are left out.
  package func posts(_ ids: [Post.ID], viewer: User.ID? = nil) async throws(KennelError) -> [Post] {
    try await database.read { connection throws(KennelError) in
      try Self.posts(ids, for: viewer, from: connection)
    }
  }

  /// Deletes a post forever, with its comments and favourites, and its photo if no other post uses it.
  ///
  /// - Throws: `noSuchPost`, or `notAllowed` if the user is neither its author nor an owner.
  package func delete(_ id: Post.ID, by user: User.ID) async throws(KennelError) {
    let now = clock.now()
    try await database.write { [self] transaction throws(KennelError) in
      try delete(id, by: user, at: now, in: transaction)
    }
  }

  func delete(
    _ id: Post.ID, by user: User.ID, at now: Date, in transaction: WriteTransaction
  ) throws(KennelError) {
    let connection = transaction.connection
    let found = try connection.first("SELECT author, photo FROM posts WHERE id = ?", .integer(id)) { row in
      (author: row.integer(0), photo: row.blob(1))
    }
    guard let found else { throw Self.noSuchPost }
    try Self.require(user, oneOf: [found.author], connection)
    try remove(id, photo: found.photo, at: now, in: transaction)
  }

  /// Removes a post without checking permissions.
  func remove(_ id: Post.ID, photo: [UInt8], at now: Date, in transaction: WriteTransaction)
    throws(KennelError)
  {
    let connection = transaction.connection
    let part = try connection.first("SELECT part FROM posts WHERE id = ?", .integer(id)) { $0.blob(0) } ?? []
    try connection.run("DELETE FROM posts WHERE id = ?", .integer(id))
    try release(photo: photo, part: part, in: transaction)
    try changes.record(.deleted, post: id, photo: PhotoHash(bytes: photo), at: now, in: transaction)
  }

  /// Returns the author of a post that is not in the bin.
  ///
  /// - Throws: `noSuchPost`.
  static func author(of id: Post.ID, _ connection: any RecordConnection) throws(KennelError) -> User.ID {
    let author = try connection.first(
      "SELECT author FROM posts WHERE id = ? AND binned IS NULL", .integer(id)
    ) { $0.integer(0) }
    guard let author else { throw noSuchPost }
    return author
  }

  /// Throws `notAllowed` unless the user is one of these users or an owner.
  static func require(
    _ user: User.ID, oneOf users: [User.ID], to action: String = "change or delete this",
    _ connection: any RecordConnection
  ) throws(KennelError) {
    let role = try Self.role(of: user, connection)
    guard users.contains(user) || role == .owner else {
      throw KennelError(.notAllowed, "Only the author or an owner can \(action).")
    }
  }

  /// Throws `notAllowed` unless the user may change an album, or is nil for the owner of the machine.
  static func requireEditor(
    _ user: User.ID?, ofAlbumOf owner: User.ID, to action: String, _ connection: any RecordConnection
  ) throws(KennelError) {
    guard let user, !Album.mayEdit(user, try role(of: user, connection), owner: owner) else { return }
    throw KennelError(
      .notAllowed, "Only the owner of the album or an owner of the kennel can \(action).")
  }

  static func role(of user: User.ID, _ connection: any RecordConnection) throws(KennelError) -> User.Role {
    let role = try connection.first("SELECT role FROM users WHERE id = ?", .integer(user)) { $0.text(0) }
    guard let role = role.flatMap({ User.Role(rawValue: $0) }) else { throw KennelError.noSuchUser }
    return role
  }

  static let noSuchPost = KennelError(.noSuchPost, "The post does not exist. It may have been deleted.")
}
