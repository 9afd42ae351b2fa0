/// The transaction of a writing job: the connection, and the actions to run at the end of the transaction.
///
/// Several jobs share one transaction. Each job runs in its own savepoint, so one disk sync serves all of them.
package final class WriteTransaction {
  package enum Task: Hashable {
    case syncPhotos
    case publishEvents
    case tidyPhotos
  }

  package let connection: any RecordConnection
  private var beforeCommit: [Task: () throws(KennelError) -> Void] = [:]
  private var afterCommit: [Task: () -> Void] = [:]
  private var endings: [(Bool) -> Void] = []
  /// The photos whose last post was deleted in this transaction. Their files stay until the commit. If the process is
  /// killed before it, the post still has its photo.
  package var photosPendingRemoval: Set<PhotoHash> = []
  /// Whether a failed part could not be rolled back. Then the transaction must not be committed.
  private(set) var mustRollBack = false

  init(connection: any RecordConnection) { self.connection = connection }

  /// Runs an action once before the commit. If it throws, the transaction is rolled back.
  func beforeCommit(_ task: Task, _ action: @escaping () throws(KennelError) -> Void) {
    beforeCommit[task] = action
  }

  /// Runs an action once after the commit.
  package func afterCommit(_ task: Task, _ action: @escaping () -> Void) { afterCommit[task] = action }

  /// Runs an action at the end. The action receives whether the job's changes were committed.
  package func atEnd(_ action: @escaping (_ isCommitted: Bool) -> Void) { endings.append(action) }

  /// Runs a job in a savepoint. If it throws, only this job is rolled back.
  func nested<Value>(_ body: (WriteTransaction) throws(KennelError) -> Value) throws(KennelError) -> Value {
    let mark = endings.count
    try connection.run("SAVEPOINT job")
    do throws(KennelError) {
      let value = try body(self)
      try connection.run("RELEASE job")
      return value
    } catch {
      for index in mark..<endings.count {
        let ending = endings[index]
        endings[index] = { _ in ending(false) }
      }
      mustRollBack = true
      guard connection.isInTransaction else { throw error }
      try connection.rollBackToSavepoint()
      try connection.run("RELEASE job")
      mustRollBack = false
      throw error
    }
  }

  /// - Parameter committed: called after the commit and after one that may have been made, before the actions.
  func commit(_ committed: () -> Void = {}) throws(KennelError) {
    for action in beforeCommit.values { try action() }
    do throws(KennelError) { try connection.commit() } catch {
      if error.mayBeCommitted { committed() }
      throw error
    }
    committed()
    let actions = afterCommit.values
    let endings = self.endings
    reset()
    for ending in endings { ending(true) }
    for action in actions { action() }
  }

  func rollBack() {
    connection.rollBack()
    let endings = self.endings
    reset()
    for ending in endings { ending(false) }
  }

  private func reset() {
    beforeCommit = [:]
    afterCommit = [:]
    endings = []
    photosPendingRemoval = []
    mustRollBack = false
  }
}
