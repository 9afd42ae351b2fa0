import Foundation
import Hashing
import HTTPSyntax
import Retriever

/// The bytes of an object as they arrive, in chunks. The sequence can be iterated once.
///
/// If the connection is lost, the iterator requests the rest again. All chunks are from the same version of the object.
package struct ObjectChunks: AsyncSequence, Sendable {
  /// A part of the object. It is never empty.
  package typealias Element = Data
  package typealias Failure = ObjectStoreError

  let transport: StoreTransport
  let request: StoreRequest
  let tag: String
  let range: Range<Int64>
  let first: URLSession.AsyncBytes
  let sha256: [UInt8]?

  /// Returns the iterator.
  package func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// The iterator of the chunks.
  package struct AsyncIterator: AsyncIteratorProtocol {
    private let source: ObjectChunks
    private var chunks: AsyncChunkSequence<URLSession.AsyncBytes>.AsyncIterator
    private var position: Int64
    /// How often the connection was lost without a byte in between.
    private var losses = 0
    private let hash: RunningHash?
    private var isAtEnd = false

    fileprivate init(_ source: ObjectChunks) {
      self.source = source
      chunks = source.first.chunks.makeAsyncIterator()
      position = source.range.lowerBound
      hash = source.sha256 == nil ? nil : RunningHash()
    }

    /// Returns the next chunk, or nil at the end.
    ///
    /// - Throws: `unreachable` if the connection is lost too often, `conditionFailed` if the object has changed since the first
    ///   chunk, `damaged` if the hash of the object is another one.
    package mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ObjectStoreError) -> Data? {
      guard !isAtEnd else { return nil }
      while position < source.range.upperBound {
        let chunk: Data?
        do {
          chunk = try await chunks.next(isolation: actor)
        } catch {
          try await resume(after: source.transport.failure(error, source.request.subject), isolation: actor)
          continue
        }
        guard let chunk else {
          try await resume(
            after: StoreTransport.Failure(error: Self.incomplete, verdict: .unknown), isolation: actor)
          continue
        }
        guard Int64(chunk.count) <= source.range.upperBound - position else {
          throw ObjectStoreError(.badResponse, "The store sent more bytes than the object has.")
        }
        position += Int64(chunk.count)
        losses = 0
        hash?.update(chunk)
        return chunk
      }
      isAtEnd = true
      if let hash, hash.finish() != source.sha256 {
        throw ObjectStoreError(
          .damaged,
          "\(source.request.subject.capitalizedFirst) has other contents than expected. Restore it from a backup."
        )
      }
      return nil
    }

    private static let incomplete = ObjectStoreError(
      .unreachable, "The store sent fewer bytes than the object has. Try again later.")

    private mutating func resume(
      after failure: StoreTransport.Failure, isolation actor: isolated (any Actor)?
    ) async throws(ObjectStoreError) {
      guard failure.verdict != .final else { throw failure.error }
      let transport = source.transport
      losses += 1
      guard
        let pause = transport.retries.pause(
          afterAttempts: losses, asked: failure.asked, jitter: transport.clock.jitter())
      else { throw failure.error }
      do { try await transport.clock.sleep(pause) } catch { throw .cancelled }
      var request = source.request
      request.headers.removeAll { $0.0 == "Range" }
      request.headers.append(("Range", "bytes=\(position)-\(source.range.upperBound - 1)"))
      if !source.tag.isEmpty { request.headers.append(("If-Match", source.tag)) }
      do throws(StoreTransport.Failure) {
        let (answer, bytes) = try await transport.open(request)
        guard answer.status == 206,
          ContentRange(answer.field("Content-Range") ?? "")?.range.lowerBound == position
        else {
          throw StoreTransport.Failure(
            error: ObjectStoreError(.badResponse, "The store did not send the requested range of the object.")
          )
        }
        chunks = bytes.chunks.makeAsyncIterator()
      } catch {
        throw error.error
      }
    }
  }
}

@available(*, unavailable)
extension ObjectChunks.AsyncIterator: Sendable {}
