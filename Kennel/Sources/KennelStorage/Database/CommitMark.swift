import CSQLite
import Synchronization

/// A mark of the latest commit to the database, by this or another process. Equal marks mean that nothing was committed
/// in between.
///
/// With SQLite, it is the header of the index of the write-ahead log: SQLite's readers use it to find the latest commit, and each
/// commit changes it. It contains a counter of the commits, the length of the log, and checksums of the log.
package struct CommitMark: Sendable, Hashable {
  private let words: SIMD8<UInt64>

  init(_ words: SIMD8<UInt64>) { self.words = words }

  /// Creates a mark from a number that each commit changes.
  init(_ number: UInt64) { words = SIMD8(number, 0, 0, 0, 0, 0, 0, 0) }
}

/// Reads marks of the latest commit without a system call and without waiting for another thread.
final class CommitWatch: Sendable {
  /// The address of the log's index; nil if there is none, and after the end.
  private let index: Mutex<UInt?>

  /// - Parameter index: the address, which must be valid until `close()`.
  init(index: UInt?) { self.index = Mutex(index) }

  /// The current mark, or nil if it is not known: a commit is being published at this moment, or there is no index.
  ///
  /// A change is visible in the mark before its writer learns that it was committed. A read of the database that
  /// begins after a mark was read sees at least the changes that the mark includes.
  var mark: CommitMark? {
    index.withLock { index in
      guard let index, let address = UnsafeRawPointer(bitPattern: index) else { return nil }
      var words = SIMD8<UInt64>()
      let isStable = withUnsafeMutableBytes(of: &words) { bytes in
        csqlite_copy_log_header(address, bytes.baseAddress?.assumingMemoryBound(to: UInt64.self))
      }
      return isStable ? CommitMark(words) : nil
    }
  }

  /// Call this before the connections close.
  func close() { index.withLock { $0 = nil } }
}

/// A value that was read from the database, valid until the next commit. A pure value.
package struct ValueAtCommit<Value: Sendable>: Sendable {
  private var known: (mark: CommitMark, value: Value)?

  package init() {}

  /// Returns the value if it belongs to a mark.
  package func value(at mark: CommitMark?) -> Value? {
    guard let mark, let known, known.mark == mark else { return nil }
    return known.value
  }

  /// Stores a value.
  ///
  /// - Parameter mark: the mark that was read before the value. If a commit followed, the value may be newer than its
  ///   mark. Then the mark is outdated and is never returned again, so the value is not used.
  package mutating func store(_ value: Value, readAfter mark: CommitMark?) {
    if let mark { known = (mark, value) }
  }
}
