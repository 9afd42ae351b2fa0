import Foundation
import HTTPSyntax
import Retriever
import Synchronization

/// Fetches the bytes of one resource and keeps them. The owner decides about the number of attempts.
///
/// If an attempt fails, its bytes are kept. The next attempt resumes with a range request if the server sent a strong
/// validator, and otherwise starts from the beginning. The disk cache receives the bytes as they arrive.
final class ImageFetch: Sendable {
  struct Plan: Sendable {
    var request: URLRequest
    var resource: ImageResource
    var limits = ImageLimits()
    var defaultLifetime: TimeInterval = 86_400
    /// The stored entry, if the server is only asked whether it is still valid.
    var confirming: CacheEntry?
    /// The bytes of an earlier, unfinished fetch, and the writer of their file.
    var part: (entry: CacheEntry, bytes: Data, writer: DiskCacheWriter)?
  }

  enum Report: Sendable {
    /// The server has begun to send the complete image. What is written to the disk cache is opened after this report.
    case responded
    /// The first bytes of the image have arrived. Those of a file have no entry.
    case began(CacheEntry?)
    /// The earlier bytes belong to another version.
    case restarted
    case progress(ImageProgress)
  }

  enum Outcome: Sendable {
    case completed
    /// The stored bytes are still valid.
    ///
    /// - version: The version that the server was asked about.
    case confirmed(CacheEntry, version: ImageVersion?)
    /// - retryAfter: The pause that the server asked for.
    case failed(any Error, mayRetry: Bool, retryAfter: Duration?)
  }

  private struct State: Sendable {
    var bytes: ByteStore
    /// The entry of the response that delivers, or delivered, the bytes.
    var entry: CacheEntry?
    var writer: DiskCacheWriter?
    var hasBegun = false
    var isOver = false
    /// True if the image may be older than what another fetch stores.
    var isSuperseded = false
  }

  /// A response with an error status.
  private struct ErrorStatus: Error {
    let error: URLError
    let mayRetry: Bool
    let retryAfter: Duration?
  }

  /// The fetch cannot be resumed, and starts from the beginning.
  private struct NotResumable: Error {}

  private let plan: Plan
  private let session: URLSession
  private let disk: DiskCache?
  private let now: @Sendable () -> Date
  private let state: Mutex<State>

  init(_ plan: Plan, session: URLSession, disk: DiskCache?, now: @escaping @Sendable () -> Date) {
    self.plan = plan
    self.session = session
    self.disk = disk
    self.now = now
    state = Mutex(
      State(bytes: ByteStore(plan.part?.bytes ?? Data()), entry: plan.part?.entry, writer: plan.part?.writer))
  }

  /// The bytes that have arrived. After a restart, this is another store.
  var bytes: ByteStore { state.withLock { $0.bytes } }

  /// The expected number of bytes; nil if the server did not specify it.
  var expectedBytes: Int? { state.withLock { $0.entry?.length } }

  /// Makes one attempt. Cancelling the task ends it.
  func run(_ report: (Report) -> Void) async -> Outcome {
    do {
      return try await plan.request.url?.isFileURL == true ? readFile(report) : attempt(report)
    } catch let failure as ErrorStatus {
      return .failed(failure.error, mayRetry: failure.mayRetry, retryAfter: failure.retryAfter)
    } catch is NotResumable {
      discardBytes()
      let error = URLError(
        .badServerResponse, message: "The server could not resume the interrupted image.",
        url: plan.request.url)
      return .failed(error, mayRetry: true, retryAfter: nil)
    } catch {
      return .failed(error, mayRetry: RetryPolicy.isTransient(error), retryAfter: nil)
    }
  }

  /// Ends a fetch that nobody needs anymore. The bytes stay on disk, unless they are useless.
  func end(isBroken: Bool) {
    let (writer, keepsPart) = state.withLock { state in
      state.isOver = true
      return (state.writer.take(), !isBroken && state.entry?.strongValidator != nil)
    }
    writer?.end(keepsPart: keepsPart)
  }

  /// Leaves the disk cache to a newer fetch of the same resource. This fetch continues, but stores nothing.
  func supersede() {
    let writer = state.withLock { state in
      state.isSuperseded = true
      return state.writer.take()
    }
    writer?.end(keepsPart: false)
  }

  // MARK: An attempt

  private func attempt(_ report: (Report) -> Void) async throws -> Outcome {
    let (offset, entry) = state.withLock { ($0.bytes.count, $0.entry) }
    let range = offset > 0 ? entry?.strongValidator.map { (offset: offset, validator: $0) } : nil
    // After another version has begun to arrive, the stored entry does not match the bytes that others are reading.
    let confirming = offset == 0 && entry == nil ? plan.confirming : nil
    let (body, answer) = try await session.bytes(for: request(range, confirming))
    guard let response = answer as? HTTPURLResponse else {
      throw URLError(
        .badServerResponse, message: "The response is not an HTTP response.", url: plan.request.url)
    }
    switch response.statusCode {
    case 206:
      guard let range, continues(response, from: range.offset) else { throw NotResumable() }
    case 304:
      guard let confirming else { throw errorStatus(of: response) }
      return .confirmed(confirm(confirming, response), version: confirming.version)
    case 416 where range != nil:
      throw NotResumable()
    case 200..<300:
      begin(response, report)
    default:
      throw errorStatus(of: response)
    }
    try await receive(body, response, report)
    return finish()
  }

  private func request(_ range: (offset: Int, validator: String)?, _ confirming: CacheEntry?) -> URLRequest {
    var request = plan.request
    if request.value(forHTTPHeaderField: "Accept") == nil {
      request.setValue(
        "image/jpeg,image/png,image/webp,image/gif,image/*;q=0.5,*/*;q=0.1", forHTTPHeaderField: "Accept")
    }
    if let range {
      request.setValue("bytes=\(range.offset)-", forHTTPHeaderField: "Range")
      request.setValue(range.validator, forHTTPHeaderField: "If-Range")
    } else if let entry = confirming {
      request.setValue(entry.entityTag, forHTTPHeaderField: "If-None-Match")
      request.setValue(entry.lastModified, forHTTPHeaderField: "If-Modified-Since")
    }
    return request
  }

  /// Returns whether a 206 response continues after the existing bytes, with the same version.
  private func continues(_ response: HTTPURLResponse, from offset: Int) -> Bool {
    guard let range = response.value(forHTTPHeaderField: "Content-Range").flatMap({ ContentRange($0) }),
      range.range.lowerBound == Int64(offset), response.value(forHTTPHeaderField: "Content-Encoding") == nil
    else { return false }
    let now = now()
    let (entry, writer) = state.withLock { state -> (CacheEntry?, DiskCacheWriter?) in
      if let tag = response.value(forHTTPHeaderField: "ETag"), let mine = state.entry?.entityTag, tag != mine
      {
        return (nil, nil)
      }
      state.entry = state.entry?.confirmed(by: response, now: now, defaultLifetime: plan.defaultLifetime)
      if let total = range.length.flatMap({ Int(exactly: $0) }) { state.entry?.length = total }
      return (state.entry, state.writer)
    }
    if let entry { writer?.rewrite(entry) }
    return entry != nil
  }

  /// Starts to receive the complete image, from its first byte.
  private func begin(_ response: HTTPURLResponse, _ report: (Report) -> Void) {
    let entry = CacheEntry(
      identity: plan.resource.identity, response: response, now: now(), defaultLifetime: plan.defaultLifetime)
    let hadBegun = state.withLock { state in
      defer { state.hasBegun = false }
      if state.bytes.count > 0 { state.bytes = ByteStore() }
      state.entry = entry
      return state.hasBegun
    }
    if hadBegun { report(.restarted) }
    report(.responded)
    let isPrivate = response.url.map(session.hasSignedIn) == true
    // A writer only adds work to a queue. With the lock, it does so before `supersede` and `end`, or not at all.
    let unusedWriter = state.withLock { state -> DiskCacheWriter? in
      guard let disk, !isPrivate, entry.freshness.isStorable, !state.isOver, !state.isSuperseded else {
        return state.writer.take()
      }
      if let writer = state.writer {
        writer.start(entry)
      } else {
        state.writer = disk.write(plan.resource, entry)
      }
      return nil
    }
    unusedWriter?.end(keepsPart: false)
  }

  private func receive(
    _ body: URLSession.AsyncBytes, _ response: HTTPURLResponse, _ report: (Report) -> Void
  ) async throws {
    let (store, writer, length) = state.withLock { ($0.bytes, $0.writer, $0.entry?.length) }
    if let length, length > plan.limits.bytes { throw ImageError.tooManyBytes(length, plan.limits) }
    if store.count > 0 { reportBegin(report) }
    for try await piece in body.chunks {
      let total = store.count + piece.count
      guard total <= plan.limits.bytes else { throw ImageError.tooManyBytes(total, plan.limits) }
      store.append(piece)
      reportBegin(report)
      writer?.append(piece)
      report(.progress(ImageProgress(receivedBytes: total, expectedBytes: length)))
    }
    if let length, store.count < length {
      throw URLError(
        .networkConnectionLost, message: "Received only \(store.count) of \(length) bytes of the image.",
        url: plan.request.url)
    }
  }

  private func reportBegin(_ report: (Report) -> Void) {
    let (isFirst, entry) = state.withLock { state in
      defer { state.hasBegun = true }
      return (!state.hasBegun, state.entry)
    }
    if isFirst { report(.began(entry)) }
  }

  private func finish() -> Outcome {
    let (bytes, writer) = state.withLock { ($0.bytes, $0.writer.take()) }
    // The order matters: a caller that gets the image and requests it again finds it on disk.
    writer?.commit()
    bytes.finish()
    return .completed
  }

  private func confirm(_ stored: CacheEntry, _ response: HTTPURLResponse) -> CacheEntry {
    let entry = stored.confirmed(by: response, now: now(), defaultLifetime: plan.defaultLifetime)
    // With the lock, so that the entry of a newer fetch is not changed.
    state.withLock { state in
      if !state.isSuperseded { disk?.confirm(plan.resource, entry) }
    }
    return entry
  }

  /// Forgets the entry, but keeps the store for the pass that reads it. The next attempt reports the restart.
  private func discardBytes() {
    let writer = state.withLock { state in
      state.entry = nil
      return state.writer.take()
    }
    writer?.end(keepsPart: false)
  }

  private func errorStatus(of response: HTTPURLResponse) -> ErrorStatus {
    let status = response.statusCode
    let phrase = HTTPURLResponse.localizedString(forStatusCode: status)
    let host = plan.request.url?.host ?? "the server"
    return ErrorStatus(
      error: URLError(
        .badServerResponse,
        message: "\(host) returned status \(status) (\(phrase)) instead of an image.",
        url: plan.request.url),
      mayRetry: RetryPolicy.isTransient(status: status),
      retryAfter: RetryPolicy.retryAfter(response.value(forHTTPHeaderField: "Retry-After"), now: now()))
  }

  private func readFile(_ report: (Report) -> Void) async throws -> Outcome {
    guard let url = plan.request.url else { throw URLError(.badURL) }
    let data = try await LocalFile.read(url, limits: plan.limits)
    let store = bytes
    store.append(data)
    reportBegin(report)
    store.finish()
    // Files are not cached: a file may change at any time, and reading it is as fast as reading a cache.
    return .completed
  }
}
