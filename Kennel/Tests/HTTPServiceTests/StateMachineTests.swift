import Foundation
import Testing
import Waiting

@testable import HTTPService

@Suite struct StateMachineTests {
  private func machine() -> ExchangeStateMachine {
    ExchangeStateMachine(limits: .init(maximumBodySize: 100, maximumDiscardedBodySize: 50))
  }

  @Test func `a request without a body is answered at its end`() {
    var machine = machine()
    #expect(
      machine.headArrived(framing: .noBody, expectsContinue: false, isRefused: false)
        == .startHandler(suspends: false))
    #expect(machine.call() == .suspend)
    #expect(machine.responseGiven() == .resume)
    #expect(machine.responseGiven() == .none)
    #expect(machine.call() == .respond(discardsBody: false))
    machine.completed()
    #expect(machine.abandon() == .none)
  }

  @Test(arguments: [RequestFraming.length(95), .chunked])
  func `the rest of a body with a length is read before its response`(_ framing: RequestFraming) {
    var machine = machine()
    _ = machine.headArrived(framing: framing, expectsContinue: false, isRefused: false)
    #expect(machine.bodyWanted() == .resume)
    #expect(machine.call() == .continueReceiving)
    #expect(machine.call(bringing: 20) == .takeBytes)
    _ = machine.responseGiven()
    #expect(machine.call(bringing: 50) == .dropBytes)
    // More than is read of a body without an end.
    #expect(machine.call(bringing: 25) == (framing == .chunked ? .cut : .dropBytes))
    if framing != .chunked { #expect(machine.call() == .respond(discardsBody: false)) }
  }

  @Test func `a body is held back until the handler reads it`() {
    var machine = machine()
    #expect(
      machine.headArrived(framing: .length(80), expectsContinue: true, isRefused: false)
        == .startHandler(suspends: true))
    #expect(machine.bodyWanted() == .resume)
    #expect(machine.call() == .continueReceiving)
    #expect(machine.call(bringing: 40) == .takeBytes)
    machine.bodyIsFull()
    // The library passes on all chunks that it has read, even if the connection is suspended.
    #expect(machine.call(bringing: 40) == .takeBytes)
    #expect(machine.bodyWanted() == .resume)
    #expect(machine.call() == .suspend)
    #expect(machine.responseGiven() == .resume)
    #expect(machine.call() == .respond(discardsBody: false))
  }

  @Test func `a long unread body is answered before its end`() {
    var machine = machine()
    _ = machine.headArrived(framing: .length(80), expectsContinue: false, isRefused: false)
    #expect(machine.responseGiven() == .resume)
    #expect(machine.call() == .respond(discardsBody: true))
  }

  @Test func `a short unread body is discarded`() {
    var machine = machine()
    _ = machine.headArrived(framing: .length(20), expectsContinue: false, isRefused: false)
    #expect(machine.responseGiven() == .resume)
    #expect(machine.call() == .continueReceiving)
    #expect(machine.call(bringing: 20) == .dropBytes)
    #expect(machine.call() == .respond(discardsBody: false))
  }

  @Test func `a body over its limit fails once, is discarded, and then ends the connection`() {
    var machine = machine()
    _ = machine.headArrived(framing: .chunked, expectsContinue: false, isRefused: false)
    _ = machine.bodyWanted()
    #expect(machine.call() == .continueReceiving)
    #expect(machine.call(bringing: 90) == .takeBytes)
    #expect(machine.call(bringing: 20) == .failBody)
    #expect(machine.call(bringing: 20) == .dropBytes)
    #expect(machine.call(bringing: 20) == .cut)
  }

  @Test func `the next call of the library closes an abandoned exchange`() {
    var machine = machine()
    _ = machine.headArrived(framing: .noBody, expectsContinue: false, isRefused: false)
    #expect(machine.call() == .suspend)
    #expect(machine.abandon() == .resume)
    #expect(machine.call() == .cut)
  }

  @Test func `a stream that waits for data is resumed once`() {
    var machine = machine()
    _ = machine.headArrived(framing: .noBody, expectsContinue: false, isRefused: false)
    _ = machine.call()
    _ = machine.responseGiven()
    _ = machine.call()
    machine.streamIsEmpty()
    #expect(machine.streamFilled() == .resume)
    #expect(machine.streamFilled() == .none)
  }

  // MARK: The clock

  private let limits = ConnectionClock.Limits(
    maximumHeadTime: .seconds(10), maximumIdleTime: .seconds(60), receivingTime: .seconds(30),
    sendingTime: .seconds(20), minimumReceivingRate: 100)

  @Test func `a body that arrives below the minimum rate expires`() {
    let start = ContinuousClock.now
    var clock = ConnectionClock(limits: limits, now: start)
    #expect(clock.deadline == start + .seconds(10))
    clock.begin(.receiving, now: start)
    clock.received(3000)
    #expect(clock.expire(now: start + .seconds(30), progress: nil) == false)
    clock.received(2999)
    #expect(clock.expire(now: start + .seconds(60), progress: nil) == true)
  }

  @Test func `a response without progress for two intervals expires`() {
    let start = ContinuousClock.now
    var clock = ConnectionClock(limits: limits, now: start)
    clock.begin(.sending, now: start)
    #expect(clock.expire(now: start, progress: .init(acknowledged: 5, isPending: false)) == false)
    #expect(clock.expire(now: start, progress: .init(acknowledged: 5, isPending: true)) == false)
    #expect(clock.expire(now: start, progress: .init(acknowledged: 6, isPending: true)) == false)
    #expect(clock.expire(now: start, progress: .init(acknowledged: 6, isPending: true)) == true)
  }

  // MARK: The channels

  @Test func `an upload is withheld at the high water mark`() {
    var machine = UploadStateMachine<Int>(highWaterMark: 4)
    let bytes: [UInt8] = [1, 2, 3]
    bytes.withUnsafeBytes { bytes in
      guard case .wait = machine.next(), case .wait(asks: true) = machine.register(7) else {
        Issue.record("The first read asks for the body")
        return
      }
      guard case .deliver(7, let data) = machine.append(bytes), data == Data([1, 2, 3]) else {
        Issue.record("A waiter gets what comes")
        return
      }
      guard case .keep = machine.append(bytes), case .withhold = machine.append(bytes) else {
        Issue.record("What comes is kept up to the mark")
        return
      }
    }
    guard case .deliver(let data, asks: true) = machine.next() else {
      Issue.record("Taking what was withheld asks for more")
      return
    }
    #expect(data.count == 6)
    _ = machine.cancel()
    guard case .fail(is CancellationError) = machine.next() else {
      Issue.record("A cancelled reader reads no more")
      return
    }
  }

  @Test func `a stream makes its writer wait at the high water mark`() {
    var machine = StreamStateMachine<Int>(highWaterMark: 4, length: 9)
    var buffer = [UInt8](repeating: 0, count: 4)
    let pulled = { (machine: inout StreamStateMachine<Int>) in
      buffer.withUnsafeMutableBytes { machine.pull(into: $0) }
    }
    guard case .waitForData = pulled(&machine), case .wait(wakes: true) = machine.write(Data(count: 6)),
      machine.isFull, machine.wait(3), case .bytes(4, [3]) = pulled(&machine)
    else {
      Issue.record("A full stream makes its writer wait until half of it is sent")
      return
    }
    guard case .exceed = machine.write(Data(count: 4)) else {
      Issue.record("More than was announced is refused")
      return
    }
    #expect(machine.finish(failed: false) == false)
    guard case .bytes(2, []) = pulled(&machine), case .finish = pulled(&machine) else {
      Issue.record("What was written is sent before the end")
      return
    }
  }

  @Test func `every waiting writer is resumed`() {
    var machine = StreamStateMachine<Int>(highWaterMark: 4, length: nil)
    var buffer = [UInt8](repeating: 0, count: 16)
    guard case .wait = machine.write(Data(count: 6)), case .wait = machine.write(Data(count: 6)) else {
      Issue.record("A full stream makes its writers wait")
      return
    }
    let areWaiting = [machine.wait(1), machine.wait(2)]
    #expect(areWaiting == [true, true])
    guard case .bytes(12, let waiters) = buffer.withUnsafeMutableBytes({ machine.pull(into: $0) }) else {
      Issue.record("What was written is sent")
      return
    }
    #expect(waiters == [1, 2])
  }

  @Test func `a stream that is never empty releases the bytes it has sent`() {
    var machine = StreamStateMachine<Int>(highWaterMark: 20_000, length: nil)
    var buffer = [UInt8](repeating: 0, count: 5_000)
    _ = machine.write(Data(count: 5_000))
    for _ in 0..<10_000 {
      _ = machine.write(Data(count: 5_000))
      _ = buffer.withUnsafeMutableBytes { machine.pull(into: $0) }
    }
    #expect(machine.bufferedCount == 5_000)
    #expect(machine.pieceCount < 200)
  }
}

extension StreamStateMachine {
  /// Makes a writer wait.
  fileprivate mutating func wait(_ waiter: Waiter) -> Bool {
    let token = waiters.makeToken()
    return waiters.wait(waiter, as: token)
  }
}
