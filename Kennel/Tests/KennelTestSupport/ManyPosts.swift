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
}
