#if !canImport(Darwin)
  import Foundation
  import Synchronization

  /// A recorder for what a session sends and receives, that writes HTTP archives (HAR 1.2).
  ///
  /// It is off until `isRecording` is set. What it keeps is bounded: the oldest entries make room for new ones,
  /// and of each body only the beginning is kept. Browsers and other tools read what `write(to:)` wrote.
  ///
  /// Secrets are never kept, not even in memory: the values of `Authorization`, cookies and fields named like a
  /// token, key or password; names and passwords in URLs; query items, form fields and members of JSON objects
  /// that are named like a secret. Parts of names count (`csrftoken`), so more is taken out than is secret. A secret in
  /// a place that nothing in its name gives away is not found: look through an archive before you hand it on.
  public final class TrafficArchive: Sendable {
    /// How much is kept.
    public struct Limits: Sendable, Hashable {
      /// How many transactions are kept.
      public var entries: Int

      /// How many bytes of each body are kept.
      public var bodyBytes: Int

      /// How many bytes of bodies are kept in all.
      public var totalBodyBytes: Int

      /// Makes limits; what is left out has its default.
      ///
      /// - Parameters:
      ///   - entries: How many transactions are kept.
      ///   - bodyBytes: How many bytes of each body are kept.
      ///   - totalBodyBytes: How many bytes of bodies are kept in all.
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

      mutating func append(_ entry: HTTPArchive.Entry) {
        entries.append(entry)
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

    /// Whether transactions are recorded; `false` to begin with. What was recorded before stays.
    public var isRecording: Bool {
      get { recording.load(ordering: .relaxed) }
      set { recording.store(newValue, ordering: .relaxed) }
    }

    /// How much is kept. Setting it lets go at once of what is too much.
    public var limits: Limits {
      get { contents.withLock { $0.limits } }
      set {
        contents.withLock { contents in
          contents.limits = newValue
          contents.trim()
        }
      }
    }

    /// How many transactions are kept now.
    public var count: Int { contents.withLock { $0.entries.count } }

    /// Adds a transaction, if recording is on.
    ///
    /// Bodies may be given whole or only as far as `limits.bodyBytes`.
    package func record(_ entry: TransactionRecord, requestBody: Data?, responseBody: Data?) {
      guard isRecording else { return }
      let bodyLimit = limits.bodyBytes
      let archived = HTTPArchive.Entry(
        entry, requestBody: requestBody, responseBody: responseBody, bodyLimit: bodyLimit)
      contents.withLock { $0.append(archived) }
    }

    /// The archive of all that is kept, oldest first.
    ///
    /// - Returns: JSON as HAR 1.2 defines it.
    /// - Throws: `EncodingError`, if a value cannot be written as JSON.
    public func har() throws -> Data {
      let entries = contents.withLock { $0.entries }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(HTTPArchive(log: HTTPArchive.Log(entries: entries)))
    }

    /// Lets go of all that was recorded.
    public func removeAll() {
      contents.withLock { contents in
        contents.entries.removeAll()
        contents.bodyBytes = 0
      }
    }
  }
#endif
