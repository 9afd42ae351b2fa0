#if !canImport(Darwin)
import Foundation

/// The bytes that a task has sent and received, and how many of them its delegate knows of.
struct TaskCounts: Sendable {
  private(set) var sent: Int64 = 0
  private(set) var received: Int64 = 0
  /// The length of the response body; -1 if it is unknown.
  private(set) var expected: Int64 = -1
  /// The same for the most recent head, whose response may be discarded.
  var announced: Int64 = -1
  var reportedSent = ReportedCount()
  var reportedWritten = ReportedCount()

  mutating func receive(_ count: Int) { received += Int64(count) }

  /// Records how many bytes of the body have been sent since the request began. A request that is sent again starts
  /// from its beginning. Returns true if this is more than ever before.
  mutating func sent(upTo total: Int64) -> Bool {
    defer { sent = max(sent, total) }
    return total > sent
  }

  /// The server already has the bytes before an offset.
  mutating func skip(to offset: Int64) {
    guard offset > sent else { return }
    sent = offset
    reportedSent.skip(to: offset)
  }

  /// The response with the most recent head is delivered.
  mutating func deliver() { expected = announced }

  /// The length of a file whose bytes before an offset arrived earlier; -1 if it is unknown. A server may announce any
  /// length.
  func expected(after offset: Int64) -> Int64 { Self.length(offset, expected) }

  static func length(_ offset: Int64, _ rest: Int64) -> Int64 {
    let (length, isTooLong) = offset.addingReportingOverflow(rest)
    return rest < 0 || isTooLong ? -1 : length
  }

  /// The part of an increasing count that was reported to a delegate. A scheduled call includes everything that
  /// arrives before it is made.
  struct ReportedCount: Sendable {
    private var count: Int64 = 0
    private var isScheduled = false

    /// Returns true if a call has to be scheduled.
    mutating func needsReport() -> Bool {
      defer { isScheduled = true }
      return !isScheduled
    }

    /// Leaves out what an earlier task has reported.
    mutating func skip(to total: Int64) { count = max(count, total) }

    /// Returns how much the count has grown since the last call. Returns nil if the previous call already reported
    /// everything.
    mutating func report(upTo total: Int64) -> Int64? {
      defer { count = total }
      isScheduled = false
      return total > count ? total - count : nil
    }
  }
}
#endif
