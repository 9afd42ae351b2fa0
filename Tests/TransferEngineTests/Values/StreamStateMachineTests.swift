import TestSupport
import Testing

@testable import TransferEngine

/// The machine of a stream whose readers and completions are numbers.
struct StreamMachine {
  typealias Machine = StreamStateMachine<Int, Int>

  var machine = Machine()
  /// The bytes of each read that has completed, in the order of completion.
  var delivered: [(reader: Int, bytes: [UInt8], atEnd: Bool)] = []
  var refused: [Int: TransferFailure] = [:]
  var completed: [(completion: Int, failure: TransferFailure?)] = []
  var finishes: [TransferFailure?] = []
  var readingCloses = 0
  var writingCloses = 0

  mutating func note(_ actions: [Machine.Action]) {
    for action in actions {
      switch action {
      case .deliver(let reader, let bytes, let atEnd): delivered.append((reader, bytes, atEnd))
      case .refuse(let reader, let failure): refused[reader] = failure
      case .complete(let completion, let failure): completed.append((completion, failure))
      case .didCloseReading: readingCloses += 1
      case .didCloseWriting: writingCloses += 1
      case .finish(let failure): finishes.append(failure)
      case .work: break
      }
    }
  }

  @discardableResult
  mutating func read(_ reader: Int, _ minimum: Int, _ maximum: Int, until deadline: Monotonic? = nil)
    -> UInt64
  {
    let (id, actions) = machine.read(reader, minimum: minimum, maximum: maximum, deadline: deadline)
    note(actions)
    return id
  }

  @discardableResult
  mutating func write(_ completion: Int, _ bytes: [UInt8], until deadline: Monotonic? = nil) -> UInt64 {
    let (id, actions) = machine.write(bytes, completion, deadline: deadline)
    note(actions)
    return id
  }

  mutating func receive(_ bytes: [UInt8]) { note(bytes.withUnsafeBytes { machine.received($0) }) }

  static func opened() -> StreamMachine {
    var stream = StreamMachine()
    stream.note(stream.machine.opened())
    return stream
  }
}

@Suite struct StreamStateMachineTests {
  private func moment(_ seconds: Int64) -> Monotonic { Monotonic(nanoseconds: seconds * 1_000_000_000) }

  @Test func `nothing happens before the connection is open`() {
    var stream = StreamMachine()
    stream.read(1, 1, 10)
    stream.write(1, [1])
    #expect(stream.machine.nextWork() == nil)
    stream.note(stream.machine.opened())
    #expect(stream.machine.nextWork() == .receive(10))
    #expect(stream.machine.nextWork(.init(receiving: false)) == .send([1]))
  }

  @Test func `a read waits for its minimum and gets at most its maximum`() {
    var stream = StreamMachine.opened()
    stream.read(1, 3, 4)
    stream.receive([1, 2])
    #expect(stream.delivered.isEmpty)
    #expect(stream.machine.nextWork() == .receive(2))
    stream.receive([3, 4, 5])
    #expect(stream.delivered.map(\.bytes) == [[1, 2, 3, 4]])
    stream.read(2, 1, 10)
    #expect(stream.delivered.last?.bytes == [5])
    #expect(stream.delivered.allSatisfy { !$0.atEnd })
  }

  @Test func `unusual bounds of a read are corrected`() {
    var stream = StreamMachine.opened()
    stream.read(1, 0, 0)
    stream.read(2, -5, -5)
    #expect(stream.delivered.map(\.reader) == [1, 2])
    stream.read(3, 100, 2)
    stream.receive([1, 2, 3])
    #expect(stream.delivered.last?.bytes == [1, 2])
    stream.read(4, 0, 5)
    #expect(stream.delivered.last?.bytes == [3])
    stream.read(5, 0, 5)
    #expect(stream.delivered.count == 4)
    stream.read(6, .max, .max)
    #expect(stream.machine.nextWork() == .receive(5))
  }

  @Test func `a read gets fewer bytes than its minimum at the end`() {
    var stream = StreamMachine.opened()
    stream.read(1, 10, 20)
    stream.read(2, 1, 20)
    stream.receive([1, 2])
    stream.note(stream.machine.receivedEnd())
    #expect(stream.delivered.map(\.bytes) == [[1, 2], []])
    #expect(stream.delivered.map(\.atEnd) == [true, true])
    #expect(stream.readingCloses == 1)
    #expect(stream.finishes.isEmpty)
  }

  @Test func `the end is reported with the last bytes only`() {
    var stream = StreamMachine.opened()
    stream.receive([1, 2, 3])
    stream.note(stream.machine.receivedEnd())
    stream.read(1, 1, 2)
    stream.read(2, 1, 2)
    #expect(stream.delivered.map(\.atEnd) == [false, true])
  }

  @Test func `writes complete in order when all their bytes were sent`() {
    var stream = StreamMachine.opened()
    stream.write(1, [1, 2])
    stream.write(2, [])
    stream.write(3, [3])
    stream.note(stream.machine.sent(1))
    #expect(stream.completed.isEmpty)
    #expect(stream.machine.nextWork() == .send([2]))
    stream.note(stream.machine.sent(1))
    #expect(stream.completed.map(\.completion) == [1, 2])
    stream.note(stream.machine.sent(1))
    #expect(stream.completed.map(\.completion) == [1, 2, 3])
  }

  @Test func `closing the write side waits for writes but not for reads`() {
    var stream = StreamMachine.opened()
    stream.read(1, 1, 1)
    stream.write(1, [1])
    stream.note(stream.machine.closeWriting())
    stream.write(2, [2])
    #expect(stream.completed.map(\.completion) == [2])
    #expect(stream.machine.nextWork(.init(receiving: false)) == .send([1]))
    stream.note(stream.machine.sent(1))
    #expect(stream.machine.nextWork() == .closeWriting)
    stream.note(stream.machine.didCloseWriting())
    #expect(stream.writingCloses == 1 && stream.finishes.isEmpty)
    #expect(stream.machine.nextWork() == .receive(1))
  }

  @Test func `closing the write side waits for the connection`() {
    var stream = StreamMachine.opened()
    stream.note(stream.machine.closeWriting())
    #expect(stream.machine.nextWork(.init(sending: false)) == nil)
    #expect(stream.machine.nextWork() == .closeWriting)
  }

  @Test func `the stream finishes when both sides are closed`() {
    var stream = StreamMachine.opened()
    stream.note(stream.machine.closeReading())
    #expect(stream.machine.nextWork() == .closeReading)
    stream.note(stream.machine.didCloseReading())
    stream.note(stream.machine.closeWriting())
    stream.note(stream.machine.didCloseWriting())
    #expect(stream.finishes == [nil])
    stream.read(1, 1, 1)
    stream.write(1, [1])
    #expect(stream.refused[1] != nil && stream.completed.first?.failure != nil)
  }

  @Test func `TLS starts after all earlier operations, and later ones wait for it`() {
    var stream = StreamMachine.opened()
    stream.read(1, 1, 1)
    stream.write(1, [1])
    stream.note(stream.machine.startTLS())
    stream.read(2, 1, 1)
    stream.write(2, [2])
    #expect(stream.machine.nextWork() == .receive(1))
    stream.receive([9])
    #expect(stream.machine.nextWork() == .send([1]))
    stream.note(stream.machine.sent(1))
    #expect(stream.machine.nextWork() == .startTLS)
    #expect(stream.machine.nextWork(.init(securing: false)) == nil)
    stream.note(stream.machine.passedBarrier())
    #expect(stream.machine.nextWork() == .receive(1))
  }

  @Test func `a read that times out leaves its bytes to the next one`() {
    var stream = StreamMachine.opened()
    stream.read(1, 5, 5, until: moment(1))
    stream.receive([1, 2])
    #expect(stream.machine.deadline == moment(1))
    stream.note(stream.machine.expire(moment(1)))
    #expect(stream.refused[1]?.code == .timedOut)
    stream.read(2, 1, 5)
    #expect(stream.delivered.map(\.bytes) == [[1, 2]])
    #expect(stream.machine.deadline == nil)
  }

  @Test func `a write that times out closes the write side only if it has begun`() {
    var stream = StreamMachine.opened()
    stream.write(1, [1, 2], until: moment(1))
    stream.note(stream.machine.expire(moment(1)))
    #expect(stream.completed.map(\.failure?.code) == [.timedOut] && stream.writingCloses == 0)
    stream.write(2, [1, 2], until: moment(2))
    stream.write(3, [3])
    stream.note(stream.machine.sent(1))
    stream.note(stream.machine.expire(moment(2)))
    #expect(stream.completed.map(\.failure?.code) == [.timedOut, .timedOut, .timedOut])
    #expect(stream.writingCloses == 1)
    // The other side can still be read.
    stream.read(1, 1, 1)
    #expect(stream.machine.nextWork() == .receive(1))
    stream.receive([1])
    stream.note(stream.machine.receivedEnd())
    stream.read(2, 1, 1)
    #expect(stream.finishes.map { $0?.code } == [.timedOut])
  }

  @Test func `a write whose bytes are being sent cannot be withdrawn`() {
    var stream = StreamMachine.opened()
    let first = stream.write(1, [1, 2])
    stream.write(2, [3, 4])
    #expect(stream.machine.takeWork() == .send([1, 2]))
    stream.note(stream.machine.cancel(first))
    stream.note(stream.machine.sent(2))
    // Otherwise, the second write would count the bytes of the first one as its own.
    #expect(stream.completed.map(\.completion) == [1, 2])
    #expect(stream.completed.map(\.failure?.code) == [.cancelled, .cancelled])
    #expect(stream.writingCloses == 1 && stream.machine.nextWork() == nil)
  }

  @Test(arguments: [false, true]) func `a write that waits can be withdrawn unless TLS has encrypted it`(
    isEncrypted: Bool
  ) {
    var stream = StreamMachine.opened()
    let first = stream.write(1, [1, 2])
    stream.write(2, [3, 4])
    #expect(stream.machine.takeWork() == .send([1, 2]))
    stream.machine.waitsToSend(isEncrypted: isEncrypted)
    stream.note(stream.machine.cancel(first))
    #expect(stream.completed.map(\.completion) == (isEncrypted ? [1, 2] : [1]))
    #expect(stream.machine.nextWork() == (isEncrypted ? nil : .send([3, 4])))
  }

  @Test func `a TLS handshake that takes too long fails the stream`() {
    var stream = StreamMachine.opened()
    stream.note(stream.machine.startTLS())
    stream.read(1, 1, 1)
    stream.machine.beganTLS(deadline: moment(3))
    #expect(stream.machine.deadline == moment(3))
    stream.note(stream.machine.expire(moment(3)))
    #expect(stream.refused[1]?.code == .timedOut && stream.finishes.count == 1)
  }

  @Test func `an operation that is withdrawn does not delay the others`() {
    var stream = StreamMachine.opened()
    let first = stream.read(1, 10, 10)
    stream.read(2, 1, 10)
    stream.receive([1, 2])
    stream.note(stream.machine.cancel(first))
    #expect(stream.refused[1]?.code == .cancelled)
    #expect(stream.delivered.map(\.bytes) == [[1, 2]])
    stream.note(stream.machine.cancel(first))
    #expect(stream.refused.count == 1)
  }

  @Test func `the streams get the connection after all earlier operations`() {
    var stream = StreamMachine.opened()
    stream.read(1, 1, 1)
    stream.note(stream.machine.capture())
    stream.read(2, 1, 1)
    stream.write(2, [1])
    stream.receive([1])
    #expect(stream.machine.nextWork() == .capture)
    stream.note(stream.machine.captured())
    #expect(stream.refused[2] != nil && stream.completed.first?.failure != nil)
    stream.read(3, 1, 1)
    stream.receive([2])
    #expect(stream.delivered.map(\.bytes) == [[1], [2]])
  }

  @Test func `a failure ends everything once`() {
    var stream = StreamMachine.opened()
    stream.read(1, 1, 1)
    stream.write(1, [1])
    stream.note(stream.machine.fail(.streamCutOff))
    stream.note(stream.machine.fail(.streamTimedOut))
    stream.note(stream.machine.receivedEnd())
    #expect(stream.refused[1] == .streamCutOff)
    #expect(stream.completed.map(\.failure) == [.streamCutOff])
    #expect(stream.finishes == [.streamCutOff])
    #expect(stream.machine.nextWork() == nil)
  }

  @Test func `a suspended stream has no work`() {
    var stream = StreamMachine.opened()
    stream.read(1, 1, 1)
    stream.machine.isSuspended = true
    #expect(stream.machine.nextWork() == nil)
    stream.machine.isSuspended = false
    #expect(stream.machine.nextWork() == .receive(1))
  }

  @Test func `a stream without a write side reads to its end`() {
    var stream = StreamMachine()
    stream.note(stream.machine.opened(isWritable: false))
    #expect(stream.writingCloses == 1)
    stream.write(1, [1])
    #expect(stream.completed.first?.failure == .streamWritingClosed)
    stream.receive([1])
    stream.note(stream.machine.receivedEnd())
    stream.read(1, 1, 10)
    #expect(stream.delivered.map(\.atEnd) == [true])
    #expect(stream.finishes == [nil])
  }
}
