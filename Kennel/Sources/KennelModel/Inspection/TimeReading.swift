import Foundation
import KennelStorage

/// Reads when the photos were taken that a version of Kennel without these times has posted.
///
/// The migration of the database lists these posts. Each part of the list is removed in the transaction that stores the
/// times, so the work continues where it was when the process ended. Until then, a photo counts as taken when it was
/// shared.
package struct TimeReading: Sendable {
  private struct Entry: Sendable {
    var post: Post.ID
    var created: Date
  }

  private static let batchSize: Int64 = 50
  let store: KennelStore

  package init(_ store: KennelStore) { self.store = store }

  /// Reads the times of all listed posts. It ends early if its task is cancelled.
  ///
  /// - Returns: the number of photos whose time was read.
  @discardableResult
  package func run() async throws(KennelError) -> Int {
    var count = 0
    while !Task.isCancelled {
      let entries = try await nextEntries()
      if entries.isEmpty { break }
      var times: [(post: Post.ID, time: TakenTime)] = []
      for entry in entries {
        if Task.isCancelled { return count }
        times.append((entry.post, await time(of: entry)))
      }
      try await save(times)
      count += times.count
    }
    return count
  }

  private func time(of entry: Entry) async -> TakenTime {
    // The time is part of the metadata that others do not get.
    if let file = try? await store.posts.uploadedFile(of: entry.post),
      let time = await store.posts.captureTime(ofFileAt: file.path)
    {
      return time
    }
    return TakenTime(entry.created, in: store.posts.timeZone, source: .shared)
  }

  private func nextEntries() async throws(KennelError) -> [Entry] {
    try await store.database.read { connection throws(KennelError) in
      try connection.rows(
        "SELECT p.id, p.created FROM undated u JOIN posts p ON p.id = u.post ORDER BY u.post LIMIT ?",
        .integer(Self.batchSize)
      ) { row in
        Entry(post: row.integer(0), created: Date(milliseconds: row.integer(1)))
      }
    }
  }

  private func save(_ times: [(post: Post.ID, time: TakenTime)]) async throws(KennelError) {
    let now = store.clock.now()
    try await store.database.write { [store, times] transaction throws(KennelError) -> Void in
      var changed: Post.ID?
      for (post, time) in times {
        // A person may have set the time in the meantime.
        let isListed =
          try transaction.connection.run("DELETE FROM undated WHERE post = ?", .integer(post)) > 0
        if isListed, try Posts.setTaken(time, of: post, transaction.connection) { changed = post }
      }
      // One event for all of them, because a kennel may have more photos than the log has room for.
      if let changed { try store.changes.record(.dated, post: changed, at: now, in: transaction) }
    }
  }
}
