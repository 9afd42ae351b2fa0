import Testing

@testable import TransferEngine

@Suite struct InboxTests {
  private let client: TransferClient

  init() throws { client = try TransferClient() }

  /// Returns a transfer that is never started.
  private func transfer() -> Transfer {
    client.makeTransfer(TransferRequest(url: "http://127.0.0.1/"), observer: RecordingObserver())
  }

  @Test func `a loop that is awake is not woken up`() {
    let inbox = Inbox()
    #expect(!inbox.put(.start(transfer())))
    #expect(!inbox.put(.start(transfer())))
  }

  @Test func onlyTheFirstCommandWakesASleepingLoop() {
    let inbox = Inbox()
    #expect(inbox.fallAsleep())
    #expect(inbox.put(.start(transfer())))
    #expect(!inbox.put(.start(transfer())))
  }

  @Test func `a loop does not sleep while a command waits`() {
    let inbox = Inbox()
    _ = inbox.put(.start(transfer()))
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
    #expect(!inbox.put(.start(transfer())))
  }

  @Test func commandsKeepTheirOrder() {
    let inbox = Inbox()
    let transfers = (0..<100).map { _ in transfer() }
    for transfer in transfers { _ = inbox.put(.cancel(transfer)) }
    var commands: [Inbox.Command] = []
    inbox.drain(into: &commands)
    let drained = commands.compactMap { command in
      if case .cancel(let transfer) = command { ObjectIdentifier(transfer) } else { nil }
    }
    #expect(drained == transfers.map(ObjectIdentifier.init))
  }
}
