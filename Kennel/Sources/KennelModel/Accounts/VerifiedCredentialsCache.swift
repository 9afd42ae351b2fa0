/// A cache of credentials that were verified recently. HTTP Basic authentication sends them with each request, and the
/// cache avoids an Argon2id hash each time. It is a pure value: the caller passes the time.
///
/// Names and passwords are not stored: the key of an entry is a hash of both under a key that only this process has. An
/// entry is valid for the password hash it was verified against. The caller compares that hash with the one in the
/// database, so changing the password, even in another process, invalidates the entry immediately. Each entry also
/// expires after a fixed time, whether it is used or not.
struct VerifiedCredentialsCache: Sendable {
  private struct Entry: Sendable {
    var credentials: VerifiedCredentials
    var ends: Duration
  }

  private let capacity: Int
  private let lifetime: Duration
  private var entries: [[UInt8]: Entry] = [:]

  init(capacity: Int = 1000, lifetime: Duration) {
    self.capacity = max(capacity, 1)
    self.lifetime = lifetime
  }

  var count: Int { entries.count }

  func credentials(_ digest: [UInt8], at now: Duration) -> VerifiedCredentials? {
    guard let entry = entries[digest], entry.ends > now else { return nil }
    return entry.credentials
  }

  mutating func add(_ credentials: VerifiedCredentials, for digest: [UInt8], at now: Duration) {
    if entries[digest] == nil, entries.count >= capacity {
      entries = entries.filter { $0.value.ends > now }
      if entries.count >= capacity, let first = entries.min(by: { $0.value.ends < $1.value.ends })?.key {
        entries[first] = nil
      }
    }
    entries[digest] = Entry(credentials: credentials, ends: now + lifetime)
  }

  mutating func remove(_ digest: [UInt8]) { entries[digest] = nil }

  mutating func remove(user: User.ID) { entries = entries.filter { $0.value.credentials.user != user } }
}

/// The result of a verification.
struct VerifiedCredentials: Sendable, Hashable {
  var user: User.ID
  /// A hash of the stored password hash.
  var passwordDigest: [UInt8]
}
