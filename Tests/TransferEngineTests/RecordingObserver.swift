import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// Records what a transfer reports, and returns the values that the test wants.
final class RecordingObserver: TransferObserver {
  struct Record: Sendable {
    var heads: [TransferHead] = []
    var informational: [Int] = []
    var body: [UInt8] = []
    var byteCount = 0
    var sent: [Int64] = []
    var ends: [TransferEnd] = []
    /// The number of events after the end. It must stay 0.
    var afterEnd = 0

    var failure: TransferFailure? { ends.last?.failure }
  }

  let headArrived = Gate()
  let bytesArrived = Gate()
  let ended = Gate()
  private let state = Mutex(Record())
  private let onHead: @Sendable (TransferHead) -> TransferDisposition
  private let onBytes: @Sendable (_ total: Int) -> TransferDisposition
  private let keepsBody: Bool

  init(
    keepsBody: Bool = true,
    onHead: @escaping @Sendable (TransferHead) -> TransferDisposition = { _ in .proceed },
    onBytes: @escaping @Sendable (_ total: Int) -> TransferDisposition = { _ in .proceed }
  ) {
    self.keepsBody = keepsBody
    self.onHead = onHead
    self.onBytes = onBytes
  }

  var record: Record { state.withLock { $0 } }

  private func note(_ change: (inout Record) -> Void) {
    state.withLock { record in
      if !record.ends.isEmpty { record.afterEnd += 1 }
      change(&record)
    }
  }

  func transferDidReceive(head: TransferHead) -> TransferDisposition {
    note { $0.heads.append(head) }
    headArrived.open()
    return onHead(head)
  }

  func transferDidReceive(informational head: TransferHead) {
    note { $0.informational.append(head.status) }
  }

  func transferDidReceive(bytes: UnsafeRawBufferPointer) -> TransferDisposition {
    note { record in
      if keepsBody { record.body.append(contentsOf: bytes) }
      record.byteCount += bytes.count
    }
    bytesArrived.open()
    return onBytes(record.byteCount)
  }

  func transferDidSend(total: Int64) { note { $0.sent.append(total) } }

  func transferDidFinish(_ end: TransferEnd) {
    note { $0.ends.append(end) }
    ended.open()
  }
}

/// Holds a transfer for an observer that acts on its own transfer.
final class TransferBox: Sendable {
  private let held = Mutex<Transfer?>(nil)
  var transfer: Transfer? { held.withLock { $0 } }
  func set(_ transfer: Transfer?) { held.withLock { $0 = transfer } }
}

extension TransferClientOptions {
  /// Options for servers with certificates of the test authority.
  static func trustingTestAuthority() throws -> TransferClientOptions {
    var options = TransferClientOptions()
    options.trust = .file(path: try TestAuthority.shared().authorityFile.path)
    return options
  }
}

extension TransferClient {
  /// Makes a client that trusts the certificates of the tests, and uses the transport of our own.
  static func onOwnTransport(
    _ change: (inout TransferClientOptions) throws -> Void = { _ in }
  ) throws -> TransferClient {
    var options = try TransferClientOptions.trustingTestAuthority()
    options.usesOwnTransport = true
    try change(&options)
    return try TransferClient(options: options)
  }
}

extension TransferClient {
  /// Runs a transfer and waits for its end.
  func run(
    _ request: TransferRequest, observer: RecordingObserver = .init()
  ) async throws -> RecordingObserver.Record {
    let transfer = makeTransfer(request, observer: observer)
    transfer.start()
    try #require(await observer.ended.wait(within: .seconds(90)), "The transfer did not end")
    let record = observer.record
    #expect(record.ends.count == 1)
    return record
  }

  /// Fails the test if this client no longer works.
  func expectUsable(_ sourceLocation: SourceLocation = #_sourceLocation) async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "healthy") }
    let record = try await run(TransferRequest(url: server.address("/health")))
    #expect(record.failure == nil, sourceLocation: sourceLocation)
    #expect(String(decoding: record.body, as: UTF8.self) == "healthy", sourceLocation: sourceLocation)
  }
}

/// A body that delivers its bytes in pieces, and waits where the test wants it to.
final class ScriptedBody: TransferBodySource {
  struct State: Sendable {
    var rest: [UInt8]
    var waitsWhenEmpty: Bool
    var moreAvailable: (@Sendable () -> Void)?
    var starts = 0
  }

  let length: Int64?
  let asked = Gate()
  private let bytes: [UInt8]
  private let pieceSize: Int
  private let state: Mutex<State>

  init(_ bytes: [UInt8], length: Int64?, pieceSize: Int = 1 << 16, waitsWhenEmpty: Bool = false) {
    self.bytes = bytes
    self.length = length
    self.pieceSize = pieceSize
    state = Mutex(State(rest: bytes, waitsWhenEmpty: waitsWhenEmpty))
  }

  var startCount: Int { state.withLock { $0.starts } }

  func start(moreAvailable: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.moreAvailable = moreAvailable
      state.starts += 1
    }
  }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
    let answer = state.withLock { state -> TransferBodyRead in
      let count = min(buffer.count, pieceSize, state.rest.count)
      guard count > 0 else { return state.waitsWhenEmpty ? .wait : .end }
      buffer.copyBytes(from: state.rest[..<count])
      state.rest.removeFirst(count)
      return .bytes(count)
    }
    asked.open()
    return answer
  }

  /// Supplies the missing bytes, followed by the end.
  func supply(_ bytes: [UInt8]) {
    let wake = state.withLock { state in
      state.rest += bytes
      state.waitsWhenEmpty = false
      return state.moreAvailable
    }
    wake?()
  }

  func rewind() -> Bool {
    state.withLock { $0.rest = bytes }
    return true
  }
}
