#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite struct WebSocketStateMachineTests {
  private typealias Machine = WebSocketStateMachine<Int, Int>

  private func open(_ compression: PermessageDeflate? = nil) -> Machine {
    var machine = Machine(maximumMessageSize: 1 << 20, outbox: .init(makeKey: { 0x0403_0201 }))
    _ = machine.opened(compression)
    return machine
  }

  private func words(_ actions: [Machine.Action]) -> [String] {
    actions.map { action in
      switch action {
      case .deliver(let id, let message): "deliver \(id) \(String(decoding: message.bytes, as: UTF8.self))"
      case .refuse(let id, let end): "refuse \(id) \(word(end))"
      case .complete(let id, let end): "complete \(id)" + (end.map { " \(word($0))" } ?? "")
      case .resumeSending: "resumeSending"
      case .resumeReceiving: "resumeReceiving"
      case .startClosingTimer: "timer"
      case .didClose(let frame): "didClose \(frame.code ?? 0)"
      case .disconnect: "disconnect"
      }
    }
  }

  private func word(_ end: WebSocketEnd) -> String {
    switch end {
    case .closed(let frame): "closed \(frame.code ?? 0)"
    case .cancelled: "cancelled"
    case .failed(let failure): "failed \(failure.code.rawValue)"
    case .lost: "lost"
    case .timedOut: "timedOut"
    case .transport: "transport"
    }
  }

  private func receive(_ frames: [TestFrame], _ machine: inout Machine) -> (pauses: Bool, words: [String]) {
    let (pauses, actions) = frames.flatMap(\.bytes).withUnsafeBytes { machine.received($0) }
    return (pauses, words(actions))
  }

  /// Writes all that there is, in pieces.
  private func write(_ machine: inout Machine, piece: Int = 7) -> (frames: [TestFrame], words: [String]) {
    var bytes: [UInt8] = []
    var all: [String] = []
    var buffer = [UInt8](repeating: 0, count: piece)
    while true {
      let (count, actions) = buffer.withUnsafeMutableBytes { machine.write(into: $0) }
      all += words(actions)
      guard count > 0 else { return (TestFrame.all(in: bytes), all) }
      bytes += buffer[..<count]
    }
  }

  @Test func `nothing is written before the connection is open`() {
    var machine = Machine(maximumMessageSize: 100)
    #expect(words(machine.send(.init(isText: true, bytes: Data("a".utf8)), 1)).isEmpty)
    #expect(write(&machine).frames.isEmpty)
    #expect(words(machine.opened(nil)) == ["resumeSending"])
    let written = write(&machine)
    #expect(written.frames.map(\.string) == ["a"])
    #expect(written.words == ["complete 1"])
  }

  @Test func `messages are written in order, control frames first, and completed with their last byte`() {
    var machine = open()
    #expect(write(&machine).frames.isEmpty)
    #expect(words(machine.send(.init(isText: true, bytes: Data("one".utf8)), 1)) == ["resumeSending"])
    #expect(words(machine.send(.init(isText: false, bytes: Data("two".utf8)), 2)).isEmpty)
    #expect(words(machine.sendPing(3)).isEmpty)
    #expect(receive([TestFrame(9, "hey".utf8)], &machine).words.isEmpty)
    let written = write(&machine)
    #expect(written.frames.map(\.opcode) == [10, 9, 1, 2])
    #expect(written.frames.map(\.string).first == "hey")
    #expect(written.frames.allSatisfy { $0.key == [1, 2, 3, 4] && $0.isFinal })
    #expect(written.words == ["complete 1", "complete 2"])
    #expect(receive([TestFrame(10, [9])], &machine).words.isEmpty)
    #expect(receive([TestFrame(10, written.frames[1].payload)], &machine).words == ["complete 3"])
  }

  @Test func `a pong also answers earlier pings`() {
    var machine = open()
    for id in 1...3 { _ = machine.sendPing(id) }
    let pings = write(&machine).frames
    #expect(receive([TestFrame(10, pings[1].payload)], &machine).words == ["complete 1", "complete 2"])
    #expect(words(machine.end(nil).actions) == ["complete 3 lost"])
  }

  @Test func `answers to pings are bounded`() {
    var machine = open()
    _ = receive((0..<200).map { TestFrame(9, "\($0)".utf8) }, &machine)
    #expect(write(&machine).frames.map(\.string) == (136..<200).map { "\($0)" })
  }

  @Test func `a receiver gets the next message, and a cancelled one loses none`() {
    var machine = open()
    #expect(words(machine.receive(1, id: 1)).isEmpty)
    #expect(words(machine.receive(2, id: 2)).isEmpty)
    #expect(words(machine.cancelReceive(id: 1)) == ["refuse 1 cancelled"])
    #expect(receive([.text("a"), .text("b")], &machine).words == ["deliver 2 a"])
    #expect(words(machine.cancelReceive(id: 2)).isEmpty)
    #expect(words(machine.receive(3, id: 3)) == ["deliver 3 b"])
  }

  @Test func `receiving pauses when messages wait, and continues when they were taken`() {
    var machine = open()
    let big = TestFrame(2, Data(count: 100 << 10))
    #expect(!receive([big, big], &machine).pauses)
    #expect(receive([big, big, .text("last")], &machine).pauses)
    var resumed = false
    for id in 0..<4 {
      if words(machine.receive(id, id: id)).contains("resumeReceiving") { resumed = true }
    }
    #expect(resumed)
    #expect(words(machine.receive(9, id: 9)) == ["deliver 9 last"])
  }

  @Test func `many tiny messages pause receiving too`() {
    var machine = open()
    #expect(receive((0..<5000).map { _ in TestFrame(2, []) }, &machine).pauses)
    var count = 0
    while words(machine.receive(count, id: count)).contains(where: { $0.hasPrefix("deliver") }) { count += 1 }
    #expect(count == 5000)
  }

  @Test func `what arrived before the end of the connection counts, also if the inbox was full`() {
    var machine = open()
    let big = TestFrame(2, Data(count: 300 << 10))
    #expect(receive([big, .text("last"), .close(4000, "bye")], &machine).pauses)
    let (end, actions) = machine.end(nil)
    #expect(word(end) == "closed 4000")
    #expect(words(actions) == ["didClose 4000"])
    #expect(words(machine.receive(1, id: 1)).first?.hasPrefix("deliver 1") == true)
    #expect(words(machine.receive(2, id: 2)) == ["deliver 2 last"])
    #expect(words(machine.receive(3, id: 3)) == ["refuse 3 closed 4000"])
  }

  // MARK: Closing

  @Test func `the server's Close frame is answered with its code, and waiting messages are not sent`() {
    var machine = open()
    _ = machine.receive(1, id: 1)
    _ = machine.send(.init(isText: true, bytes: Data("late".utf8)), 2)
    let events = receive([.close(4000, "bye"), .text("ignored")], &machine).words
    #expect(events == ["timer", "complete 2 closed 4000", "refuse 1 closed 4000", "didClose 4000"])
    let frames = write(&machine).frames
    #expect(frames.map(\.opcode) == [8])
    #expect(frames.first?.closeCode == 4000)
    #expect(machine.closing?.code == 4000)
    #expect(machine.closing?.reason == Array("bye".utf8))
    #expect(word(machine.end(nil).end) == "closed 4000")
    #expect(words(machine.receive(3, id: 3)) == ["refuse 3 closed 4000"])
    #expect(words(machine.send(.init(isText: true, bytes: Data()), 4)) == ["complete 4 closed 4000"])
  }

  @Test func `messages that arrived before the Close frame can still be received`() {
    var machine = open()
    _ = receive([.text("a"), .close(1000)], &machine)
    _ = machine.end(nil)
    #expect(words(machine.receive(1, id: 1)) == ["deliver 1 a"])
    #expect(words(machine.receive(2, id: 2)) == ["refuse 2 closed 1000"])
  }

  @Test func `the program's Close frame follows its messages, and the server's answer ends the connection`() {
    var machine = open()
    _ = machine.send(.init(isText: true, bytes: Data("last words".utf8)), 1)
    _ = machine.receive(2, id: 2)
    let events = machine.close(.init(code: 1001)).map(words)
    #expect(events == ["timer", "refuse 2 cancelled"])
    #expect(machine.close(.init(code: 1000)) == nil)
    #expect(words(machine.send(.init(isText: true, bytes: Data()), 3)) == ["complete 3 cancelled"])
    #expect(write(&machine).frames.map(\.opcode) == [1, 8])
    #expect(receive([.text("dropped"), .close(1001)], &machine).words == ["didClose 1001"])
    #expect(words(machine.receive(4, id: 4)) == ["refuse 4 closed 1001"])
    #expect(word(machine.end(nil).end) == "closed 1001")
  }

  @Test func `a server that does not answer is cut off`() {
    var machine = open()
    _ = machine.close(.init(code: 1000))
    #expect(words(machine.closingTimedOut()) == ["disconnect"])
    #expect(word(machine.end(URLError(.cancelled)).end) == "timedOut")
    #expect(machine.closing?.code == 1006)
  }

  @Test func `a violation is reported to the server, and what follows is ignored`() {
    var machine = open()
    _ = machine.receive(1, id: 1)
    _ = machine.send(.init(isText: true, bytes: Data()), 2)
    let events = receive([.text("first"), TestFrame(1, [0xff]), .text("after")], &machine).words
    #expect(events == ["deliver 1 first", "timer", "complete 2 failed 1007"])
    #expect(write(&machine).frames.first?.closeCode == 1007)
    #expect(receive([.text("more")], &machine).words.isEmpty)
    #expect(word(machine.end(nil).end) == "failed 1007")
  }

  @Test func `the end of the connection without a Close frame is an error`() {
    var machine = open()
    _ = machine.receive(1, id: 1)
    _ = machine.send(.init(isText: true, bytes: Data()), 2)
    let (end, actions) = machine.end(nil)
    #expect(word(end) == "lost")
    #expect(words(actions) == ["refuse 1 lost", "complete 2 lost"])
    #expect(machine.closing?.code == 1006)
    #expect(word(machine.end(URLError(.cancelled)).end) == "lost")
  }

  // MARK: Compression

  @Test func `a long message is compressed in steps and sent in fragments`() throws {
    var machine = open(PermessageDeflate())
    var random = SeededRandom(5)
    let long = Data((0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) })
    let messages = [Data("short".utf8), Data(String(repeating: "woof ", count: 100).utf8), long]
    for (index, message) in messages.enumerated() {
      _ = machine.send(.init(isText: index < 2, bytes: message), index)
    }
    let written = write(&machine, piece: 4096)
    #expect(written.words == ["complete 0", "complete 1", "complete 2"])
    #expect(written.frames.count > 5)
    #expect(written.frames[0].isCompressed == false)
    #expect(written.frames[1].payload.count < 60)
    var assembler = WebSocketMessageAssembler(maximumSize: 1 << 20, compression: .init())
    var parser = WebSocketFrameParser(allowsCompression: true)
    var received: [Data] = []
    try written.frames.flatMap(\.bytes).withUnsafeBytes { input in
      var rest = input
      while let event = try parser.next(&rest) {
        if case .message(let message) = try assembler.take(event) { received.append(message.bytes) }
      }
    }
    #expect(received == messages)
  }

  @Test func `events in any order end every send, ping and receive exactly once`() {
    for seed in 0..<300 as Range<UInt64> {
      var machine = Machine(maximumMessageSize: 1000)
      var begun: Set<Int> = []
      var ended: [Int] = []
      func note(_ actions: [Machine.Action]) {
        for action in actions {
          switch action {
          case .deliver(let id, _), .refuse(let id, _), .complete(let id, _): ended.append(id)
          default: break
          }
        }
      }
      var id = 0
      SeededRandom.draw(120, eventsOf: 12, seed: seed) { kind, random in
        id += 1
        var buffer = [UInt8](repeating: 0, count: Int.random(in: 1...300, using: &random))
        switch kind {
        case 0: note(machine.opened(Bool.random(using: &random) ? PermessageDeflate() : nil))
        case 1, 2:
          begun.insert(id)
          note(
            machine.send(
              .init(isText: false, bytes: Data(count: Int.random(in: 0...200, using: &random))), id))
        case 3:
          begun.insert(id)
          note(machine.sendPing(id))
        case 4, 5:
          begun.insert(id)
          note(machine.receive(id, id: id))
        case 6: note(machine.cancelReceive(id: Int.random(in: 0...id, using: &random)))
        case 7, 8: note(buffer.withUnsafeMutableBytes { machine.write(into: $0) }.actions)
        case 9:
          let frames = [
            TestFrame.text("a"), TestFrame(9, [1]), TestFrame(10, [2]), TestFrame(2, Data(count: 900)),
          ]
          let bytes = (frames.randomElement(using: &random) ?? frames[0]).bytes
          note(bytes.withUnsafeBytes { machine.received($0) }.actions)
        case 10 where id > 60:
          let bytes = (Bool.random(using: &random) ? TestFrame.close(1000) : TestFrame(3, [])).bytes
          note(bytes.withUnsafeBytes { machine.received($0) }.actions)
        case 11 where id > 60: note(machine.close(.init(code: 1000)) ?? [])
        default: break
        }
      }
      note(machine.end(nil).actions)
      #expect(ended.count == begun.count)
      #expect(Set(ended) == begun)
    }
  }
}
#endif
