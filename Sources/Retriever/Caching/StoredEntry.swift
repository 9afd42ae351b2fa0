#if !canImport(Darwin)
import Foundation

/// A stored response.
package struct StoredEntry: Sendable {
  package var head: StoredHead
  package var body: Data
  package var userInfo: UserInfo?

  /// What a program attached to a response.
  // Unchecked because the values may be of any type. The invariant: the dictionary never changes, and the cache does not
  // use its values. A program that reads them on several threads must choose values for which this is safe.
  package struct UserInfo: @unchecked Sendable {
    package let values: [AnyHashable: Any]
  }

  package init(head: StoredHead, body: Data, userInfo: UserInfo? = nil) {
    self.head = head
    self.body = body
    self.userInfo = userInfo
  }

  /// The number of bytes that count towards the capacity in memory.
  package var cost: Int { head.cost + body.count }

  /// The maximum length of a body that a session collects to store it.
  package static let maximumBody = 32 << 20

  /// The maximum part of a capacity that one entry may use: a twentieth, as on Apple's platforms.
  package static func maximumCost(capacity: Int) -> Int { capacity / 20 }
}
#endif
