#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing
import TransferEngine

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct DelegateClientsTests {
  /// A delegate whose end uses its session.
  private final class Leaving: NSObject, URLSessionDelegate {
    private let clients: DelegateClients
    init(_ clients: DelegateClients) { self.clients = clients }
    deinit { clients.removeUnused() }
  }

  /// Whether the last reference to a delegate is dropped while the clients are searched is a matter of chance, so both
  /// happen often. They have threads of their own, because they never wait.
  @Test func `no delegate ends while the list of clients is locked`() async throws {
    let clients = DelegateClients(TransferClientOptions())
    let isOver = Gate()
    for _ in 0..<2 {
      Thread.detachNewThread { while !isOver.isOpen { clients.removeUnused() } }
    }
    Thread.detachNewThread {
      for _ in 0..<500 { _ = try? clients.client(of: Leaving(clients)) }
      isOver.open()
    }
    #expect(await isOver.wait())
    // The other threads may use the last delegate for a moment.
    let isEmpty = await eventually {
      clients.removeUnused()
      return clients.count == 0
    }
    #expect(isEmpty)
  }
}
#endif
