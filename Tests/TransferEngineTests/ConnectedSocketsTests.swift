import Testing

@testable import TransferEngine

struct ConnectedSocketsTests {
  private static func ends(_ local: Int32, _ remote: Int32, at address: String = "127.0.0.1")
    -> ConnectionEnds
  {
    ConnectionEnds(localPort: local, remoteAddress: address, remotePort: remote)
  }

  @Test func `connections with the same local port are different if their servers are`() {
    var sockets = ConnectedSockets()
    sockets.connected(Self.ends(40000, 80), over: 5)
    sockets.connected(Self.ends(40000, 81), over: 6)
    sockets.connected(Self.ends(40000, 80, at: "127.0.0.2"), over: 7)
    #expect(sockets[Self.ends(40000, 80)] == 5)
    #expect(sockets[Self.ends(40000, 81)] == 6)
    #expect(sockets[Self.ends(40000, 80, at: "127.0.0.2")] == 7)
    sockets.closed(6)
    #expect(sockets[Self.ends(40000, 80)] == 5)
    #expect(sockets[Self.ends(40000, 81)] == nil)
  }

  @Test func `closing the old socket of a new connection keeps the connection`() {
    var sockets = ConnectedSockets()
    sockets.connected(Self.ends(40000, 80), over: 5)
    sockets.connected(Self.ends(40000, 80), over: 6)
    sockets.closed(5)
    #expect(sockets[Self.ends(40000, 80)] == 6)
  }

  @Test func `a descriptor that is used again belongs to its new connection only`() {
    var sockets = ConnectedSockets()
    sockets.connected(Self.ends(40000, 80), over: 5)
    sockets.connected(Self.ends(40001, 80), over: 5)
    #expect(sockets[Self.ends(40000, 80)] == nil)
    #expect(sockets[Self.ends(40001, 80)] == 5)
  }

  @Test func `connections that are open when all are retired stay retired until they are closed`() {
    var sockets = ConnectedSockets()
    sockets.connected(Self.ends(40000, 80), over: 5)
    sockets.retireAll()
    sockets.connected(Self.ends(40001, 80), over: 6)
    #expect(sockets.isRetired(Self.ends(40000, 80)))
    #expect(!sockets.isRetired(Self.ends(40001, 80)))
    sockets.closed(5)
    sockets.connected(Self.ends(40000, 80), over: 5)
    #expect(!sockets.isRetired(Self.ends(40000, 80)))
  }
}
