/// Runs writing jobs that wait at the same time in one transaction. If that fails, each has its own transaction.
struct WriteBatch {
  private static let maximumAttempts = 4

  /// Begins a transaction.
  let begin: (any RecordConnection) throws(KennelError) -> Void
  /// Completes each transaction before its commit. If it throws, the transaction is rolled back.
  let beforeCommit: (any RecordConnection) throws(KennelError) -> Void
  /// Called after each commit, and after one that may have been made, before the results are delivered.
  var committed: () -> Void = {}

  /// Runs jobs, and delivers the result or the error of each of them.
  func run(_ jobs: [BlockingWorkQueue<WriteTransaction>.Job], on connection: any RecordConnection) {
    let transaction = WriteTransaction(connection: connection)
    if jobs.count > 1, together(jobs, transaction) { return }
    for job in jobs {
      var attempts = 1
      while let error = failure(of: job, transaction) {
        guard error.mayRepeat, attempts < Self.maximumAttempts else {
          job.fail(error)
          break
        }
        attempts += 1
      }
    }
  }

  /// Runs a job in its own transaction. Returns its error, or nil after its result was delivered.
  private func failure(
    of job: BlockingWorkQueue<WriteTransaction>.Job, _ transaction: WriteTransaction
  ) -> KennelError? {
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

  /// Runs all jobs in one transaction. Returns false if the complete transaction failed; each job is then tried
  /// separately.
  private func together(
    _ jobs: [BlockingWorkQueue<WriteTransaction>.Job], _ transaction: WriteTransaction
  ) -> Bool {
    do throws(KennelError) {
      try begin(transaction.connection)
    } catch {
      if error.mayRepeat { return false }
      for job in jobs { job.fail(error) }
      return true
    }
    do throws(KennelError) {
      var answers: [@Sendable () -> Void] = []
      for job in jobs {
        do throws(KennelError) {
          answers.append(try transaction.nested(job.attempt))
        } catch {
          guard !transaction.mustRollBack else { throw error }
          answers.append { job.fail(error) }
        }
      }
      try beforeCommit(transaction.connection)
      try transaction.commit(committed)
      for answer in answers { answer() }
      return true
    } catch {
      transaction.rollBack()
      guard error.mayBeCommitted else { return false }
      // Trying again could make the changes twice.
      for job in jobs { job.fail(error) }
      return true
    }
  }
}
