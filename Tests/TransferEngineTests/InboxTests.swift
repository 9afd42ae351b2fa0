import Synchronization
import Testing

@testable import TransferEngine

@Suite struct InboxTests {
  @Test func aLoopThatIsAwakeIsNotWoken() {
    let inbox = Inbox()
    #expect(!inbox.put(.call {}))
    #expect(!inbox.put(.call {}))
  }

  @Test func onlyTheFirstCommandWakesASleepingLoop() {
    let inbox = Inbox()
    #expect(inbox.fallAsleep())
    #expect(inbox.put(.call {}))
    #expect(!inbox.put(.call {}))
  }

  @Test func aLoopDoesNotFallAsleepOverACommand() {
    let inbox = Inbox()
    _ = inbox.put(.call {})
    #expect(!inbox.fallAsleep())
    var commands: [Inbox.Command] = []
    inbox.drain(into: &commands)
    #expect(commands.count == 1)
    #expect(inbox.fallAsleep())
  }

  @Test func drainingWakesTheLoopForTheInbox() {
    let inbox = Inbox()
    _ = inbox.fallAsleep()
    var commands: [Inbox.Command] = []
    inbox.drain(into: &commands)
    #expect(commands.isEmpty)
    #expect(!inbox.put(.call {}))
  }

  @Test func commandsKeepTheirOrder() {
    let inbox = Inbox()
    let order = Order()
    for number in 0..<100 { _ = inbox.put(.call { order.note(number) }) }
    var commands: [Inbox.Command] = []
    inbox.drain(into: &commands)
    for case .call(let body) in commands { body() }
    #expect(order.noted == Array(0..<100))
  }

  private final class Order: Sendable {
    private let numbers = Mutex<[Int]>([])
    var noted: [Int] { numbers.withLock { $0 } }
    func note(_ number: Int) { numbers.withLock { $0.append(number) } }
  }
}
