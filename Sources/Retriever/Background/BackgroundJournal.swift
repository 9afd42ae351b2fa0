#if !canImport(Darwin)
import Foundation

/// A line of the journal of a background session.
enum BackgroundEntry: Codable, Equatable, Sendable {
  /// A new task, or the current state of one.
  case task(BackgroundTaskRecord)
  case attributes(Int, BackgroundTaskRecord.Attributes)
  case resumed(Int, Date)
  case suspended(Int)
  /// A request that is not idempotent is about to be sent.
  case underWay(Int)
  /// Nothing of that request has been sent.
  case unsent(Int)
  /// A file was created for the body. It is empty, or has what the record says.
  case partial(Int, BackgroundTaskRecord.Partial)
  /// The head of a response has arrived, and the file is empty.
  case head(Int, StoredResponse, validator: String?, length: Int64?)
  /// The disk has this number of bytes.
  case synced(Int, Int64)
  /// The file is complete.
  case finished(Int, BackgroundTaskRecord.Finished)
  /// The delegate is about to receive the file.
  case delivering(Int)
  case cancelled(Int)
  /// The delegate has received everything.
  case removed(Int)
  /// The highest task identifier so far. It is not used again.
  case numbered(Int)

  /// The task that the entry is about.
  var identifier: Int {
    switch self {
    case .task(let task): task.identifier
    case .attributes(let identifier, _), .resumed(let identifier, _), .suspended(let identifier),
      .underWay(let identifier), .unsent(let identifier), .partial(let identifier, _),
      .head(let identifier, _, _, _), .synced(let identifier, _), .finished(let identifier, _),
      .delivering(let identifier), .cancelled(let identifier), .removed(let identifier),
      .numbered(let identifier):
      identifier
    }
  }
}

/// The tasks of a background session: takes the entries of its journal in order.
struct BackgroundJournal: Equatable, Sendable {
  /// The maximum number of tasks that are not over.
  static let maximumTasks = 4096
  /// The maximum number of bytes of their records.
  static let maximumCost = 32 << 20

  private(set) var tasks: [Int: BackgroundTaskRecord] = [:]
  private(set) var lastIdentifier = 0
  private(set) var cost = 0

  init() {}

  init(_ entries: some Sequence<BackgroundEntry>) {
    for entry in entries { apply(entry) }
  }

  /// Returns why a task cannot be added; nil if it can.
  func refusal(of task: BackgroundTaskRecord) -> String? {
    if tasks.count >= Self.maximumTasks {
      return "The background session already has \(Self.maximumTasks) tasks. "
        + "Create more when some of them are complete."
    }
    if cost + task.cost > Self.maximumCost {
      return "The requests of the background session's tasks have more than \(Self.maximumCost >> 20) MiB. "
        + "Create more when some of them are complete."
    }
    return nil
  }

  /// Applies an entry. Returns false if it changes nothing, because its task is unknown or already in that state.
  @discardableResult
  mutating func apply(_ entry: BackgroundEntry) -> Bool {
    switch entry {
    case .task(let task):
      guard task.identifier > 0, task.identifier < .max / 2, tasks[task.identifier] != task,
        tasks[task.identifier] != nil || refusal(of: task) == nil
      else { return false }
      cost += task.cost - (tasks[task.identifier]?.cost ?? 0)
      tasks[task.identifier] = task
      lastIdentifier = max(lastIdentifier, task.identifier)
      return true
    case .removed(let identifier):
      guard let task = tasks.removeValue(forKey: identifier) else { return false }
      cost -= task.cost
      return true
    case .numbered(let identifier):
      guard identifier > lastIdentifier, identifier < .max / 2 else { return false }
      lastIdentifier = identifier
      return true
    case .attributes(let identifier, let attributes):
      return change(identifier) { $0.attributes = attributes }
    case .resumed(let identifier, let date):
      return change(identifier) { task in
        task.isSuspended = false
        task.began = task.began ?? date
      }
    case .suspended(let identifier): return change(identifier) { $0.isSuspended = true }
    case .underWay(let identifier): return change(identifier) { $0.isUnderWay = true }
    case .unsent(let identifier): return change(identifier) { $0.isUnderWay = false }
    case .partial(let identifier, let partial): return change(identifier) { $0.partial = partial }
    case .head(let identifier, let response, let validator, let length):
      return change(identifier) { task in
        task.partial?.response = response
        task.partial?.validator = validator
        task.partial?.length = length
        task.partial?.syncedLength = 0
      }
    case .synced(let identifier, let length): return change(identifier) { $0.partial?.syncedLength = length }
    case .finished(let identifier, let finished): return change(identifier) { $0.finished = finished }
    case .delivering(let identifier): return change(identifier) { $0.isDelivering = true }
    case .cancelled(let identifier):
      // A complete download stays complete.
      return change(identifier) { if $0.finished == nil { $0.isCancelled = true } }
    }
  }

  /// Puts a task into an earlier state, because an entry could not be written.
  mutating func restore(_ identifier: Int, _ task: BackgroundTaskRecord?) {
    cost += (task?.cost ?? 0) - (tasks[identifier]?.cost ?? 0)
    tasks[identifier] = task
  }

  private mutating func change(_ identifier: Int, _ change: (inout BackgroundTaskRecord) -> Void) -> Bool {
    guard let task = tasks[identifier] else { return false }
    var changed = task
    change(&changed)
    guard changed != task else { return false }
    cost += changed.cost - task.cost
    tasks[identifier] = changed
    return true
  }

  /// The shortest list of entries that leads to this state.
  var entries: [BackgroundEntry] {
    (lastIdentifier > 0 ? [.numbered(lastIdentifier)] : [])
      + tasks.values.sorted { $0.identifier < $1.identifier }.map(BackgroundEntry.task)
  }
}

/// The lines of a journal. Each has a checksum, so that a damaged line does not affect others.
enum BackgroundLine {
  /// The maximum length of a line. It has room for the longest record.
  static let maximumLength = 8 << 20

  /// Returns the line, with its end; nil if it would be too long.
  static func bytes(_ entry: BackgroundEntry) -> [UInt8]? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(entry), data.count < maximumLength - checksumLength - 2 else {
      return nil
    }
    let text = [UInt8](data)
    return checksum(text[...]) + [UInt8(ascii: " ")] + text + [UInt8(ascii: "\n")]
  }

  /// Returns the entries of all lines that are complete and undamaged.
  static func entries(in contents: [UInt8]) -> [BackgroundEntry] {
    var entries: [BackgroundEntry] = []
    var start = 0
    while let end = contents[start...].firstIndex(of: UInt8(ascii: "\n")) {
      if let entry = entry(contents[start..<end]) { entries.append(entry) }
      start = end + 1
    }
    return entries
  }

  private static let checksumLength = 16

  private static func entry(_ line: ArraySlice<UInt8>) -> BackgroundEntry? {
    let text = line.dropFirst(checksumLength + 1)
    guard !text.isEmpty, line.count < maximumLength,
      line[line.startIndex + checksumLength] == UInt8(ascii: " "),
      line.prefix(checksumLength).elementsEqual(checksum(text))
    else { return nil }
    return try? JSONDecoder().decode(BackgroundEntry.self, from: Data(text))
  }

  /// FNV-1a with 64 bits, in hexadecimal digits. It detects damage, and protects against nobody.
  private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in bytes { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    let digits = Array("0123456789abcdef".utf8)
    return (0..<checksumLength).map { index in
      let shift = UInt64(60 - index * 4)
      return digits[Int(hash >> shift & 15)]
    }
  }
}
#endif
