#if !canImport(Darwin)
import Foundation
import Synchronization

/// Records in memory and in a file that the processes of one program share.
///
/// A process reads the file once. It writes its own changes only: each is applied to the file as other processes have
/// left it. Changes are written on a background queue, at the latest when the program ends normally.
final class SharedRecords<Record: PersistentRecord>: Sendable {
  private struct Pending {
    /// The changed records; nil for those that were removed.
    var changes: [String: Record?] = [:]
    var isScheduled = false
  }

  private let file: RecordFile
  private let pending = Mutex(Pending())
  /// Held while changes are taken and written: the program must not end between the two, and an older change must not
  /// replace a newer one.
  private let writing = Mutex(())
  private let now: @Sendable () -> Date

  /// The delay in which further changes are combined.
  private static var delay: DispatchTimeInterval { .milliseconds(50) }

  init(_ file: RecordFile, now: @escaping @Sendable () -> Date = { Date() }) {
    self.file = file
    self.now = now
    ExitFlushes.shared.add { [weak self] in self?.flush() }
  }

  /// The records in the file that have not expired. Damaged records are left out.
  func read() -> [Record] {
    guard SharedStores.areKept else { return [] }
    return current(file.read())
  }

  private func current(_ contents: [UInt8]?) -> [Record] {
    guard let contents else { return [] }
    let file = try? JSONDecoder().decode(FileContents<Record>.self, from: Data(contents))
    let now = now()
    return (file?.records ?? []).compactMap(\.record).filter { $0.expiry.map { $0 > now } ?? true }
  }

  /// Stores a record.
  func set(_ record: Record) { change(record.key, to: record) }

  /// Removes the record with a key, if there is one.
  func remove(_ key: String) { change(key, to: nil) }

  private func change(_ key: String, to record: Record?) {
    guard SharedStores.areKept else { return }
    let isFirst = pending.withLock { pending in
      pending.changes[key] = .some(record)
      defer { pending.isScheduled = true }
      return !pending.isScheduled
    }
    guard isFirst else { return }
    RecordFile.queue.asyncAfter(deadline: .now() + Self.delay) { self.flush() }
  }

  /// Writes the changes now. If the file cannot be written, they are kept for the next time.
  @discardableResult func flush() -> Bool { writing.withLock { _ in write() } }

  private func write() -> Bool {
    let changes = pending.withLock { pending in
      defer { pending = Pending() }
      return pending.changes
    }
    guard !changes.isEmpty, SharedStores.areKept else { return true }
    let isWritten = file.replace { contents in
      var records = current(contents).filter { changes[$0.key] == nil }
      let now = now()
      // A dictionary has no order; keys make the file's order independent of the process.
      for (_, record) in changes.sorted(by: { $0.key < $1.key }) {
        if let record, record.expiry.map({ $0 > now }) ?? true { records.append(record) }
      }
      let kept = records.suffix(RecordFile.maximumRecords).map(Lenient.init)
      return (try? JSONEncoder().encode(FileContents(version: 1, records: kept))).map { [UInt8]($0) }
    }
    if !isWritten {
      // Newer changes come first.
      pending.withLock { $0.changes.merge(changes) { newer, _ in newer } }
    }
    return isWritten
  }
}

private struct FileContents<Record: PersistentRecord>: Codable {
  var version: Int
  var records: [Lenient<Record>]
}

/// A record that may be damaged, without making the others unreadable.
private struct Lenient<Record: PersistentRecord>: Codable {
  var record: Record?

  init(_ record: Record) { self.record = record }

  init(from decoder: any Decoder) throws { record = try? Record(from: decoder) }

  func encode(to encoder: any Encoder) throws { try record?.encode(to: encoder) }
}

/// The writes that remain to be done when the program ends.
private final class ExitFlushes: Sendable {
  static let shared = ExitFlushes()

  private let actions = Mutex<[@Sendable () -> Void]>([])

  private init() {
    atexit { ExitFlushes.shared.run() }
  }

  func add(_ action: @escaping @Sendable () -> Void) { actions.withLock { $0.append(action) } }

  private func run() {
    for action in actions.withLock({ $0 }) { action() }
  }
}

/// Whether the shared storages outlive the process.
enum SharedStores {
  private static let isEnabled = Atomic<Bool>(true)

  /// The environment variable that keeps all shared storages in memory if it is set to "none".
  static let variable = "RETRIEVER_PERSISTENCE"

  private static let isAllowed = getenv(variable).map { String(cString: $0) } != "none"

  static var areKept: Bool {
    get { isAllowed && isEnabled.load(ordering: .relaxed) }
    set { isEnabled.store(newValue, ordering: .relaxed) }
  }
}
#endif
