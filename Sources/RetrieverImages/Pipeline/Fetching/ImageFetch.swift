import Foundation
import Retriever
import Synchronization

/// Gets the bytes of one resource, in as many attempts as its owner makes, and keeps them.
///
/// An attempt that breaks off leaves its bytes; the next goes on from there with a range request, if the server gave a
/// validator that is strong enough, and else begins anew. The disk cache gets the bytes as they arrive.
final class ImageFetch: Sendable {
  struct Plan: Sendable {
    var request: URLRequest
    var resource: ImageResource
    var limits = ImageLimits()
    var usualLifetime: TimeInterval = 86_400
    /// What is stored, if the server is only to be asked whether that is still right.
    var confirming: CacheEntry?
    /// What an earlier fetch has brought, and the file it is in.
    var part: (entry: CacheEntry, bytes: Data, writer: DiskCacheWriter)?
  }

  enum Report: Sendable {
    /// The first bytes of the image are there.
    case began(Freshness)
    /// Those that were there belong to another version.
    case restarted
    case progress(ImageProgress)
  }

  enum Outcome: Sendable {
    case whole
    case confirmed(CacheEntry)
    /// - retryAfter: what the server asked for.
    case failed(any Error, mayRetry: Bool, retryAfter: Duration?)
  }

  private struct State: Sendable {
    var bytes: ByteStore
    /// What the response says that brings, or brought, the bytes.
    var entry: CacheEntry?
    var writer: DiskCacheWriter?
    var hasBegun = false
    var isOver = false
  }

  /// A status that says no.
  private struct Refusal: Error {
    let error: URLError
    let mayRetry: Bool
    let retryAfter: Duration?
  }

  /// What there is cannot be continued; it is begun anew.
  private struct Discontinued: Error {}

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

  /// What has come; another store after a restart.
  var bytes: ByteStore { state.withLock { $0.bytes } }

  /// How many bytes there will be; nil when the server did not say.
  var expectedBytes: Int? { state.withLock { $0.entry?.length } }

  /// One attempt. Cancelling the task ends it.
  func run(_ report: (Report) -> Void) async -> Outcome {
    do {
      return try await plan.request.url?.isFileURL == true ? readFile(report) : attempt(report)
    } catch let refusal as Refusal {
      return .failed(refusal.error, mayRetry: refusal.mayRetry, retryAfter: refusal.retryAfter)
    } catch is Discontinued {
      forgetBytes()
      let error = URLError(
        .badServerResponse, sentence: "The server did not go on with the image where it had broken off.",
        url: plan.request.url)
      return .failed(error, mayRetry: true, retryAfter: nil)
    } catch {
      return .failed(error, mayRetry: RetryPolicy.isTransient(error), retryAfter: nil)
    }
  }

  /// Nobody needs it any more. What has come stays on disk, unless it is of no use.
  func end(isBroken: Bool) {
    let (writer, keepsPart) = state.withLock { state in
      state.isOver = true
      return (state.writer.take(), !isBroken && state.entry?.strongValidator != nil)
    }
    writer?.end(keepsPart: keepsPart)
  }

  // MARK: An attempt

  private func attempt(_ report: (Report) -> Void) async throws -> Outcome {
    let (offset, entry) = state.withLock { ($0.bytes.count, $0.entry) }
    let range = offset > 0 ? entry?.strongValidator.map { (offset: offset, validator: $0) } : nil
    // Once another version has begun to come, what is stored is of no use to those who follow its bytes.
    let confirming = offset == 0 && entry == nil ? plan.confirming : nil
    let (body, answer) = try await session.bytes(for: request(range, confirming))
    guard let response = answer as? HTTPURLResponse else {
      throw URLError(
        .badServerResponse, sentence: "The answer is not one of HTTP.", url: plan.request.url)
    }
    switch response.statusCode {
    case 206:
      guard let range, goesOn(response, from: range.offset) else { throw Discontinued() }
    case 304:
      guard let confirming else { throw refusal(response) }
      return .confirmed(confirm(confirming, response))
    case 416 where range != nil:
      throw Discontinued()
    case 200..<300:
      begin(response, report)
    default:
      throw refusal(response)
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

  /// Whether a 206 brings the bytes that follow those there are, of the same version.
  private func goesOn(_ response: HTTPURLResponse, from offset: Int) -> Bool {
    guard let range = response.value(forHTTPHeaderField: "Content-Range").flatMap(ContentRange.init),
      range.first == Int64(offset), response.value(forHTTPHeaderField: "Content-Encoding") == nil
    else { return false }
    let freshness = Freshness(
      { response.value(forHTTPHeaderField: $0) }, now: now(), usualLifetime: plan.usualLifetime)
    let (entry, writer) = state.withLock { state -> (CacheEntry?, DiskCacheWriter?) in
      if let tag = response.value(forHTTPHeaderField: "ETag"), let mine = state.entry?.entityTag, tag != mine
      {
        return (nil, nil)
      }
      state.entry?.freshness = freshness
      if let total = range.total.flatMap({ Int(exactly: $0) }) { state.entry?.length = total }
      return (state.entry, state.writer)
    }
    if let entry { writer?.rewrite(entry) }
    return entry != nil
  }

  /// The whole image comes, from its first byte.
  private func begin(_ response: HTTPURLResponse, _ report: (Report) -> Void) {
    let entry = CacheEntry(
      identity: plan.resource.identity, response: response, now: now(), usualLifetime: plan.usualLifetime)
    let (hadBegun, oldWriter) = state.withLock { state in
      defer { state.hasBegun = false }
      if state.bytes.count > 0 { state.bytes = ByteStore() }
      state.entry = entry
      return (state.hasBegun, state.writer.take())
    }
    if hadBegun { report(.restarted) }
    var writer: DiskCacheWriter?
    if let disk, entry.freshness.isStorable {
      oldWriter?.start(entry)
      writer = oldWriter ?? disk.write(plan.resource, entry)
    } else {
      oldWriter?.end(keepsPart: false)
    }
    // Ended meanwhile, nobody else would.
    let isOver = state.withLock { state in
      if !state.isOver { state.writer = writer }
      return state.isOver
    }
    if isOver { writer?.end(keepsPart: false) }
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
        .networkConnectionLost, sentence: "The image ended after \(store.count) of \(length) bytes.",
        url: plan.request.url)
    }
  }

  private func reportBegin(_ report: (Report) -> Void) {
    let freshness = state.withLock { state -> Freshness? in
      defer { state.hasBegun = true }
      return state.hasBegun ? nil : state.entry?.freshness ?? .never
    }
    if let freshness { report(.began(freshness)) }
  }

  private func finish() -> Outcome {
    let (bytes, writer) = state.withLock { ($0.bytes, $0.writer.take()) }
    // In this order: who is answered and asks again finds it on disk.
    writer?.commit()
    bytes.finish()
    return .whole
  }

  private func confirm(_ stored: CacheEntry, _ response: HTTPURLResponse) -> CacheEntry {
    let entry = stored.confirmed(by: response, now: now(), usualLifetime: plan.usualLifetime)
    disk?.confirm(plan.resource, entry)
    return entry
  }

  /// The store stays, for the pass that follows it: the next attempt tells that it begins anew.
  private func forgetBytes() {
    let writer = state.withLock { state in
      state.entry = nil
      return state.writer.take()
    }
    writer?.end(keepsPart: false)
  }

  private func refusal(_ response: HTTPURLResponse) -> Refusal {
    let status = response.statusCode
    let phrase = HTTPURLResponse.localizedString(forStatusCode: status)
    let host = plan.request.url?.host ?? "the server"
    return Refusal(
      error: URLError(
        .badServerResponse,
        sentence: "\(host) answered with status \(status) (\(phrase)), not with an image.",
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
    // A file may change at any time, and is as near as any cache.
    return .whole
  }
}
