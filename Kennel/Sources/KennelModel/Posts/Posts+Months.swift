import Foundation
import KennelStorage

/// A page of posts, and the months that have posts.
package struct PostsByMonth: Sendable, Hashable {
  package var posts: [Post]
  /// The months with posts, the newest first.
  package var months: [MonthCount]
}

/// The order of posts by the time when their photos were taken.
extension Posts {
  /// Returns the months with posts, the newest first.
  package func months() async throws(KennelError) -> [MonthCount] {
    try await versionedMonths().value
  }

  /// Returns the months with posts, the newest first, with their version.
  package func versionedMonths() async throws(KennelError) -> Versioned<[MonthCount]> {
    try await versioned { [self] connection throws(KennelError) in try months(from: connection) }
  }

  /// Returns the posts from a start on, the newest first, and the months of all posts, with their version.
  package func versionedPageByMonth(
    _ start: PageStart, limit: Int, viewer: User.ID?
  ) async throws(KennelError) -> Versioned<PostsByMonth> {
    try await versioned { [self] connection throws(KennelError) in
      PostsByMonth(
        posts: try Self.page(start, limit: limit, viewer: viewer, from: connection),
        months: try months(from: connection))
    }
  }

  /// Counts the posts of each month. Months without new or removed posts since the last time keep their count.
  private func months(from connection: any RecordConnection) throws(KennelError) -> [MonthCount] {
    let version = try ContentVersion(connection)
    let known = latestMonths.withLock { $0 }
    if let known, known.version == version { return known.value }
    let months: [MonthCount]
    if let known, let recounted = try recount(known, at: version, connection) {
      months = recounted
    } else {
      months = try Self.countMonths(connection)
    }
    latestMonths.withLock { $0 = Versioned(value: months, version: version) }
    return months
  }

  /// The maximum number of events since the last count. After more, all posts are counted again.
  private static let maximumRecountedEvents = 200

  /// Counts the months again whose posts the events since the last count name. Returns nil if the events do not say which
  /// months have changed: after an edit, the earlier time of the photo is not known.
  private func recount(
    _ known: Versioned<[MonthCount]>, at version: ContentVersion, _ connection: any RecordConnection
  ) throws(KennelError) -> [MonthCount]? {
    let last = known.version.lastEvent
    guard known.version.removedUsers == version.removedUsers, last <= version.lastEvent,
      version.lastEvent - last <= Int64(Self.maximumRecountedEvents),
      try changes.log.lastDiscardedID(connection) <= last
    else { return nil }
    var changed: Set<Month> = []
    for event in try changes.log.events(
      after: last, limit: Self.maximumRecountedEvents, from: connection)
    {
      switch event.kind {
      case .favourites, .commented, .commentDeleted, .albumChanged: continue
      case .edited, .dated, .photoChanged: return nil
      case .posted, .deleted:
        let time = try connection.first(
          "SELECT taken_local FROM posts WHERE id = ?", .integer(event.post)
        ) { $0.integer(0) }
        guard let time else { return nil }
        let month = Month(localMilliseconds: time)
        guard month.start <= time, time < month.end else { return nil }
        changed.insert(month)
      }
    }
    var months = known.value.filter { !changed.contains($0.month) }
    for month in changed {
      let count = try Self.count(from: month.start, to: month.end, connection)
      if count > 0 { months.append(MonthCount(month: month, posts: count)) }
    }
    return months.sorted { $0.month.start > $1.month.start }
  }

  private static func countMonths(_ connection: any RecordConnection) throws(KennelError) -> [MonthCount] {
    var months: [MonthCount] = []
    var end = Int64.max
    // Each query uses the index, so all of them together read it once.
    while let newest = try newestTime(before: end, connection) {
      let month = Month(localMilliseconds: newest)
      let start = min(month.start, newest)
      months.append(MonthCount(month: month, posts: try count(from: start, to: end, connection)))
      end = start
    }
    return months
  }

  /// Returns the number of posts whose photos were taken from a local time to before another one.
  private static func count(
    from start: Int64, to end: Int64, _ connection: any RecordConnection
  ) throws(KennelError) -> Int {
    try connection.first(
      "SELECT count(*) FROM posts WHERE binned IS NULL AND taken_local >= ? AND taken_local < ?",
      .integer(start), .integer(end)
    ) { Int($0.integer(0)) } ?? 0
  }

  private static func newestTime(before end: Int64, _ connection: any RecordConnection) throws(KennelError)
    -> Int64?
  {
    try connection.first(
      "SELECT taken_local FROM posts WHERE binned IS NULL AND taken_local < ? ORDER BY taken_local DESC LIMIT 1",
      .integer(end)
    ) { $0.integer(0) }
  }

  /// Returns the ids of the posts from a start on, the newest first.
  static func ids(_ start: PageStart, limit: Int, from connection: any RecordConnection) throws(KennelError)
    -> [Post
    .ID]
  {
    guard let position = try position(before: start, connection) else { return [] }
    return try connection.rows(
      """
      SELECT id FROM posts WHERE binned IS NULL AND (taken_local, id) < (?, ?) ORDER BY taken_local DESC, id DESC LIMIT ?
      """, .integer(position.localMilliseconds), .integer(position.id),
      .integer(Int64(min(max(limit, 1), maximumPageSize)))
    ) { $0.integer(0) }
  }

  /// Returns the position after which a page begins, or nil if there are no posts after it.
  static func position(before start: PageStart, _ connection: any RecordConnection) throws(KennelError)
    -> PostPosition?
  {
    switch start {
    case .newest: return .first
    case .after(let position): return position
    case .month(let month): return PostPosition(localMilliseconds: month.end, id: 0)
    case .afterPost(let id):
      let found = try connection.first(
        "SELECT taken_local, id FROM posts WHERE id <= ? ORDER BY id DESC LIMIT 1", .integer(id)
      ) { PostPosition(localMilliseconds: $0.integer(0), id: $0.integer(1)) }
      guard let found, found.id < id else { return found }
      // The post does not exist, so the page includes the one that was found.
      return PostPosition(localMilliseconds: found.localMilliseconds, id: found.id + 1)
    }
  }

  /// Stores when a photo was taken. Returns whether that is a change.
  static func setTaken(
    _ time: TakenTime, of post: Post.ID, _ connection: any RecordConnection
  ) throws(KennelError) -> Bool {
    try connection.run(
      """
      UPDATE posts SET taken = ?2, taken_offset = ?3, taken_source = ?4, taken_local = ?5
      WHERE id = ?1 AND (taken, taken_offset, taken_source) IS DISTINCT FROM (?2, ?3, ?4)
      """, .integer(post), .integer(time.milliseconds), .integer(Int64(time.secondsFromGMT)),
      .text(time.source.rawValue), .integer(time.localMilliseconds)) > 0
  }
}
