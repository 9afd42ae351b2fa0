/// Names and passwords that were right a moment ago, so that HTTP's Basic scheme, which sends them with each request,
/// does not cost an Argon2id hash each time: a pure value that is told the time.
///
/// Neither is kept: an entry's key is a hash of both under a key that only this process has. An entry holds for the very
/// password hash it was proven against. Who uses it compares that with the one in the database, so a password that was
/// changed, by another process too, ends it at once. It ends by itself in any case, used or not.
struct ProvenCredentials: Sendable {
  /// What was proven.
  struct Proof: Sendable, Hashable {
    var user: User.ID
    /// A hash of the password's hash.
    var passwordDigest: [UInt8]
  }

  private struct Entry: Sendable {
    var proof: Proof
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

  func proof(_ digest: [UInt8], at now: Duration) -> Proof? {
    guard let entry = entries[digest], entry.ends > now else { return nil }
    return entry.proof
  }

  mutating func add(_ proof: Proof, for digest: [UInt8], at now: Duration) {
    if entries[digest] == nil, entries.count >= capacity {
      entries = entries.filter { $0.value.ends > now }
      if entries.count >= capacity, let first = entries.min(by: { $0.value.ends < $1.value.ends })?.key {
        entries[first] = nil
      }
    }
    entries[digest] = Entry(proof: proof, ends: now + lifetime)
  }

  mutating func remove(_ digest: [UInt8]) { entries[digest] = nil }

  mutating func remove(user: User.ID) { entries = entries.filter { $0.value.proof.user != user } }
}
