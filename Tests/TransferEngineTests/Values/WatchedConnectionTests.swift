import Testing

@testable import TransferEngine

/// An address identifies a connection only as long as the connection exists.
@Suite struct WatchedConnectionTests {
  @Test func `a new connection at the address of an old one has its own end`() throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    defer { memory.deallocate() }
    guard Curl.isReady, var old = OpenSSL.WatchedConnection(memory) else { return }
    #expect(!old.sawCloseNotify)
    let new = try #require(OpenSSL.WatchedConnection(memory))
    OpenSSL.noteEnd(UInt(bitPattern: memory))
    #expect(new.sawCloseNotify && !old.sawCloseNotify)
    // The transfer of the old connection may be released late.
    old = new
    let last = try #require(OpenSSL.WatchedConnection(memory))
    #expect(!last.sawCloseNotify)
    withExtendedLifetime(old) {}
  }

  @Test func `releasing an old connection does not end a new one at its address`() throws {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)
    defer { memory.deallocate() }
    guard Curl.isReady else { return }
    var old = OpenSSL.WatchedConnection(memory)
    let new = OpenSSL.WatchedConnection(memory)
    #expect((old == nil) == (new == nil))
    old = nil
    #expect(new?.sawCloseNotify != true)
    OpenSSL.noteEnd(UInt(bitPattern: memory))
    #expect(new?.sawCloseNotify != false)
  }
}
