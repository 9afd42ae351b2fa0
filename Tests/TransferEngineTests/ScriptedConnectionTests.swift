import Glibc
import TestSupport
import Testing

@Suite struct ScriptedConnectionTests {
  /// The number of a closed descriptor is soon in use again. A server that reads from it takes the bytes of another
  /// test, and may wait forever.
  @Test func `a connection that its server closed reads and sends nothing`() async throws {
    let server = try ScriptedServer { connection in
      connection.close()
      var pairs: [[Int32]] = []
      defer { for end in pairs.joined() { close(end) } }
      for _ in 0..<64 {
        var pair: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
        pairs.append(pair)
        for end in pair { #expect(write(end, "x", 1) == 1) }
      }
      #expect(throws: (any Error).self) { try connection.read() }
      #expect(throws: (any Error).self) { try connection.send("y") }
    }
    let client = try RawClient(port: server.port)
    let received = try await client.blocking { try $0.readToEnd() }
    #expect(received.isEmpty)
    server.stop()
  }
}
