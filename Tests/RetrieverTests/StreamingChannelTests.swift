#if !canImport(Darwin)

import Dispatch
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct StreamingChannelTests {
  @Test func everyByteComesInOrder() async throws {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for size in [1, 3, 1000, 16_384, 70_000] {
      #expect(try await difference(stream(bytes, chunkSize: size).collected(), bytes) == nil)
    }
  }

  @Test func theErrorFollowsTheBytes() async throws {
    var received: [UInt8] = []
    await #expect(throws: URLError(.networkConnectionLost)) {
      for try await byte in stream(pieces: [[1, 2], [3]], throwing: URLError(.networkConnectionLost)) {
        received.append(byte)
      }
    }
    #expect(received == [1, 2, 3])
  }

  @Test func `leaving the loop stops the producer while the sequence is in scope`() async throws {
    let watched = WatchedChannel()
    watched.channel.append("abc")
    let bytes = ChannelBytes(watched.channel)
    for try await _ in bytes { break }
    #expect(watched.terminations == 1)
    await #expect(throws: URLError(.cancelled)) { try await bytes.collected() }
    withExtendedLifetime(bytes) {}
  }

  @Test func `releasing the unread sequence stops the producer`() {
    let watched = WatchedChannel()
    do {
      let bytes = ChannelBytes(watched.channel)
      #expect(watched.terminations == 0)
      _ = bytes.makeAsyncIterator()
      #expect(watched.terminations == 0)
      withExtendedLifetime(bytes) {}
    }
    #expect(watched.terminations == 1)
  }

  @Test func `reading to the end does not call onTermination`() async throws {
    let watched = WatchedChannel()
    watched.channel.append("abc")
    watched.channel.finish()
    #expect(try await ChannelBytes(watched.channel).collected().count == 3)
    #expect(watched.terminations == 0)
  }

  @Test func `cancelling a waiting task throws cancelled and stops the producer`() async throws {
    for _ in 0..<200 {
      let watched = WatchedChannel()
      let task = Task { try await watched.channel.nextChunk() == nil }
      await Task.yield()
      task.cancel()
      await #expect(throws: URLError(.cancelled)) { try await task.value }
      #expect(watched.terminations == 1)
    }
  }

  @Test func aTaskCancelledBeforehandNeverWaits() async throws {
    let watched = WatchedChannel()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await watched.channel.nextChunk() == nil
    }
    await #expect(throws: URLError(.cancelled)) { try await task.value }
    #expect(watched.terminations == 1)
  }

  @Test func `finishing the channel ends a loop that waits`() async throws {
    for _ in 0..<200 {
      let watched = WatchedChannel()
      let task = Task { try await ChannelBytes(watched.channel).collected() }
      await Task.yield()
      watched.channel.append("x")
      watched.channel.finish()
      #expect(try await task.value == [UInt8(ascii: "x")])
    }
  }

  @Test func `the buffer of a slow reader stays bounded`() async throws {
    let watched = WatchedChannel(highWaterMark: 64 << 10, lowWaterMark: 16 << 10)
    let piece = [UInt8](repeating: 1, count: 8 << 10)
    var appended = 0
    while !watched.channel.append(piece) { appended += piece.count }
    #expect(appended <= 64 << 10)
    var iterator = ChannelBytes(watched.channel).makeAsyncIterator()
    for _ in 0..<(appended + piece.count) { _ = try await iterator.next() }
    #expect(watched.demands == 1)
  }

  @Test func `a producer on another thread and its reader lose no bytes`() async throws {
    let total = 20_000_000
    let producer = PausingProducer(total: total)
    var count = 0
    var sum = 0
    for try await chunk in producer.bytes().chunks {
      count += chunk.count
      sum += Int(chunk[chunk.startIndex])
      #expect(!chunk.isEmpty)
    }
    #expect(count == total)
    #expect(sum > 0)
  }

  @Test func `one of two concurrent readers is refused`() async throws {
    let watched = WatchedChannel()
    let channel = watched.channel
    let outcomes = await withTaskGroup(of: Result<Int?, any Error>.self) { group in
      for _ in 0..<2 {
        group.addTask {
          do { return .success(try await channel.nextChunk()?.count) } catch { return .failure(error) }
        }
      }
      // There is nothing to read, so the first result is the rejected one.
      let first = await group.next()
      channel.append("abc")
      return [first, await group.next()]
    }
    #expect(throws: StreamingError.self) { _ = try outcomes.first??.get() }
    let count = try outcomes.last??.get()
    #expect(count == 3)
  }
}

/// Appends on its own queue and respects pauses.
final class PausingProducer: @unchecked Sendable {
  // Used on `queue` only.
  private var left: Int
  private let queue = DispatchQueue(label: "producer")
  private var channel: BodyChannel?

  init(total: Int) {
    left = total
  }

  func bytes() -> ChannelBytes {
    let channel = BodyChannel(
      highWaterMark: 100_000, lowWaterMark: 30_000,
      onDemand: { self.queue.async { self.produce() } }, onTermination: {})
    queue.async {
      self.channel = channel
      self.produce()
    }
    return ChannelBytes(channel)
  }

  private func produce() {
    while left > 0 {
      let count = min(left, 7_777)
      left -= count
      if channel?.append([UInt8](repeating: 3, count: count)) == true { return }
    }
    channel?.finish()
    channel = nil
  }
}

#endif
