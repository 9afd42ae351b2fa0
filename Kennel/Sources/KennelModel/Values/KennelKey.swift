import KennelStorage
import Synchronization

/// The secret key of a kennel. It is in the database, so that all processes derive the same keys from it, also after a restart.
package final class KennelKey: Sendable {
  private static let byteCount = 32
  /// Random until the key is known.
  private let bytes = Mutex(Sodium.randomBytes(byteCount))

  /// Returns a key for a purpose. Keys for different purposes reveal nothing about each other.
  package func derived(for purpose: String) -> [UInt8] {
    Sodium.keyedHash(Array(purpose.utf8), key: bytes.withLock { $0 })
  }

  func set(_ key: [UInt8]) { bytes.withLock { $0 = key } }

  /// Returns the key in the database. It is created if there is none.
  static func stored(_ connection: any RecordConnection) throws(KennelError) -> [UInt8] {
    try connection.run(
      "INSERT INTO decisions (name, value) VALUES ('key', ?) ON CONFLICT (name) DO NOTHING",
      .text(Sodium.base64(Sodium.randomBytes(byteCount))))
    let text = try connection.first("SELECT value FROM decisions WHERE name = 'key'") { $0.text(0) }
    guard let key = text.flatMap({ Sodium.bytes(byteCount, ofBase64: $0) }) else {
      throw KennelError(.damaged, "The key in the database is not valid. Restore a backup.")
    }
    return key
  }

  /// Removes the key, because the database is the copy of one that may continue. The next process creates another key.
  static func remove(_ connection: any RecordConnection) throws(KennelError) {
    try connection.run("DELETE FROM decisions WHERE name = 'key'")
  }
}
