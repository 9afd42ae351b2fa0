#if !canImport(Darwin)

import Foundation
import Testing

@testable import Retriever

@Suite struct StreamingStateMachineTests {
  typealias Machine = BodyChannelStateMachine<Int>

  private func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0) }
  }

  private func append(_ count: Int, to machine: inout Machine) -> Machine.AppendAction {
    bytes(count).withUnsafeBytes { machine.append($0) }
  }

  @Test func `a consumer waits if nothing is buffered`() {
    var machine = Machine(highWaterMark: 10, lowWaterMark: 5)
    guard case .wait = machine.take(recycling: nil) else { return #expect(Bool(false)) }
    guard case .wait = machine.suspend(1) else { return #expect(Bool(false)) }
    guard case .resume(1, let chunk) = append(3, to: &machine) else { return #expect(Bool(false)) }
    #expect(Array(chunk.bytes) == bytes(3))
    #expect(machine.bufferedCount == 0)
  }

  @Test func `bytes that are not read yet are collected in one chunk`() {
    var machine = Machine(highWaterMark: 100, lowWaterMark: 5)
    for _ in 0..<3 {
      guard case .buffered(pause: false) = append(4, to: &machine) else { return #expect(Bool(false)) }
    }
    guard case .deliver(let chunk, demand: false) = machine.take(recycling: nil) else {
      return #expect(Bool(false))
    }
    #expect(Array(chunk.bytes) == bytes(4) + bytes(4) + bytes(4))
  }

  @Test func `the producer pauses above the high-water mark and resumes at the low one`() {
    var machine = Machine(highWaterMark: 60_000, lowWaterMark: 20_000)
    guard case .buffered(pause: false) = append(60_000, to: &machine) else { return #expect(Bool(false)) }
    guard case .buffered(pause: true) = append(1, to: &machine) else { return #expect(Bool(false)) }
    guard case .buffered(pause: true) = append(30_000, to: &machine) else { return #expect(Bool(false)) }
    var demands = 0
    var left = 90_001
    while left > 0 {
      guard case .deliver(let chunk, let demand) = machine.take(recycling: nil) else {
        return #expect(Bool(false))
      }
      left -= chunk.count
      #expect(machine.bufferedCount == left)
      if demand {
        demands += 1
        #expect(left <= 20_000)
      }
    }
    #expect(demands == 1)
  }

  @Test func `a waiting consumer is resumed at the wake threshold or by a flush`() {
    var machine = Machine(highWaterMark: 1 << 20, lowWaterMark: 0)
    guard case .wait = machine.suspend(7) else { return #expect(Bool(false)) }
    let appendBatched = { (machine: inout Machine, count: Int) in
      self.bytes(count).withUnsafeBytes { machine.append($0, wakeThreshold: 100) }
    }
    guard case .batched = appendBatched(&machine, 60) else { return #expect(Bool(false)) }
    guard case .resume(7, let first) = appendBatched(&machine, 40) else { return #expect(Bool(false)) }
    #expect(first.count == 100)
    guard case .wait = machine.suspend(8) else { return #expect(Bool(false)) }
    guard case .batched = appendBatched(&machine, 5) else { return #expect(Bool(false)) }
    guard case .resume(8, let second) = machine.flush() else { return #expect(Bool(false)) }
    #expect(second.count == 5)
    guard case .buffered(pause: false) = machine.flush() else { return #expect(Bool(false)) }
    // No consumer waits, so there is nobody to resume.
    guard case .buffered(pause: false) = appendBatched(&machine, 5) else { return #expect(Bool(false)) }
  }

  @Test func chunksGrowWhileTheConsumerLagsAndStayBounded() {
    var machine = Machine(highWaterMark: .max, lowWaterMark: 0)
    for _ in 0..<4096 { _ = append(1000, to: &machine) }
    machine.finish(throwing: nil).expectNone()
    var sizes: [Int] = []
    while case .deliver(let chunk, _) = machine.take(recycling: nil) { sizes.append(chunk.capacity) }
    #expect(sizes.first == 16 << 10)
    #expect(sizes.max() == 256 << 10)
  }

  @Test func `a returned chunk is reused`() {
    var machine = Machine(highWaterMark: 100, lowWaterMark: 5)
    _ = append(3, to: &machine)
    guard case .deliver(let first, _) = machine.take(recycling: nil) else { return #expect(Bool(false)) }
    guard case .wait = machine.take(recycling: first) else { return #expect(Bool(false)) }
    _ = append(5, to: &machine)
    guard case .deliver(let second, _) = machine.take(recycling: nil) else { return #expect(Bool(false)) }
    #expect(first === second)
    #expect(Array(second.bytes) == bytes(5))
  }

  @Test func `the error is delivered once, after the bytes`() {
    var machine = Machine(highWaterMark: 100, lowWaterMark: 5)
    _ = append(3, to: &machine)
    machine.finish(throwing: URLError(.timedOut)).expectNone()
    guard case .deliver = machine.take(recycling: nil) else { return #expect(Bool(false)) }
    guard case .fail = machine.take(recycling: nil) else { return #expect(Bool(false)) }
    guard case .end = machine.take(recycling: nil) else { return #expect(Bool(false)) }
  }

  @Test func `a waiting consumer receives the end`() {
    var machine = Machine(highWaterMark: 100, lowWaterMark: 5)
    _ = machine.suspend(7)
    guard case .resume(7, throwing: nil) = machine.finish(throwing: nil) else {
      return #expect(Bool(false))
    }
    guard case .end = machine.take(recycling: nil) else { return #expect(Bool(false)) }
    guard case .none = machine.terminate() else { return #expect(Bool(false)) }
  }

  @Test func `a cancellation before the consumer waits is not missed`() {
    var machine = Machine(highWaterMark: 100, lowWaterMark: 5)
    guard case .wait = machine.take(recycling: nil) else { return #expect(Bool(false)) }
    guard case .terminate(nil, notifyProducer: true) = machine.terminate() else {
      return #expect(Bool(false))
    }
    guard case .terminated = machine.suspend(1) else { return #expect(Bool(false)) }
    guard case .dropped = append(3, to: &machine) else { return #expect(Bool(false)) }
    guard case .none = machine.terminate() else { return #expect(Bool(false)) }
  }

  @Test func `a termination resumes the consumer and discards buffered bytes`() {
    var waiting = Machine(highWaterMark: 100, lowWaterMark: 5)
    _ = waiting.suspend(3)
    guard case .terminate(3, notifyProducer: true) = waiting.terminate() else {
      return #expect(Bool(false))
    }
    var buffered = Machine(highWaterMark: 100, lowWaterMark: 5)
    _ = append(3, to: &buffered)
    buffered.finish(throwing: nil).expectNone()
    guard case .terminate(nil, notifyProducer: false) = buffered.terminate() else {
      return #expect(Bool(false))
    }
    #expect(buffered.bufferedCount == 0)
    guard case .terminated = buffered.take(recycling: nil) else { return #expect(Bool(false)) }
  }

  @Test func `a second consumer is refused and does not affect the first`() {
    var machine = Machine(highWaterMark: 100, lowWaterMark: 5)
    _ = machine.suspend(1)
    guard case .contended = machine.suspend(2) else { return #expect(Bool(false)) }
    guard case .resume(1, _) = append(1, to: &machine) else { return #expect(Bool(false)) }
  }
}

extension BodyChannelStateMachine.FinishAction {
  fileprivate func expectNone() {
    guard case .none = self else { return #expect(Bool(false), "an unexpected waiter") }
  }
}

#endif
