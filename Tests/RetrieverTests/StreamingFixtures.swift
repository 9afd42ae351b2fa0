#if !canImport(Darwin)

import Foundation
import Synchronization

@testable import Retriever

/// A channel's bytes without a task.
struct ChannelBytes: AsyncSequence, Sendable {
  typealias Element = UInt8
  typealias Failure = any Error

  let consumer: ByteConsumer

  init(_ channel: BodyChannel) {
    consumer = ByteConsumer(channel)
  }

  func makeAsyncIterator() -> AsyncByteIterator {
    AsyncByteIterator(consumer)
  }
}

/// A channel that counts its requests to the producer.
final class WatchedChannel: Sendable {
  private final class Counts: Sendable {
    let demands = Atomic(0)
    let terminations = Atomic(0)
  }

  let channel: BodyChannel
  private let counts: Counts

  var demands: Int { counts.demands.load(ordering: .sequentiallyConsistent) }
  var terminations: Int { counts.terminations.load(ordering: .sequentiallyConsistent) }

  init(highWaterMark: Int = 1 << 20, lowWaterMark: Int = 256 << 10) {
    let counts = Counts()
    self.counts = counts
    channel = BodyChannel(
      highWaterMark: highWaterMark, lowWaterMark: lowWaterMark,
      onDemand: { counts.demands.add(1, ordering: .sequentiallyConsistent) },
      onTermination: { counts.terminations.add(1, ordering: .sequentiallyConsistent) })
  }
}

extension BodyChannel {
  @discardableResult
  func append(_ text: String) -> Bool {
    append(Array(text.utf8))
  }

  @discardableResult
  func append(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { append($0) }
  }
}

extension ByteChunk {
  convenience init(_ bytes: [UInt8]) {
    self.init(capacity: bytes.count) { buffer in
      buffer.copyBytes(from: bytes)
      return bytes.count
    }
  }
}

/// A finished stream with exactly these chunks.
func stream(pieces: [[UInt8]], throwing error: (any Error)? = nil) -> ChannelBytes {
  let channel = BodyChannel(highWaterMark: .max, onDemand: {}, onTermination: {})
  for piece in pieces { _ = channel.append(ByteChunk(piece)) }
  channel.finish(throwing: error)
  return ChannelBytes(channel)
}

func stream(_ bytes: [UInt8], chunkSize: Int = .max) -> ChannelBytes {
  stream(pieces: split(bytes, size: chunkSize))
}

func stream(_ text: String, chunkSize: Int = .max) -> ChannelBytes {
  stream(Array(text.utf8), chunkSize: chunkSize)
}

func split(_ bytes: [UInt8], size: Int) -> [[UInt8]] {
  var pieces: [[UInt8]] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    pieces.append(Array(rest.prefix(size)))
    rest = rest.dropFirst(size)
  }
  return pieces
}

func splitRandomly(_ bytes: [UInt8], using generator: inout some RandomNumberGenerator) -> [[UInt8]] {
  var pieces: [[UInt8]] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    let size = Int.random(in: 1...40, using: &generator)
    pieces.append(Array(rest.prefix(size)))
    rest = rest.dropFirst(size)
  }
  return pieces
}

/// A foreign byte sequence that cannot throw and has no chunks.
struct ForeignBytes: AsyncSequence, Sendable {
  typealias Failure = Never

  let bytes: [UInt8]

  struct AsyncIterator: AsyncIteratorProtocol {
    var rest: ArraySlice<UInt8>

    mutating func next() async -> UInt8? {
      rest.popFirst()
    }

    mutating func next(isolation actor: isolated (any Actor)?) async -> UInt8? {
      rest.popFirst()
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(rest: bytes[...])
  }
}

extension AsyncSequence {
  func collected() async throws -> [Element] {
    var elements: [Element] = []
    for try await element in self { elements.append(element) }
    return elements
  }
}

#endif
