import Foundation
import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

/// Tests of waiting for a turn and for names: other transfers do not wait, and no time-out runs that should not.
@Suite(.timeLimit(.minutes(5))) struct TransferWaitingTests {
  private final class Calls: Sendable {
    let list = Mutex<[String]>([])
    var all: [String] { list.withLock { $0 } }
  }

  /// Returns a client whose look-up of `slow.test` blocks until the gate opens.
  private static func client(_ gate: Gate, _ calls: Calls) throws -> TransferClient {
    var options = TransferClientOptions()
    options.names = NameService { name in
      calls.list.withLock { $0.append(name) }
      switch name {
      case "slow.test":
        _ = gate.waitBlocking()
        return .addresses(["127.0.0.1"])
      case "fast.test": return .addresses(["127.0.0.1"])
      default: return .failure(TransferFailure(.hostNotFound, message: "Could not find the host \(name)."))
      }
    }
    return try TransferClient(options: options)
  }

  @Test func `a stalled look-up does not block other transfers and ends with its time-out`() async throws {
    let (gate, calls) = (Gate(), Calls())
    defer { gate.open() }
    let client = try Self.client(gate, calls)
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    var stalled = TransferRequest(url: "http://slow.test:\(server.port)/")
    stalled.idleTimeout = .milliseconds(300)
    let observer = RecordingObserver()
    client.makeTransfer(stalled, observer: observer).start()
    for host in ["127.0.0.1", "localhost", "fast.test"] {
      let record = try await client.run(TransferRequest(url: "http://\(host):\(server.port)/"))
      #expect(record.failure == nil)
    }
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure?.code == .timedOut)
    #expect(!gate.isOpen)
  }

  @Test func `a transfer that waits for a name is cancelled immediately`() async throws {
    let (gate, calls) = (Gate(), Calls())
    defer { gate.open() }
    let client = try Self.client(gate, calls)
    let observer = RecordingObserver()
    let transfer = client.makeTransfer(TransferRequest(url: "http://slow.test/"), observer: observer)
    transfer.start()
    #expect(await eventually { calls.all == ["slow.test"] })
    transfer.cancel()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure?.code == .cancelled)
    #expect(!gate.isOpen)
  }

  @Test func `requests for the same name share one look-up, whose answer is cached`() async throws {
    let (gate, calls) = (Gate(), Calls())
    let client = try Self.client(gate, calls)
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let address = "http://slow.test:\(server.port)/"
    let observers = (0..<50).map { _ in RecordingObserver() }
    for observer in observers {
      client.makeTransfer(TransferRequest(url: address), observer: observer).start()
    }
    #expect(await eventually { calls.all == ["slow.test"] })
    gate.open()
    for observer in observers {
      #expect(await observer.ended.wait(within: .seconds(90)))
      #expect(observer.record.failure == nil)
    }
    #expect(try await client.run(TransferRequest(url: address)).failure == nil)
    #expect(calls.all == ["slow.test"])
  }

  @Test func `a name that does not exist is an error that names it, and is asked for again`() async throws {
    let calls = Calls()
    let client = try Self.client(Gate(), calls)
    for _ in 0..<2 {
      let failure = try await client.run(TransferRequest(url: "http://nobody.test/")).failure
      #expect(failure?.code == .hostNotFound)
      #expect(failure?.message.contains("nobody.test") == true)
    }
    #expect(calls.all == ["nobody.test", "nobody.test"])
  }

  @Test func `after no address could be connected to, the name is looked up again`() async throws {
    let calls = Calls()
    let client = try Self.client(Gate(), calls)
    let port = try ClosedPort()
    for _ in 0..<2 {
      let failure = try await client.run(TransferRequest(url: "http://fast.test:\(port.number)/")).failure
      #expect(failure?.code == .cannotConnect)
    }
    #expect(calls.all == ["fast.test", "fast.test"])
  }

  @Test func `the time-out does not count the time in the queue`() async throws {
    let gate = Gate()
    let server = try ScriptedServer.http { request in
      if request.target == "/held" { _ = gate.waitBlocking() }
      return Reply(text: "hello")
    }
    var options = TransferClientOptions()
    options.connectionsPerHost = 1
    let client = try TransferClient(options: options)
    let (held, queued) = (RecordingObserver(), RecordingObserver())
    client.makeTransfer(TransferRequest(url: server.address("/held")), observer: held).start()
    #expect(await eventually { server.requests.count == 1 })
    var request = TransferRequest(url: server.address("/queued"))
    request.idleTimeout = .milliseconds(50)
    client.makeTransfer(request, observer: queued).start()
    // Another transfer with three times the time-out has timed out, so the queued one would have timed out, too.
    let other = try ScriptedServer([.readRequest, .hold])
    var late = TransferRequest(url: other.address())
    late.idleTimeout = .milliseconds(150)
    #expect(try await client.run(late).failure?.code == .timedOut)
    gate.open()
    #expect(await queued.ended.wait(within: .seconds(90)))
    #expect(queued.record.failure == nil)
    #expect(await held.ended.wait(within: .seconds(90)))
  }

  @Test func `a queued transfer still ends at its deadline, and by cancelling`() async throws {
    let gate = Gate()
    defer { gate.open() }
    let server = try ScriptedServer.http { _ in
      _ = gate.waitBlocking()
      return Reply(text: "hello")
    }
    var options = TransferClientOptions()
    options.connectionsPerHost = 1
    let client = try TransferClient(options: options)
    client.makeTransfer(TransferRequest(url: server.address()), observer: RecordingObserver()).start()
    var request = TransferRequest(url: server.address())
    request.deadline = TransferDeadline(after: .milliseconds(50))
    #expect(try await client.run(request).failure?.code == .timedOut)
    let observer = RecordingObserver()
    let transfer = client.makeTransfer(TransferRequest(url: server.address()), observer: observer)
    transfer.start()
    transfer.cancel()
    #expect(await observer.ended.wait(within: .seconds(90)))
    #expect(observer.record.failure?.code == .cancelled)
  }

  @Test func `urgent transfers overtake those that wait`() async throws {
    let gate = Gate()
    let server = try ScriptedServer.http { request in
      if request.target == "/held" { _ = gate.waitBlocking() }
      return Reply(text: "hello")
    }
    var options = TransferClientOptions()
    options.connectionsPerHost = 1
    let client = try TransferClient(options: options)
    var observers: [RecordingObserver] = []
    func start(_ path: String, _ priority: Float) {
      var request = TransferRequest(url: server.address(path))
      request.priority = priority
      observers.append(RecordingObserver())
      client.makeTransfer(request, observer: observers[observers.count - 1]).start()
    }
    start("/held", 0.5)
    #expect(await eventually { server.requests.count == 1 })
    start("/low", 0.25)
    start("/first", 0.5)
    start("/second", 0.5)
    start("/high", 0.75)
    start("/nonsense", .nan)
    // The loop performs commands in order: when this load has ended, all others are in the queue.
    let other = try ScriptedServer.http { _ in Reply() }
    #expect(try await client.run(TransferRequest(url: other.address())).failure == nil)
    gate.open()
    for observer in observers { #expect(await observer.ended.wait(within: .seconds(90))) }
    #expect(server.requests.map(\.target) == ["/held", "/high", "/first", "/second", "/low", "/nonsense"])
  }
}
