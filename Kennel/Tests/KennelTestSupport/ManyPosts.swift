import Foundation
import KennelStorage

/// A way to make large kennels quickly: copies of a few posts, which share their photos.
package enum ManyPosts {
  /// Adds copies of the posts of a store that is not open.
  package static func add(_ count: Int, toStoreAt directory: String) throws {
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../Programs/many-posts.sql")
    let connection = try Connection(
      path: directory + "/kennel.sqlite", access: .writing, busyTimeout: .zero)
    try connection.script(
      String(contentsOf: script, encoding: .utf8).replacing("?1", with: String(count)))
  }

  /// Adds copies of each post in a transaction, in SQLite or in PostgreSQL.
  package static func copyAll(_ count: Int, _ connection: any RecordConnection) throws(KennelError) {
    try connection.run(
      """
      INSERT INTO posts (author, photo, caption, created, metadata, original, original_format, part, taken, taken_offset,
        taken_source, taken_local, binned)
      WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      SELECT author, photo, caption, created, metadata, original, original_format, part, taken, taken_offset,
        taken_source, taken_local, binned FROM posts CROSS JOIN n
      """, .integer(Int64(count)))
  }
}
