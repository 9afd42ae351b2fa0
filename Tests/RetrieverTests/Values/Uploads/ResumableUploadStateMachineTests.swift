#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite struct ResumableUploadStateMachineTests {
  private typealias Machine = ResumableUploadStateMachine

  private static let resource = URL(string: "https://example.com/uploads/1") ?? URL(fileURLWithPath: "/")

  /// A machine whose server has named its upload resource, and that has sent some bytes.
  private func created(length: Int64? = 100, sent: Int64 = 60) -> Machine {
    var machine = Machine(length: length)
    machine.create()
    machine.sent(upTo: sent)
    #expect(machine.interim(location: Self.resource, offset: nil) == .none)
    return machine
  }

  private func retrieving(length: Int64? = 100, sent: Int64 = 60) -> Machine {
    var machine = created(length: length, sent: sent)
    #expect(machine.interrupted(mayRetry: true) == .retrieve)
    return machine
  }

  @Test func `an upload without an interruption delivers its response`() {
    var machine = created(sent: 100)
    #expect(machine.responded(status: 201, offset: nil, isComplete: nil) == .deliver)
    #expect(machine.resumption == nil)
    #expect(machine.interrupted(mayRetry: true) == .none)
  }

  @Test func `without an upload resource, nothing is resumed`() {
    var machine = Machine(length: 100)
    machine.create()
    machine.sent(upTo: 60)
    #expect(machine.interim(location: nil, offset: 10) == .none)
    #expect(machine.interrupted(mayRetry: true) == .none)
    #expect(machine.resumption == nil)
  }

  @Test func `the server's offset decides where the upload continues`() {
    var machine = retrieving()
    #expect(machine.offset == nil)
    #expect(machine.responded(status: 204, offset: 42, isComplete: false) == .append(from: 42))
    #expect(machine.offset == 42)
    #expect(machine.responded(status: 201, offset: nil, isComplete: true) == .deliver)
  }

  @Test func `an error that is not momentary keeps what is needed to resume`() {
    var machine = created()
    #expect(machine.interrupted(mayRetry: false) == .none)
    #expect(
      machine.resumption
        == Machine.Resource(url: Self.resource, acknowledged: 0, sent: 60))
  }

  @Test func `a request that is sent again forgets its upload resource`() {
    var machine = created()
    machine.create()
    #expect(machine.resumption == nil)
    #expect(machine.interrupted(mayRetry: true) == .none)
  }

  @Test func `a second upload resource for one request is an error`() throws {
    var machine = created()
    let other = try #require(URL(string: "https://example.com/uploads/2"))
    #expect(machine.interim(location: Self.resource, offset: nil) == .none)
    #expect(machine.interim(location: other, offset: nil) == .fail(.changedLocation))
    #expect(machine.resumption == nil)
  }

  @Test func `wrong offsets are errors`() {
    typealias Answer = (offset: Int64?, isComplete: Bool?, problem: Machine.Problem)
    let answers: [Answer] = [
      (nil, false, .missingOffset), (61, false, .excessiveOffset(61, sent: 60)),
      (.max, false, .excessiveOffset(.max, sent: 60)), (29, false, .decreasedOffset(29, acknowledged: 30)),
      (60, true, .shortUpload(60, length: 100)),
    ]
    for (offset, isComplete, problem) in answers {
      var machine = created()
      #expect(machine.interim(location: nil, offset: 30) == .none)
      #expect(machine.interrupted(mayRetry: true) == .retrieve)
      #expect(machine.responded(status: 200, offset: offset, isComplete: isComplete) == .fail(problem))
      #expect(machine.resumption == nil)
    }
  }

  @Test func `an interim offset beyond what was sent is ignored`() {
    var machine = created(sent: 60)
    #expect(machine.interim(location: nil, offset: 61) == .none)
    #expect(machine.resumption?.acknowledged == 0)
    #expect(machine.interim(location: nil, offset: 60) == .none)
    #expect(machine.interim(location: nil, offset: 10) == .none)
    #expect(machine.resumption?.acknowledged == 60)
  }

  @Test func `a complete upload whose response was lost is delivered`() {
    var machine = retrieving(sent: 100)
    #expect(machine.responded(status: 204, offset: 100, isComplete: true) == .deliver)
    #expect(machine.resumption == nil)
  }

  @Test func `all bytes without completion are completed with an empty request`() {
    var machine = retrieving(sent: 100)
    #expect(machine.responded(status: 204, offset: 100, isComplete: false) == .append(from: 100))
  }

  @Test func `a server that cannot answer now keeps the upload`() {
    for status in [500, 503, 429, 423, 408] {
      var machine = retrieving()
      #expect(
        machine.responded(status: status, offset: nil, isComplete: nil) == .fail(.refused(status: status)))
      #expect(machine.resumption != nil)
    }
    for status in [404, 410] {
      var machine = retrieving()
      #expect(
        machine.responded(status: status, offset: nil, isComplete: nil) == .fail(.gone(status: status)))
      #expect(machine.resumption == nil)
    }
    for status in [304, 400, 403] {
      var machine = retrieving()
      #expect(
        machine.responded(status: status, offset: nil, isComplete: nil) == .fail(.refused(status: status)))
      #expect(machine.resumption == nil)
    }
  }

  @Test func `a conflict asks for the offset again`() {
    var machine = retrieving()
    for _ in 1..<Machine.maximumFruitlessAttempts {
      #expect(machine.responded(status: 204, offset: 0, isComplete: false) == .append(from: 0))
      #expect(machine.responded(status: 409, offset: 0, isComplete: nil) == .retrieve)
    }
    #expect(machine.responded(status: 204, offset: 0, isComplete: false) == .append(from: 0))
    #expect(machine.responded(status: 409, offset: 0, isComplete: nil) == .deliver)
  }

  @Test func `a conflict without an offset is a response like any other`() {
    var machine = retrieving()
    #expect(machine.responded(status: 204, offset: 10, isComplete: false) == .append(from: 10))
    #expect(machine.responded(status: 409, offset: nil, isComplete: nil) == .deliver)
  }

  @Test func `a success that is not complete is never delivered`() {
    var machine = created(sent: 100)
    for _ in 0..<Machine.maximumFruitlessAttempts {
      #expect(machine.responded(status: 200, offset: nil, isComplete: false) == .retrieve)
      #expect(machine.responded(status: 204, offset: 0, isComplete: false) == .append(from: 0))
    }
    #expect(machine.responded(status: 200, offset: nil, isComplete: false) == .fail(.neverComplete))
  }

  @Test func `attempts without progress are limited, and progress allows more`() {
    var machine = created(length: nil, sent: 1000)
    for _ in 0..<Machine.maximumFruitlessAttempts {
      #expect(machine.interrupted(mayRetry: true) == .retrieve)
    }
    var stuck = machine
    #expect(stuck.interrupted(mayRetry: true) == .none)
    #expect(stuck.resumption != nil)
    var attempts = Machine.maximumFruitlessAttempts
    var offset: Int64 = 0
    repeat {
      offset += 1
      #expect(machine.responded(status: 204, offset: offset, isComplete: false) == .append(from: offset))
      attempts += 1
    } while machine.interrupted(mayRetry: true) == .retrieve
    #expect(attempts == Machine.maximumAttempts + 1)
  }

  @Test func `the same offset again is no progress`() {
    var machine = created()
    #expect(machine.interrupted(mayRetry: true) == .retrieve)
    #expect(machine.responded(status: 204, offset: 10, isComplete: false) == .append(from: 10))
    for _ in 0..<Machine.maximumFruitlessAttempts {
      #expect(machine.interrupted(mayRetry: true) == .retrieve)
      #expect(machine.responded(status: 204, offset: 10, isComplete: false) == .append(from: 10))
    }
    #expect(machine.interrupted(mayRetry: true) == .none)
    // Another task may try as often, but what the server had before is no progress for it either.
    var other = Machine(
      resuming: Machine.Resource(url: Self.resource, acknowledged: 10, sent: 60), length: 100)
    for _ in 0..<Machine.maximumFruitlessAttempts { #expect(other.interrupted(mayRetry: true) == .retrieve) }
    #expect(other.responded(status: 204, offset: 10, isComplete: false) == .append(from: 10))
    #expect(other.interrupted(mayRetry: true) == .none)
  }

  @Test func `a conflict of the request that creates the upload is a response like any other`() {
    var machine = created()
    #expect(machine.responded(status: 409, offset: 10, isComplete: nil) == .deliver)
  }

  @Test func `a moved resource gets the next requests`() throws {
    var machine = retrieving()
    let other = try #require(URL(string: "https://example.com/moved"))
    machine.moved(to: other)
    #expect(machine.resumption?.url == other)
  }

  @Test func `any order of events keeps the invariants`() {
    let url = Self.resource
    for seed in UInt64(0)..<200 {
      var machine = Machine(length: 100)
      machine.create()
      SeededRandom.draw(200, eventsOf: 7, seed: seed) { kind, random in
        let before = machine
        let offset = Int64.random(in: 0...130, using: &random)
        let action: Machine.Action =
          switch kind {
          case 0: machine.interim(location: Bool.random(using: &random) ? url : nil, offset: offset)
          case 1, 2:
            machine.responded(
              status: [200, 204, 409, 404, 500].randomElement(using: &random) ?? 200, offset: offset,
              isComplete: [true, false, nil].randomElement(using: &random) ?? nil)
          case 3, 4: machine.interrupted(mayRetry: Int.random(in: 0..<10, using: &random) > 0)
          default: .none
          }
        if kind == 5 { machine.sent(upTo: min(100, offset)) }
        if kind == 6, Int.random(in: 0..<20, using: &random) == 0 { machine.create() }
        if case .append(let start) = action {
          #expect(before.isRetrieving)
          #expect(start <= 100 && start >= before.resumption?.acknowledged ?? 0)
          #expect(start <= before.resumption?.sent ?? 0)
          #expect(machine.offset == start)
        }
        if case .retrieve = action { #expect(machine.isRetrieving && machine.offset == nil) }
        if case .deliver = action { #expect(machine.resumption == nil) }
        if let now = machine.resumption, let then = before.resumption, kind != 6 {
          #expect(now.acknowledged >= then.acknowledged && now.sent >= then.sent)
        }
        if let now = machine.resumption { #expect(now.acknowledged <= now.sent) }
      }
    }
  }
}
#endif
