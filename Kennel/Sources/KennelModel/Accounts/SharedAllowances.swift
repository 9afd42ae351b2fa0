import Foundation
import KennelStorage
import Synchronization

/// Counts attempts in the database, so that all processes of a kennel have the same limits, also after a restart.
///
/// Each process also counts its own attempts in memory, and asks the database only about those that its own counts allow. What
/// the database returns replaces the counts in memory. So a client that may not try again costs no statement, a request that
/// needs no limit costs none either, and each process has its own limits as long as the database cannot be changed.
///
/// The rows have no addresses and no names, only hashes under the key of the kennel. They are removed when they have no effect
/// any more.
package final class SharedAllowances: Sendable {
  /// An allowance of one key.
  struct Count: Sendable, Hashable {
    /// What the allowance is for, and for whom.
    var text: String
    var allowance: AttemptAllowance
    /// The name of a permission. While it is recorded, the allowance does not apply.
    var exemption: String?
  }

  /// What the database knows about the allowances of an attempt.
  struct Answer: Sendable {
    /// The time until another attempt is allowed, or zero if this one is allowed and was counted.
    var delay: Duration
    /// The time until each allowance is full again; nil if it does not apply.
    var untilFull: [Duration?]
  }

  /// Moments that are further in the future are from a clock that was wrong.
  private static let maximumClockDifference = Duration.seconds(600)
  private static let cleaningInterval = Duration.seconds(60)

  private let database: any Records
  private let clock: KennelClock
  private let key: KennelKey
  private let nextCleaning = Mutex(Duration.zero)

  init(database: any Records, clock: KennelClock, key: KennelKey) {
    (self.database, self.clock, self.key) = (database, clock, key)
  }

  /// Counts an attempt, unless one of its allowances is used up.
  ///
  /// - Returns: nil if the database cannot be changed now.
  func take(_ counts: [Count]) async -> Answer? {
    let now = self.now
    let mustClean = nextCleaning.withLock { [uptime = clock.uptime()] next in
      guard uptime >= next else { return false }
      next = uptime + Self.cleaningInterval
      return true
    }
    return try? await database.write { [self] transaction throws(KennelError) -> Answer in
      let connection = transaction.connection
      if mustClean {
        try connection.run("DELETE FROM allowances WHERE until < ?", .integer(now.milliseconds))
      }
      return try take(counts, at: now, connection)
    }
  }

  /// This reads first and writes then. Nobody else writes in between.
  private func take(
    _ counts: [Count], at now: Duration, _ connection: any RecordConnection
  ) throws(KennelError) -> Answer {
    var applying: [(table: AllowanceTable<String>, text: String)?] = []
    for count in counts {
      if let exemption = count.exemption, try until(exemption, connection) ?? .zero > now {
        applying.append(nil)
        continue
      }
      var table = AllowanceTable<String>(count.allowance, capacity: 1)
      let limit = now + count.allowance.total + Self.maximumClockDifference
      if let moment = try until(count.text, connection), moment <= limit {
        table.setFull(count.text, at: moment)
      }
      applying.append((table, count.text))
    }
    let delay = applying.compactMap { $0.map { $0.table.delay($0.text, at: now) } }.max() ?? .zero
    if delay == .zero {
      for index in applying.indices {
        guard let text = applying[index]?.text else { continue }
        applying[index]?.table.take(text, at: now)
        try set(text, applying[index]?.table.fullAt(text) ?? now, connection)
      }
    }
    return Answer(
      delay: delay,
      untilFull: applying.map { entry in
        entry.map { max(.zero, ($0.table.fullAt($0.text) ?? now) - now) }
      })
  }

  /// Removes an attempt from the counts because it was right or had no result, and records permissions. It does not wait for the
  /// change.
  ///
  /// - Parameter permissions: their names, and how long they last.
  func giveBack(_ counts: [Count], recording permissions: [String: Duration] = [:]) {
    let now = self.now
    database.writeLater { [self] transaction throws(KennelError) in
      for count in counts {
        try transaction.connection.run(
          "UPDATE allowances SET until = until - ? WHERE key = ?",
          .integer(count.allowance.refill.milliseconds), .blob(hash(count.text)))
      }
      for (name, duration) in permissions { try set(name, now + duration, transaction.connection) }
    }
  }

  /// Returns how long a permission still lasts, or nil if it is not recorded.
  func remaining(_ permission: String) async throws(KennelError) -> Duration? {
    let now = self.now
    let moment = try await database.read { [self] connection throws(KennelError) -> Duration? in
      try until(permission, connection)
    }
    guard let moment, moment > now else { return nil }
    return moment - now
  }

  /// The time of the calendar, which the processes have in common.
  private var now: Duration { .milliseconds(clock.now().milliseconds) }

  private func hash(_ text: String) -> [UInt8] {
    Sodium.keyedHash(Array(text.utf8), key: key.derived(for: "allowances"))
  }

  private func until(_ text: String, _ connection: any RecordConnection) throws(KennelError) -> Duration? {
    try connection.first("SELECT until FROM allowances WHERE key = ?", .blob(hash(text))) {
      .milliseconds($0.integer(0))
    }
  }

  private func set(
    _ text: String, _ moment: Duration, _ connection: any RecordConnection
  ) throws(KennelError) {
    try connection.run(
      """
      INSERT INTO allowances (key, until) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET until = excluded.until
      """, .blob(hash(text)), .integer(moment.milliseconds))
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
