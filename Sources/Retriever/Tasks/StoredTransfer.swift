#if !canImport(Darwin)
import Dispatch
import Foundation
import HTTPSyntax
import Synchronization
import TransferEngine

/// Delivers a stored response as a transfer does: the head, the body in parts, the end. The observer may pause and stop it.
final class StoredTransfer: Sendable {
  /// The order of the events, as a pure value.
  struct Machine: Sendable {
    enum Step: Equatable, Sendable {
      case head
      case bytes(Range<Int>)
      case finish(isCancelled: Bool)
      /// Nothing to do until the transfer is resumed.
      case rest
    }

    static let maximumPart = 64 << 10

    private let length: Int
    private var position = 0
    private var hasSentHead = false
    private var isPaused = false
    private var isCancelled = false
    private var isOver = false
    /// Whether a thread delivers events. No second one may.
    private var isDelivering = false
    /// The number of resumes, to notice one during a call of the observer.
    private(set) var resumes = 0

    init(length: Int) { self.length = length }

    /// Returns true if the caller has to deliver events, until ``next()`` returns `.rest`.
    mutating func begin() -> Bool {
      guard !isDelivering, !isOver else { return false }
      isDelivering = true
      return true
    }

    mutating func next() -> Step {
      if isOver { return rest() }
      if isCancelled {
        isOver = true
        return .finish(isCancelled: true)
      }
      if isPaused { return rest() }
      if !hasSentHead {
        hasSentHead = true
        return .head
      }
      if position < length {
        defer { position = min(length, position + Self.maximumPart) }
        return .bytes(position..<min(length, position + Self.maximumPart))
      }
      isOver = true
      return .finish(isCancelled: false)
    }

    private mutating func rest() -> Step {
      isDelivering = false
      return .rest
    }

    /// The observer asks for a pause. It has no effect if the transfer was resumed in the meantime.
    mutating func pause(asOf resumes: Int) { if resumes == self.resumes { isPaused = true } }

    /// Keeps the transfer from beginning.
    mutating func hold() { if !hasSentHead { isPaused = true } }

    mutating func resume() {
      resumes += 1
      isPaused = false
    }

    mutating func cancel() { isCancelled = true }
  }

  private let head: TransferHead
  private let body: Data
  private let observer: any TransferObserver
  private let machine: Mutex<Machine>

  init(_ entry: StoredEntry, observer: any TransferObserver) {
    head = TransferHead(entry.head, length: entry.body.count)
    body = entry.body
    self.observer = observer
    machine = Mutex(Machine(length: entry.body.count))
  }

  /// Delivers events on the caller's thread, until the observer asks for a pause.
  func start() { deliver() }

  func hold() { machine.withLock { $0.hold() } }

  func resumeReceiving() {
    machine.withLock { $0.resume() }
    deliverLater()
  }

  func cancel() {
    machine.withLock { $0.cancel() }
    deliverLater()
  }

  /// Continues on another thread: the caller may be the receiver of the body.
  private func deliverLater() { DispatchQueue.global().async { self.deliver() } }

  private func deliver() {
    guard machine.withLock({ $0.begin() }) else { return }
    while true {
      let (step, resumes) = machine.withLock { ($0.next(), $0.resumes) }
      let disposition: TransferDisposition
      switch step {
      case .rest: return
      case .head: disposition = observer.transferDidReceive(head: head)
      case .bytes(let range):
        disposition = body.withUnsafeBytes {
          observer.transferDidReceive(bytes: UnsafeRawBufferPointer(rebasing: $0[range]))
        }
      case .finish(let isCancelled):
        observer.transferDidBecomeIdle()
        var end = TransferEnd(
          failure: isCancelled ? TransferFailure(.cancelled, message: "The load was cancelled.") : nil)
        end.receivedBytes = Int64(body.count)
        observer.transferDidFinish(end)
        continue
      }
      switch disposition {
      case .proceed, .gather: break
      case .pause: machine.withLock { $0.pause(asOf: resumes) }
      case .stop: machine.withLock { $0.cancel() }
      }
    }
  }
}

extension TransferHead {
  init(_ head: StoredHead, length: Int) {
    var block: [UInt8] = []
    for (name, value) in head.fields.entries { block += Array("\(name): \(value)\r\n".utf8) }
    let version: String? = if case .http(_, let version, _) = head.kind { version } else { nil }
    var mentions: Mentions = []
    if head.fields.contains("Location") { mentions.insert(.location) }
    if head.isEncoded { mentions.insert(.contentEncoding) }
    self.init(
      status: head.status, version: version ?? "HTTP/1.1", block: block, mentions: mentions,
      contentLength: Int64(length))
  }
}
#endif
