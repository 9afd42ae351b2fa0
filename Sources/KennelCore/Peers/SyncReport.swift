/// How far a sync has come.
package struct SyncProgress: Sendable, Hashable {
  /// Posts of the peer that were looked at.
  package var seen = 0
  /// Posts that are here now and were not before.
  package var taken = 0
  /// Bytes of photos that have come.
  package var bytes = 0

  package init() {}
}

/// Another try that is to come.
package struct SyncRetry: Sendable {
  /// Why.
  package var error: KennelError
  /// How soon.
  package var pause: Duration
}

/// What a sync did.
package struct SyncReport: Sendable, Hashable {
  /// A post that was not taken, and will not be asked for again.
  package struct Refusal: Sendable, Hashable {
    /// Its id at the peer.
    package var id: Int64
    /// A sentence.
    package var reason: String
  }

  /// Posts that are here now and were not before.
  package var taken = 0
  /// Posts that were taken before.
  package var known = 0
  package var refusedCount = 0
  /// The first hundred of them.
  package var refusals: [Refusal] = []
  /// Bytes of photos that have come.
  package var bytes = 0
  /// Whether the limits of one run ended it: the next one goes on from there.
  package var isLimited = false

  package init() {}

  mutating func refuse(_ id: Int64, _ reason: String) {
    refusedCount += 1
    if refusals.count < 100 { refusals.append(Refusal(id: id, reason: reason)) }
  }
}
