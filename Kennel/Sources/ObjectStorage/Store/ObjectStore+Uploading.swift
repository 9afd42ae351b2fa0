import Foundation

/// How an object is uploaded in parts.
package struct UploadPlan: Sendable, Hashable {
  /// The number of bytes of a part. Stores accept at least 5 MiB, except for the last part.
  package var partSize = 8 << 20
  /// The maximum number of parts that are sent at the same time. Each of them is in memory.
  package var maximumConcurrentParts = 4
  /// The maximum number of parts, which is the same for all stores.
  package static let maximumParts = 10_000

  package init() {}
}

extension ObjectStore {
  /// Stores the bytes of a sequence as an object. The object appears when all bytes are stored, or not at all.
  ///
  /// Up to one part is sent as one request; more are sent in parts, several at a time. If the upload fails or is cancelled,
  /// the store is asked to remove the parts.
  ///
  /// - Parameters:
  ///   - chunks: The bytes, in chunks of any size.
  ///   - key: The name of the object. An object with this name is replaced.
  ///   - description: What is stored with it.
  ///   - plan: The size and number of the parts.
  /// - Returns: The number of bytes.
  /// - Throws: `ObjectStoreError`, or the error of the sequence.
  @discardableResult
  package func upload<Chunks: AsyncSequence & Sendable>(
    _ chunks: Chunks, as key: String, _ description: ObjectDescription = ObjectDescription(),
    plan: UploadPlan = UploadPlan()
  ) async throws -> Int64 where Chunks.Element == Data {
    var parts = PartReader(chunks, size: max(plan.partSize, 1))
    let first = try await parts.next() ?? Data()
    guard let second = try await parts.next() else {
      try await put(first, as: key, description)
      return Int64(first.count)
    }
    let upload = try await MultipartUpload.begin(self, key, description)
    do {
      let (tags, size) = try await send(first, second, &parts, upload, plan)
      try await upload.complete(tags, size: size)
      return size
    } catch {
      // A cancelled task could not send the request.
      let removal = Task { await upload.abort() }
      // A store that does not answer would make the caller wait as long again.
      if (error as? ObjectStoreError)?.code != .unreachable { await removal.value }
      throw error
    }
  }

  private func send<Chunks: AsyncSequence & Sendable>(
    _ first: Data, _ second: Data, _ parts: inout PartReader<Chunks>, _ upload: MultipartUpload,
    _ plan: UploadPlan
  ) async throws -> (tags: [Int: String], size: Int64) {
    try await withThrowingTaskGroup(of: (Int, String).self) { group in
      var tags: [Int: String] = [:]
      var size: Int64 = 0
      var number = 0
      var next: Data? = first
      var isSecondPending = true
      while let part = next {
        number += 1
        guard number <= UploadPlan.maximumParts else {
          throw ObjectStoreError(
            .tooLarge, "The object has more than \(UploadPlan.maximumParts) parts. Use larger parts.")
        }
        if number > max(plan.maximumConcurrentParts, 1), let (done, tag) = try await group.next() {
          tags[done] = tag
        }
        size += Int64(part.count)
        group.addTask { [number] in
          let tag = try await upload.send(part, number: number)
          return (number, tag)
        }
        next = isSecondPending ? second : try await parts.next()
        isSecondPending = false
      }
      for try await (done, tag) in group { tags[done] = tag }
      return (tags, size)
    }
  }
}

/// Collects chunks into parts of equal size. The last one may be smaller.
struct PartReader<Chunks: AsyncSequence> where Chunks.Element == Data {
  private var chunks: Chunks.AsyncIterator
  private let size: Int
  private var rest = Data()
  private var isAtEnd = false

  init(_ chunks: Chunks, size: Int) {
    self.chunks = chunks.makeAsyncIterator()
    self.size = size
  }

  /// Returns the next part, or nil at the end.
  mutating func next() async throws -> Data? {
    while rest.count < size, !isAtEnd {
      if let chunk = try await chunks.next() { rest += chunk } else { isAtEnd = true }
    }
    guard !rest.isEmpty else { return nil }
    let part = Data(rest.prefix(size))
    rest = Data(rest.dropFirst(size))
    return part
  }
}
