#if !canImport(Darwin)
import Foundation

/// One value of a file that outlives the process.
protocol PersistentRecord: Codable, Sendable {
  /// What identifies the record: a newer one with the same key replaces it.
  var key: String { get }
  /// When the record ends by itself.
  var expiry: Date? { get }
}
#endif
