/// Runs writing jobs that wait at the same time in one transaction. If that fails, each has its own transaction.
struct WriteBatch {
  typealias Job = BlockingWorkQueue<WriteTransaction>.Job

  private static let maximumAttempts = 4
  private static let late = KennelError(
    .busy, "The database is busy or does not answer. Try again in a moment.")

  /// Begins a transaction.
  let begin: (any RecordConnection) throws(KennelError) -> Void
  /// Completes each transaction before its commit. If it throws, the transaction is rolled back.
  let beforeCommit: (any RecordConnection) throws(KennelError) -> Void
  /// Called after each commit, and after one that may have been made, before the results are delivered.
  var committed: () -> Void = {}
  /// How long jobs run one after the other. Those that have not begun by then fail with `busy`: each of them could wait for the same
  /// lock, and the results are delivered after the commit. It is nil for no limit.
  var maximumTime: Duration?
  /// The current time. Tests have their own.
  var now: () -> ContinuousClock.Instant = { .now }

  /// Runs jobs, and delivers the result or the error of each of them.
  func run(_ jobs: [Job], on connection: any RecordConnection) {
    let transaction = WriteTransaction(connection: connection)
    let rest = jobs.count > 1 ? together(jobs, transaction) : jobs
    let end = end()
    for (index, job) in rest.enumerated() {
      // Without a common transaction, the first one may have to wait for the writers' lock.
      if index > 0, isOver(end) { job.fail(Self.late) } else { alone(job, transaction) }
    }
  }

  private func end() -> ContinuousClock.Instant? { maximumTime.map { now() + $0 } }

  private func isOver(_ end: ContinuousClock.Instant?) -> Bool { end.map { now() >= $0 } ?? false }

  /// Runs a job in its own transaction, again after a conflict.
  private func alone(_ job: Job, _ transaction: WriteTransaction) {
    var attempts = 1
    while let error = failure(of: job, transaction) {
      guard error.mayRepeat, attempts < Self.maximumAttempts else { return job.fail(error) }
      attempts += 1
    }
  }

  /// Runs a job in its own transaction. Returns its error, or nil after its result was delivered.
  private func failure(of job: Job, _ transaction: WriteTransaction) -> KennelError? {
    do throws(KennelError) {
      try begin(transaction.connection)
      do throws(KennelError) {
        let answer = try job.attempt(transaction)
        try beforeCommit(transaction.connection)
        try transaction.commit(committed)
        answer()
        return nil
      } catch {
        transaction.rollBack()
        throw error
      }
    } catch {
      return error
    }
  }

  /// Runs all jobs in one transaction. Returns those that are then tried separately: the ones that had a conflict with another
  /// transaction, or all of them if the complete transaction failed.
  private func together(_ jobs: [Job], _ transaction: WriteTransaction) -> [Job] {
    do throws(KennelError) {
      try begin(transaction.connection)
    } catch {
      if error.mayRepeat { return jobs }
      for job in jobs { job.fail(error) }
      return []
    }
    let end = end()
    do throws(KennelError) {
      var answers: [@Sendable () -> Void] = []
      var repeated: [Job] = []
      for job in jobs {
        if isOver(end) {
          answers.append { job.fail(Self.late) }
          continue
        }
        do throws(KennelError) {
          answers.append(try transaction.nested(job.attempt))
        } catch {
          guard !transaction.mustRollBack else { throw error }
          if error.mayRepeat { repeated.append(job) } else { answers.append { job.fail(error) } }
        }
      }
      try beforeCommit(transaction.connection)
      try transaction.commit(committed)
      for answer in answers { answer() }
      return repeated
    } catch {
      transaction.rollBack()
      guard error.mayBeCommitted else { return jobs }
      // Trying again could make the changes twice.
      for job in jobs { job.fail(error) }
      return []
    }
  }
}
