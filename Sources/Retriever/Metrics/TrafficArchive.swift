#if !canImport(Darwin)
import Foundation
import Synchronization

/// A recorder of what a session sends and receives. It writes HTTP archives (HAR 1.2).
///
/// Recording is off until `isRecording` is set. The size is limited: new entries replace the oldest ones, and only
/// the beginning of each body is kept. Browsers and other tools can read the files that `write(to:)` writes.
///
/// Secrets are never kept, not even in memory. They are the values of `Authorization`, cookies, and fields with names
/// like a token, key or password; names and passwords in URLs; and query items, form fields and members of JSON
/// objects with names like a secret. Parts of names count (`csrftoken`), so more is removed than is secret. A secret
/// with an ordinary name, or in a body of another kind, is not found. Review an archive before you share it.
public final class TrafficArchive: Sendable {
  /// The maximum sizes of an archive.
  public struct Limits: Sendable, Hashable {
    /// The maximum number of transactions.
    public var entries: Int

    /// The maximum number of bytes kept of each body.
    public var bodyBytes: Int

    /// The maximum number of bytes kept of all bodies together.
    public var totalBodyBytes: Int

    /// Creates limits, with default values for those that are left out.
    ///
    /// - Parameters:
    ///   - entries: The maximum number of transactions.
    ///   - bodyBytes: The maximum number of bytes kept of each body.
    ///   - totalBodyBytes: The maximum number of bytes kept of all bodies together.
    public init(entries: Int = 1000, bodyBytes: Int = 64 << 10, totalBodyBytes: Int = 32 << 20) {
      self.entries = max(0, entries)
      self.bodyBytes = max(0, bodyBytes)
      self.totalBodyBytes = max(0, totalBodyBytes)
    }
  }

  private struct Contents {
    var limits: Limits
    var entries: [HTTPArchive.Entry] = []
    var bodyBytes = 0

    /// Adds an entry after those that began before it. Entries arrive when they are complete.
    mutating func add(_ entry: HTTPArchive.Entry) {
      let place = entries.lastIndex { $0.start <= entry.start }
      entries.insert(entry, at: place.map { $0 + 1 } ?? 0)
      bodyBytes += entry.bodyBytes
      trim()
    }

    mutating func trim() {
      var excess = max(0, entries.count - limits.entries)
      var bytes = entries.prefix(excess).reduce(bodyBytes) { $0 - $1.bodyBytes }
      while bytes > limits.totalBodyBytes, excess < entries.count {
        bytes -= entries[excess].bodyBytes
        excess += 1
      }
      entries.removeFirst(excess)
      bodyBytes = bytes
    }
  }

  private let recording = Atomic<Bool>(false)
  private let contents: Mutex<Contents>

  package init(limits: Limits = Limits()) {
    contents = Mutex(Contents(limits: limits))
  }

  /// Whether transactions are recorded (default: `false`). Setting it to `false` keeps earlier transactions.
  public var isRecording: Bool {
    get { recording.load(ordering: .relaxed) }
    set { recording.store(newValue, ordering: .relaxed) }
  }

  /// The maximum sizes. Setting smaller limits immediately removes what exceeds them.
  public var limits: Limits {
    get { contents.withLock { $0.limits } }
    set {
      contents.withLock { contents in
        contents.limits = newValue
        contents.trim()
      }
    }
  }

  /// The number of recorded transactions.
  public var count: Int { contents.withLock { $0.entries.count } }

  /// Adds a transaction, if recording is on.
  ///
  /// Bodies may be complete, or truncated to `limits.bodyBytes`.
  package func record(_ entry: TransactionRecord, requestBody: Data?, responseBody: Data?) {
    guard isRecording else { return }
    let maximumBodyBytes = limits.bodyBytes
    let archived = HTTPArchive.Entry(
      entry, requestBody: requestBody, responseBody: responseBody, maximumBodyBytes: maximumBodyBytes)
    contents.withLock { $0.add(archived) }
  }

  /// Returns an archive of all recorded transactions, in the order in which they began.
  ///
  /// - Returns: JSON in the format of HAR 1.2.
  /// - Throws: `EncodingError`, if a value cannot be written as JSON.
  public func har() throws -> Data {
    let entries = contents.withLock { $0.entries }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(HTTPArchive(log: HTTPArchive.Log(entries: entries)))
  }

  /// Removes all recorded transactions.
  public func removeAll() {
    contents.withLock { contents in
      contents.entries.removeAll()
      contents.bodyBytes = 0
    }
  }
}
#endif
