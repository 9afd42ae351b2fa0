import TestSupport
import Testing

@testable import TransferEngine

/// Random operations, compared with what must hold for any order of events.
@Suite struct StreamModelTests {
  /// What the program has requested, in order.
  private enum Step: Equatable {
    case read(Int, minimum: Int, maximum: Int)
    case write(Int, count: Int)
    case barrier
  }

  private struct Model {
    var stream = StreamMachine()
    var steps: [Step] = []
    var identifiers: [UInt64] = []
    var bounds: [Int: (minimum: Int, maximum: Int)] = [:]
    var nextNumber = 0
    var received: [UInt8] = []
    var nextByte: UInt8 = 0
    var sent: [UInt8] = []
    var written: [Int: [UInt8]] = [:]
    var hasEnded = false
    var isReadingClosed = false
    var barriers = 0
    var passedBarriers = 0
    /// The number of barriers before each operation.
    var barriersBefore: [Int: Int] = [:]
    var now: Int64 = 0
    var isOpen = false

    var isOver: Bool { !stream.finishes.isEmpty }

    mutating func number() -> Int {
      defer { nextNumber += 1 }
      barriersBefore[nextNumber] = barriers
      return nextNumber
    }

    mutating func act(_ random: inout SeededRandom) {
      let deadline = Int.random(in: 0..<4, using: &random) == 0 ? Monotonic(nanoseconds: now + 5) : nil
      switch Int.random(in: 0..<24, using: &random) {
      case 0..<4:
        let number = number()
        let minimum = Int.random(in: -1..<8, using: &random)
        let maximum = Int.random(in: 0..<12, using: &random)
        bounds[number] = (minimum, maximum)
        identifiers.append(stream.read(number, minimum, maximum, until: deadline))
      case 4..<7:
        let number = number()
        let bytes = (0..<Int.random(in: 0..<6, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        written[number] = bytes
        identifiers.append(stream.write(number, bytes, until: deadline))
      case 7..<17: work(&random)
      case 17:
        now += 1
        stream.note(stream.machine.expire(Monotonic(nanoseconds: now)))
      case 18:
        if let id = identifiers.randomElement(using: &random) { stream.note(stream.machine.cancel(id)) }
      case 19:
        if !isOver {
          barriers += 1
          stream.note(stream.machine.startTLS())
        }
      case 20 where Int.random(in: 0..<10, using: &random) == 0: stream.note(stream.machine.closeWriting())
      case 21 where Int.random(in: 0..<20, using: &random) == 0: stream.note(stream.machine.closeReading())
      case 22 where Int.random(in: 0..<20, using: &random) == 0: hasEnded = true
      default:
        if !isOpen {
          isOpen = true
          stream.note(stream.machine.opened())
        }
      }
    }

    /// Does what the owner of a connection does.
    mutating func work(_ random: inout SeededRandom) {
      let readiness = StreamMachine.Machine.Readiness(
        receiving: Bool.random(using: &random), sending: Bool.random(using: &random),
        securing: Bool.random(using: &random))
      switch stream.machine.takeWork(readiness) {
      case .receive(let maximum):
        #expect(maximum > 0)
        if hasEnded { return stream.note(stream.machine.receivedEnd()) }
        let bytes = (0..<Int.random(in: 1...min(maximum, 4), using: &random)).map { _ -> UInt8 in
          defer { nextByte &+= 1 }
          return nextByte
        }
        received += bytes
        stream.receive(bytes)
      case .send(let bytes):
        #expect(!bytes.isEmpty)
        // Meanwhile, another thread may withdraw it.
        if Int.random(in: 0..<8, using: &random) == 0, let id = identifiers.randomElement(using: &random) {
          stream.note(stream.machine.cancel(id))
        }
        if Int.random(in: 0..<8, using: &random) == 0 {
          return stream.machine.waitsToSend(isEncrypted: Bool.random(using: &random))
        }
        let count = Int.random(in: 1...max(1, bytes.count), using: &random)
        sent += bytes.prefix(count)
        stream.note(stream.machine.sent(count))
      case .startTLS:
        passedBarriers += 1
        stream.note(stream.machine.passedBarrier())
      case .closeReading:
        isReadingClosed = true
        stream.note(stream.machine.didCloseReading())
      case .closeWriting: stream.note(stream.machine.didCloseWriting())
      case .capture: Issue.record("Nobody asked for streams")
      case nil: break
      }
    }

    func check() {
      let readers = stream.delivered.map(\.reader)
      #expect(readers == readers.sorted(), "reads complete in order")
      let successes = stream.completed.filter { $0.failure == nil }.map(\.completion)
      #expect(successes == successes.sorted(), "writes complete in order")
      let all = stream.delivered.flatMap(\.bytes)
      #expect(all == Array(received.prefix(all.count)), "no byte is lost or repeated")
      for (reader, bytes, atEnd) in stream.delivered {
        let (minimum, maximum) = bounds[reader] ?? (0, 0)
        #expect(bytes.count <= maximum)
        #expect(atEnd || bytes.count >= min(max(minimum, min(1, maximum)), maximum))
        #expect((barriersBefore[reader] ?? 0) <= passedBarriers, "a read does not overtake TLS")
      }
      for completion in successes {
        #expect((barriersBefore[completion] ?? 0) <= passedBarriers, "a write does not overtake TLS")
      }
      #expect(stream.finishes.count <= 1 && stream.readingCloses <= 1 && stream.writingCloses <= 1)
    }

    /// Every operation has completed once.
    func checkEnd() {
      let reads = stream.delivered.map(\.reader) + stream.refused.keys
      let writes = stream.completed.map(\.completion)
      #expect(Set(reads).count == reads.count && Set(writes).count == writes.count)
      #expect(Set(reads).union(writes) == Set(0..<nextNumber))
      let complete = stream.completed.filter { $0.failure == nil }.flatMap { written[$0.completion] ?? [] }
      #expect(sent.starts(with: complete) || stream.completed.contains { $0.failure != nil })
    }
  }

  @Test(arguments: 0..<8) func `operations complete in order, once, without losing a byte`(_ seed: Int) {
    var random = SeededRandom(UInt64(seed))
    for _ in 0..<150 {
      var model = Model()
      for _ in 0..<200 where !model.isOver { model.act(&random) }
      model.check()
      model.stream.note(model.stream.machine.fail(.streamCutOff))
      model.check()
      model.checkEnd()
      #expect(model.stream.finishes.count == 1)
    }
  }
}
