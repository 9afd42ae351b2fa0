import Synchronization
import TestSupport
import Testing

@testable import TransferEngine

@Suite struct NameServiceTests {
  /// A resolver whose look-ups block until its gate opens.
  private final class SlowSystem: Sendable {
    private struct Counts {
      var calls = 0
      var running = 0
      var maximum = 0
      var names: [String] = []
    }

    private let counts = Mutex(Counts())
    private let crowd: Int
    /// Opens when `crowd` look-ups run at the same time.
    let isBusy = Gate()
    let release = Gate()

    init(crowd: Int = 1) { self.crowd = crowd }

    func resolve(_ name: String) -> NameService.Answer {
      let isCrowd = counts.withLock { counts in
        counts.calls += 1
        counts.running += 1
        counts.maximum = max(counts.maximum, counts.running)
        counts.names.append(name)
        return counts.running == crowd
      }
      if isCrowd { isBusy.open() }
      release.waitBlocking()
      counts.withLock { $0.running -= 1 }
      return .addresses(["192.0.2.1"])
    }

    var calls: Int { counts.withLock { $0.calls } }
    var maximum: Int { counts.withLock { $0.maximum } }
    var names: [String] { counts.withLock { $0.names } }
  }

  /// Collects answers in order of arrival. The gate opens when all of them have arrived.
  private final class Answers: Sendable {
    private let results = Mutex<[Result<NameService.Known, TransferFailure>]>([])
    private let expected: Int
    let areComplete = Gate()

    init(_ expected: Int) { self.expected = expected }

    func take(_ result: Result<NameService.Known, TransferFailure>) {
      let count = results.withLock { results in
        results.append(result)
        return results.count
      }
      if count == expected { areComplete.open() }
    }

    var all: [Result<NameService.Known, TransferFailure>] { results.withLock { $0 } }
    var addresses: [[String]] { all.map { (try? $0.get().addresses) ?? [] } }
  }

  @Test func `two hundred slow names do not exceed the maximum number of threads`() async {
    let system = SlowSystem(crowd: 8)
    let service = NameService(maximumThreads: 8) { system.resolve($0) }
    let answers = Answers(200)
    for number in 0..<200 {
      #expect(service.ask("name\(number)", now: .now(), waiter: answers.take) == nil)
    }
    #expect(await system.isBusy.wait(within: .seconds(90)))
    system.release.open()
    #expect(await answers.areComplete.wait(within: .seconds(90)))
    #expect(system.maximum == 8)
    #expect(system.calls == 200)
    #expect(Set(system.names).count == 200)
    #expect(answers.addresses == Array(repeating: ["192.0.2.1"], count: 200))
  }

  @Test func `requests for the same name share one system call, whose answer is cached`() async {
    let system = SlowSystem()
    let service = NameService(lifetime: .seconds(60)) { system.resolve($0) }
    let answers = Answers(50)
    for _ in 0..<50 { #expect(service.ask("a.test", now: .now(), waiter: answers.take) == nil) }
    #expect(await system.isBusy.wait(within: .seconds(90)))
    system.release.open()
    #expect(await answers.areComplete.wait(within: .seconds(90)))
    #expect(system.calls == 1)
    let known = service.ask("a.test", now: .now(), waiter: answers.take)
    #expect(known?.addresses == ["192.0.2.1"])
    #expect(answers.all.count == 50)
    #expect(system.calls == 1)
  }

  @Test func `a name is looked up again after its answer expired or was forgotten`() async throws {
    let system = SlowSystem()
    system.release.open()
    let service = NameService(lifetime: .seconds(60)) { system.resolve($0) }
    let first = Answers(1)
    _ = service.ask("a.test", now: .now(), waiter: first.take)
    #expect(await first.areComplete.wait(within: .seconds(90)))
    let expiry = try #require(try first.all.first?.get().expiry)
    let second = Answers(1)
    #expect(service.ask("a.test", now: expiry, waiter: second.take) == nil)
    #expect(await second.areComplete.wait(within: .seconds(90)))
    #expect(system.calls == 2)
    service.forget("a.test")
    let third = Answers(1)
    #expect(service.ask("a.test", now: .now(), waiter: third.take) == nil)
    #expect(await third.areComplete.wait(within: .seconds(90)))
    #expect(system.calls == 3)
  }

  @Test func `a failure is reported to all waiters, and the next request looks up the name again`() async {
    let calls = Mutex(0)
    let release = Gate()
    let failure = TransferFailure(.hostNotFound, message: "No such host.")
    let service = NameService { _ in
      calls.withLock { $0 += 1 }
      release.waitBlocking()
      return .failure(failure)
    }
    let first = Answers(3)
    for _ in 0..<3 { #expect(service.ask("a.test", now: .now(), waiter: first.take) == nil) }
    release.open()
    #expect(await first.areComplete.wait(within: .seconds(90)))
    let second = Answers(1)
    #expect(service.ask("a.test", now: .now(), waiter: second.take) == nil)
    #expect(await second.areComplete.wait(within: .seconds(90)))
    for answer in first.all + second.all {
      #expect(throws: TransferFailure.self) { try answer.get() }
    }
    #expect(calls.withLock { $0 } == 2)
  }

  @Test func `an answer without addresses is a failure`() async {
    let service = NameService { _ in .addresses([]) }
    let answers = Answers(1)
    _ = service.ask("a.test", now: .now(), waiter: answers.take)
    #expect(await answers.areComplete.wait(within: .seconds(90)))
    #expect(throws: TransferFailure.self) { try answers.all.first?.get() }
  }

  @Test func `a waiter can make a request in its answer callback`() async {
    let service = NameService { .addresses([$0]) }
    let answers = Answers(1)
    _ = service.ask("a.test", now: .now()) { _ in
      _ = service.ask("b.test", now: .now(), waiter: answers.take)
    }
    #expect(await answers.areComplete.wait(within: .seconds(90)))
    #expect(answers.addresses == [["b.test"]])
  }

  @Test(arguments: [("127.0.0.1", "127.0.0.1"), ("192.0.2.7", "192.0.2.7"), ("2001:db8::7", "[2001:db8::7]")])
  func `the system's addresses are numeric`(name: String, expected: String) {
    guard case .addresses(let addresses) = NameService.systemAddresses(of: name) else {
      Issue.record("\(name) has no address")
      return
    }
    #expect(addresses == [expected])
  }
}
