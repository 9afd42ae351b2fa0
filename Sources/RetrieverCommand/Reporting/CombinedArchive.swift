import Foundation
import Retriever

/// Combines the recorded traffic of several sessions.
enum CombinedArchive {
  /// Returns an HTTP archive (HAR) of all transactions, in the order in which they started; nil if there are no
  /// sessions.
  static func har(_ archives: [TrafficArchive]) throws -> Data? {
    let used = archives.filter { $0.count > 0 }
    guard used.count > 1 else { return try (used.first ?? archives.first)?.har() }
    var log: [String: Any] = [:]
    var entries: [[String: Any]] = []
    for archive in used {
      let object = try JSONSerialization.jsonObject(with: archive.har()) as? [String: Any]
      log = object?["log"] as? [String: Any] ?? log
      entries += log["entries"] as? [[String: Any]] ?? []
    }
    log["entries"] = entries.sorted { started($0) < started($1) }
    return try JSONSerialization.data(
      withJSONObject: ["log": log], options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes])
  }

  /// The start of a transaction. All are in UTC and of the same length, so the texts have the order of the times.
  private static func started(_ entry: [String: Any]) -> String { entry["startedDateTime"] as? String ?? "" }
}
