#if !canImport(Darwin)
import Foundation
import Glibc
import SystemFiles
import Synchronization

/// The tasks of a background session on disk. Each change is a line that is appended to the session's journal.
///
/// A line is in the file when its call returns, so it outlives a process that is killed. The journal is written again
/// when it has grown, and when it has secrets of tasks that are over.
final class BackgroundStore: Sendable {
  fileprivate struct Open: Sendable {
    let directory: BackgroundDirectory
    var file: JournalFile
    var journal: BackgroundJournal
    /// The number of bytes in the file, and that of the journal when it was last written again.
    var length: Int
    var compactLength: Int
    /// The tasks that an earlier run left, and that have not ended since.
    var takenUp: Set<Int> = []
  }

  /// A task that an earlier run left.
  struct Left: Sendable {
    let task: BackgroundTaskRecord
    let action: TakeUpRule.Action
    /// The file of a download that continues or is complete.
    let file: URL?
  }

  let identifier: String
  private let path: String?
  private let state = Mutex<Open?>(nil)

  /// The queue that makes lines outlive a power failure.
  private static let syncQueue = DispatchQueue(label: "retriever.background", qos: .utility)
  /// How much a journal may grow before it is written again.
  static let maximumGrowth = 1 << 20
  private static let maximumFile =
    2 * BackgroundJournal.maximumCost + 2 * maximumGrowth + BackgroundLine.maximumLength

  /// - Parameter directory: The directory of all background sessions; nil if there is none.
  init(identifier: String, directory: String?) {
    self.identifier = identifier
    path = directory.map { "\($0)/\(BackgroundDirectory.name(for: identifier))" }
  }

  /// The directory of the sessions of this program.
  static var programDirectory: String? {
    guard SharedStores.areKept else { return nil }
    return RecordFile.programDirectory.map { "\($0)/background" }
  }

  // MARK: Opening and closing

  /// Locks the session's directory and reads its journal, unless that has happened before.
  ///
  /// - Parameter takesUp: Whether tasks of an earlier run can be taken up. If not, they prevent opening.
  /// - Returns: The tasks that an earlier run left, and the highest task identifier that it used.
  func open(takesUp: Bool) throws(URLError) -> (left: [Left], lastIdentifier: Int) {
    let result: Result<([Left], Int), URLError> = state.withLock { state in
      if state != nil { return .success(([], 0)) }
      do throws(URLError) {
        let open = try opened()
        guard takesUp || open.journal.tasks.isEmpty else {
          throw URLError(
            .backgroundSessionInUseByAnotherProcess,
            message:
              "The background session \"\(identifier)\" was in use when this session was created, and has tasks "
              + "that an earlier run left. Invalidate this session and create another one.")
        }
        state = open
        return .success((open.left, open.journal.lastIdentifier))
      } catch {
        return .failure(error)
      }
    }
    let (left, lastIdentifier) = try result.get()
    return (left, lastIdentifier)
  }

  private func opened() throws(URLError) -> Open {
    guard !identifier.isEmpty else {
      throw URLError(
        .cannotCreateFile, message: "The identifier of the background session is empty. Use another one.")
    }
    guard let path else {
      throw URLError(
        .cannotCreateFile,
        message: "There is no directory for the tasks of background sessions. Set the configuration's "
          + "backgroundDirectory, or HOME, and allow the program to keep its storages.")
    }
    let directory: BackgroundDirectory
    do throws(BackgroundDirectory.Problem) {
      directory = try BackgroundDirectory(path)
    } catch {
      throw Self.error(error, identifier)
    }
    let journal = BackgroundJournal(
      BackgroundLine.entries(in: directory.readJournal(limit: Self.maximumFile)))
    let contents = Self.contents(journal)
    do throws(SystemError) {
      let file = try directory.replaceJournal(contents)
      directory.removeFiles(except: Set(journal.tasks.values.compactMap { $0.partial?.name }))
      return Open(
        directory: directory, file: file, journal: journal, length: contents.count,
        compactLength: contents.count)
    } catch {
      throw URLError(
        .cannotWriteToFile, message: "Could not write \(directory.journalPath): \(error.reason).")
    }
  }

  private static func error(_ problem: BackgroundDirectory.Problem, _ identifier: String) -> URLError {
    switch problem {
    case .inUse:
      URLError(
        .backgroundSessionInUseByAnotherProcess,
        message: "Another session, of this program or of another process, uses the background session "
          + "\"\(identifier)\". Use that session, or invalidate it first.")
    case .unusable(let path, let reason):
      URLError(.cannotCreateFile, message: "The background session cannot use \(path): \(reason).")
    }
  }

  /// Unlocks the directory. The tasks that are not over stay in the journal.
  func close() {
    // The directory is released outside the lock.
    let open = state.withLock { $0.take() }
    withExtendedLifetime(open) {}
  }

  private func withOpen<Result: Sendable>(_ otherwise: Result, _ body: (inout Open) -> Result) -> Result {
    state.withLock { state in
      // Taken out of the optional, so that a change copies nothing.
      guard var open = state.take() else { return otherwise }
      defer { state = open }
      return body(&open)
    }
  }

  // MARK: Changes

  /// Adds a task. Throws if it cannot be stored.
  func add(_ task: BackgroundTaskRecord) throws(URLError) {
    let closed = URLError(.cancelled, message: "The background session has been invalidated.")
    let problem: URLError? = withOpen(closed) { open in
      if let refusal = open.journal.refusal(of: task) {
        return URLError(.dataLengthExceedsMaximum, message: refusal)
      }
      do throws(SystemError) {
        try open.append(.task(task))
        return nil
      } catch {
        return URLError(
          .cannotWriteToFile,
          message: "Could not store the task in \(open.directory.journalPath): \(error.reason).")
      }
    }
    if let problem { throw problem }
  }

  /// Records a change of a task. Has no effect if the task is not in the journal.
  ///
  /// - Parameter isSynced: Whether the change should outlive a power failure too.
  /// - Returns: False if the change could not be written.
  @discardableResult
  func note(_ entry: BackgroundEntry, isSynced: Bool = false) -> Bool {
    let (isWritten, file) = withOpen((true, nil as JournalFile?)) { open in
      let removesSecrets = open.removesSecrets(entry)
      do throws(SystemError) {
        guard try open.append(entry) else { return (true, nil) }
      } catch {
        return (false, nil)
      }
      if removesSecrets || open.length > 2 * open.compactLength + Self.maximumGrowth { open.compact() }
      return (true, open.file)
    }
    if isSynced, let file { Self.syncQueue.async { file.sync() } }
    return isWritten
  }

  /// Removes all tasks, and the files of downloads.
  func removeAll() {
    withOpen(()) { open in
      for identifier in open.journal.tasks.keys { open.journal.apply(.removed(identifier)) }
      open.compact()
      open.directory.removeFiles(except: [])
    }
  }

  /// The journal with what is needed only.
  fileprivate static func contents(_ journal: BackgroundJournal) -> [UInt8] {
    journal.entries.compactMap { BackgroundLine.bytes($0) }.flatMap { $0 }
  }

  // MARK: What tasks ask

  /// Returns the record of a task; nil if it is not in the journal.
  func record(_ identifier: Int) -> BackgroundTaskRecord? {
    withOpen(nil) { $0.journal.tasks[identifier] }
  }

  /// The directory for the files of downloads; nil if the session is closed.
  var directory: URL? {
    withOpen(nil) { URL(fileURLWithPath: $0.directory.path, isDirectory: true) }
  }

  // MARK: The events of an earlier run

  /// Sets the tasks whose ends are events of an earlier run.
  func expectEvents(of tasks: Set<Int>) { withOpen(()) { $0.takenUp = tasks } }

  /// Removes a task whose delegate has received everything. Returns true if all events of an earlier run are delivered.
  func delivered(_ identifier: Int) -> Bool {
    // A task that was never resumed in this run has not opened its file.
    let partial = record(identifier)?.partial
    note(.removed(identifier))
    return withOpen(false) { open in
      if let partial, !partial.isTemporary, let path = open.directory.path(of: partial) { unlink(path) }
      return open.takenUp.remove(identifier) != nil && open.takenUp.isEmpty
    }
  }
}

extension BackgroundStore.Open {
  /// The tasks, and how they continue.
  fileprivate var left: [BackgroundStore.Left] {
    journal.tasks.values.sorted { $0.identifier < $1.identifier }.map { task in
      let length = task.partial.flatMap { directory.length(of: $0) }
      let path = task.partial.flatMap { directory.path(of: $0) }
      return BackgroundStore.Left(
        task: task,
        action: TakeUpRule.action(for: task, fileLength: length, boot: BackgroundDirectory.boot),
        file: path.map { URL(fileURLWithPath: $0) })
    }
  }

  /// Appends an entry. Returns false if it changes nothing. If it cannot be written, nothing changes either.
  @discardableResult
  fileprivate mutating func append(_ entry: BackgroundEntry) throws(SystemError) -> Bool {
    let identifier = entry.identifier
    let before = journal.tasks[identifier]
    guard journal.apply(entry) else { return false }
    do throws(SystemError) {
      guard let line = BackgroundLine.bytes(entry) else { throw SystemError(EFBIG) }
      try file.append(line, after: length)
      length += line.count
      return true
    } catch {
      journal.restore(identifier, before)
      throw error
    }
  }

  /// Writes the journal again. If that fails, the longer one stays.
  fileprivate mutating func compact() {
    let contents = BackgroundStore.contents(journal)
    guard let file = try? directory.replaceJournal(contents) else { return }
    self.file = file
    (length, compactLength) = (contents.count, contents.count)
  }

  /// Whether an entry removes a task whose request has secrets.
  fileprivate func removesSecrets(_ entry: BackgroundEntry) -> Bool {
    guard case .removed(let identifier) = entry else { return false }
    return journal.tasks[identifier]?.request.hasSecrets ?? false
  }
}
#endif
