extension PostgresPool {
  /// How transactions that run at the same time affect each other.
  package enum Isolation: String, Sendable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    /// The result is the same as if all transactions ran one after the other. Some are tried again for that.
    case serializable = "SERIALIZABLE"
  }

  /// Runs statements in a transaction: all of them have an effect, or none.
  ///
  /// The body may run several times: after a conflict with another transaction, and after the connection was lost before
  /// the commit. An error that it throws rolls the transaction back.
  ///
  /// - Parameters:
  ///   - isolation: How other transactions affect this one.
  ///   - body: Runs the statements on the connection that it gets.
  /// - Throws: The body's error; `conflict` after too many conflicts; `connectionLost` if it is not known whether the
  ///   transaction was committed.
  package func transaction<Value: Sendable>(
    _ isolation: Isolation = .readCommitted,
    _ body: (PostgresConnection) async throws(PostgresError) -> Value
  ) async throws(PostgresError) -> Value {
    var attempts = 0
    while true {
      attempts += 1
      let failure: PostgresFailure
      do throws(PostgresFailure) { return try await attempt(isolation, body) } catch { failure = error }
      let mayRepeat = failure.error.code == .conflict || (failure.isConnectionLost && failure.effect == .none)
      guard mayRepeat, failure.error.code != .cancelled, attempts < limits.maximumAttempts else {
        throw failure.error
      }
      // Transactions that conflicted would conflict again if they began at the same moment.
      let longest = Double(min(1 << attempts, 128))
      do { try await Task.sleep(for: .milliseconds(Double.random(in: 0...longest))) } catch {
        throw .cancelled
      }
    }
  }

  private func attempt<Value: Sendable>(
    _ isolation: Isolation, _ body: (PostgresConnection) async throws(PostgresError) -> Value
  ) async throws(PostgresFailure) -> Value {
    let connection: PostgresConnection
    do throws(PostgresError) { connection = try await take() } catch { throw PostgresFailure(error: error) }
    defer { giveBack(connection) }
    do throws(PostgresFailure) {
      _ = try await connection.execute(.script("BEGIN ISOLATION LEVEL \(isolation.rawValue)"))
    } catch {
      throw PostgresFailure(error: error.error, effect: .none, isConnectionLost: error.isConnectionLost)
    }
    let value: Value
    do throws(PostgresError) { value = try await body(connection) } catch {
      // Without a commit, nothing has an effect, even if the connection was lost in a statement.
      let isLost = connection.isBroken.isSet
      if !isLost { await rollBack(connection) }
      throw PostgresFailure(error: error, effect: .none, isConnectionLost: isLost)
    }
    do throws(PostgresFailure) {
      // The body may have ignored a statement's error. PostgreSQL then rolls back, and reports that as a success.
      _ = try await connection.execute(.script("COMMIT"), isShielded: true)
    } catch {
      if !connection.isBroken.isSet { await rollBack(connection) }
      throw error
    }
    return value
  }

  /// Ends a transaction without an effect. A connection for which this fails is not used again.
  private func rollBack(_ connection: PostgresConnection) async {
    do throws(PostgresFailure) {
      _ = try await connection.execute(.script("ROLLBACK"), isShielded: true)
    } catch {
      connection.isBroken.set()
    }
  }
}
