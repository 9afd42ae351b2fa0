#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// Uploads to a correct server over a network that fails at random, compared with what the server stores.
@Suite struct ResumableUploadModelTests {
  private typealias Machine = ResumableUploadStateMachine

  /// A server that stores positions instead of bytes.
  private struct Server {
    var stored: [Int64] = []
    var isComplete = false
  }

  private enum Outcome: Equatable {
    case delivered
    case failed(Machine.Resource?)
  }

  private let url: URL

  init() throws { url = try #require(URL(string: "https://example.com/uploads/1")) }

  /// Runs one task, until it ends.
  private func run(
    _ machine: inout Machine, _ server: inout Server, length: Int64, failures: Int,
    _ random: inout SeededRandom
  ) throws -> Outcome {
    var action: Machine.Action = machine.isCreating ? .append(from: 0) : .retrieve
    var steps = 0
    while true {
      steps += 1
      try #require(steps < 1000, "The exchange does not end")
      let fails = Int.random(in: 0..<100, using: &random) < failures
      switch action {
      case .append(let offset):
        #expect(Int64(server.stored.count) == offset)
        let isFirst = machine.isCreating
        if isFirst { machine.create() }
        let isNamed = !isFirst || Int.random(in: 0..<10, using: &random) > 0
        if isFirst, isNamed { #expect(machine.interim(location: url, offset: 0) == .none) }
        let sent = fails ? Int64.random(in: offset...length, using: &random) : length
        machine.sent(upTo: sent)
        // Some of the bytes that were sent never arrive.
        let arrived = fails ? Int64.random(in: offset...sent, using: &random) : length
        server.stored += offset..<arrived
        if arrived == length, !fails || Bool.random(using: &random) { server.isComplete = true }
        if Bool.random(using: &random), !isFirst || isNamed {
          #expect(
            machine.interim(location: nil, offset: .random(in: offset...arrived, using: &random)) == .none)
        }
        action =
          fails
          ? machine.interrupted(mayRetry: Int.random(in: 0..<20, using: &random) > 0)
          : machine.responded(status: 201, offset: nil, isComplete: true)
        if fails, action == .none { return .failed(machine.resumption) }
      case .retrieve:
        #expect(machine.isRetrieving)
        action =
          fails
          ? machine.interrupted(mayRetry: true)
          : machine.responded(
            status: 204, offset: Int64(server.stored.count), isComplete: server.isComplete)
        if fails, action == .none { return .failed(machine.resumption) }
      case .deliver: return .delivered
      case .none, .fail:
        Issue.record("A correct server led to \(action)")
        return .failed(nil)
      }
    }
  }

  @Test(arguments: [0, 20, 50, 80])
  func `a correct server gets every byte once, in order`(failures: Int) throws {
    var completed = 0
    for seed in UInt64(0)..<2000 {
      var random = SeededRandom(seed &* 31 &+ UInt64(failures))
      let length = Int64.random(in: 1...50, using: &random)
      var server = Server()
      var machine = Machine(length: Bool.random(using: &random) ? length : nil)
      var outcome = try run(&machine, &server, length: length, failures: failures, &random)
      // Other tasks resume what is left.
      for _ in 0..<40 {
        guard case .failed(let resource?) = outcome else { break }
        machine = Machine(resuming: resource, length: length)
        outcome = try run(&machine, &server, length: length, failures: failures, &random)
      }
      #expect(server.stored == Array(0..<Int64(server.stored.count)))
      guard outcome == .delivered else { continue }
      completed += 1
      #expect(server.isComplete)
      #expect(server.stored.count == length)
    }
    #expect(completed > (failures == 0 ? 1999 : 1000))
  }
}
#endif
