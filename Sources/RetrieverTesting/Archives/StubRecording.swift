#if !canImport(Darwin)
import Foundation
import Retriever
import Synchronization

/// What requests got from the network, for writing an HTTP archive that ``HTTPStubs/replay(_:order:)`` reads.
///
/// ``HTTPStubs/record(_:)`` creates it. Secrets are removed as `TrafficArchive` removes them, before anything is kept:
/// passwords, tokens and cookies in header fields, URLs, forms and JSON. Review a file before you share it.
public final class StubRecording: Sendable {
  private struct Added {
    var count = 0
    /// The exchanges with a body that was too long.
    var incomplete: [String] = []
  }

  private let archive: TrafficArchive
  private let added = Mutex(Added())

  static let limits = TrafficArchive.Limits(
    entries: 10_000, bodyBytes: NetworkExchange.maximumBodyBytes, totalBodyBytes: 256 << 20)

  init(limits: TrafficArchive.Limits = StubRecording.limits) {
    archive = TrafficArchive(limits: limits)
    archive.isRecording = true
  }

  /// The number of recorded exchanges.
  public var count: Int { archive.count }

  func add(_ exchange: NetworkExchange) {
    var request = exchange.request.request
    request.httpBodyStream = nil
    request.httpBody = exchange.request.body
    var record = TransactionRecord(request: request, start: exchange.start)
    record.response = exchange.response
    record.error = exchange.error
    record.requestStart = 0
    record.responseEnd = Date().timeIntervalSince(exchange.start)
    record.requestBodyBytes = Int64(exchange.request.bodyLength)
    record.responseBodyBytes = exchange.bodyLength
    record.decodedResponseBodyBytes = exchange.bodyLength
    archive.record(record, requestBody: exchange.request.body, responseBody: exchange.body)
    let isIncomplete = exchange.bodyLength > exchange.body.count || exchange.request.isCut
    added.withLock { added in
      added.count += 1
      if isIncomplete { added.incomplete.append("\(exchange.request)") }
    }
  }

  /// Writes the exchanges to a file that only its owner can read.
  ///
  /// - Throws: ``StubsError`` with ``StubsError/Code/incompleteRecording`` if there was too much to keep all of it, or an
  ///   error of the file system.
  public func write(to file: URL) throws {
    let (count, first) = added.withLock { ($0.count, $0.incomplete.first) }
    if let first {
      throw StubsError(
        .incompleteRecording,
        "The recording cannot be replayed: a body of \(first) is too long. Record fewer requests.")
    }
    guard archive.count >= count else {
      let limits = archive.limits
      throw StubsError(
        .incompleteRecording,
        "The recording cannot be replayed: of \(count) exchanges, only the last \(archive.count) were kept. "
          + "The limits are \(limits.entries) exchanges and \(limits.totalBodyBytes >> 20) MiB of bodies. "
          + "Record fewer requests.")
    }
    try archive.write(to: file)
  }
}

extension StubRecording: CustomReflectable {
  /// A mirror without children, so that `dump` reads no property without its lock: what a recording holds changes at any time.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
#endif
