/// What a writing job works in: the connection, and what is to be done at the transaction's end.
///
/// Several jobs share one transaction, each in a savepoint of its own, so that one sync of the disk answers them all.
package final class WriteTransaction {
  enum Task: Hashable {
    case syncPhotos
    case publishEvents
    case tidyPhotos
  }

  let connection: Connection
  private var beforeCommit: [Task: () throws(KennelError) -> Void] = [:]
  private var afterCommit: [Task: () -> Void] = [:]
  private var endings: [(Bool) -> Void] = []
  /// Photos whose last post went in this very transaction. Their files stay until that is committed: killed before, the
  /// post would be back without its photo.
  var leavingPhotos: Set<PhotoHash> = []
  /// Whether a part of it that failed could not be undone: then none of it may be committed.
  private(set) var isDoomed = false

  init(connection: Connection) { self.connection = connection }

  /// Has this done once before the transaction is committed; what it throws undoes the transaction.
  func beforeCommit(_ task: Task, _ action: @escaping () throws(KennelError) -> Void) {
    beforeCommit[task] = action
  }

  /// Has this done once after the transaction was committed.
  func afterCommit(_ task: Task, _ action: @escaping () -> Void) { afterCommit[task] = action }

  /// Has this done at the end, and told whether what the job did stands.
  func atEnd(_ action: @escaping (_ isCommitted: Bool) -> Void) { endings.append(action) }

  /// Does a job by itself within the transaction; what it throws undoes this job only.
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
      isDoomed = true
      guard connection.isInTransaction else { throw error }
      try connection.run("ROLLBACK TO job")
      try connection.run("RELEASE job")
      isDoomed = false
      throw error
    }
  }

  func commit() throws(KennelError) {
    for action in beforeCommit.values { try action() }
    try connection.run("COMMIT")
    let actions = afterCommit.values
    let endings = self.endings
    reset()
    for ending in endings { ending(true) }
    for action in actions { action() }
  }

  func rollBack() {
    if connection.isInTransaction {
      // When even this fails there is nothing left to try: the next BEGIN will say so.
      _ = try? connection.run("ROLLBACK")
    }
    let endings = self.endings
    reset()
    for ending in endings { ending(false) }
  }

  private func reset() {
    beforeCommit = [:]
    afterCommit = [:]
    endings = []
    leavingPhotos = []
    isDoomed = false
  }
}
