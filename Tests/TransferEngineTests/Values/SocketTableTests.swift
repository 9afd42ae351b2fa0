import Glibc
import Testing

@testable import TransferEngine

@Suite struct SocketTableTests {
  /// A forked child process has copies of all descriptors, so closing ours does not remove the socket from epoll.
  @Test func `a closed connection is removed from epoll although a copy is open`() throws {
    let epoll = SocketTable<ClientCore>.makeEpoll()
    defer { close(epoll) }
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    let loop = try #require(EventLoop(index: 0))
    let core = try ClientCore(loop: loop, options: .init())
    var table = SocketTable<ClientCore>(epoll: epoll)
    table.opened(pair[0])
    table.want(UInt32(POLLIN), on: pair[0], for: .passUnretained(core))
    let copy = dup(pair[0])
    defer { close(copy) }
    table.closed(pair[0])
    close(pair[0])
    // When the other end closes, the socket would become ready repeatedly if it were still watched.
    close(pair[1])
    var event = pollfd(fd: epoll, events: Int16(POLLIN), revents: 0)
    #expect(poll(&event, 1, 0) == 0)
  }

  @Test func `input on an idle connection is only ruled out by a later look`() throws {
    let epoll = SocketTable<ClientCore>.makeEpoll()
    defer { close(epoll) }
    var pair: [Int32] = [0, 0]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0)
    defer { pair.forEach { close($0) } }
    let socket = pair[0]
    let loop = try #require(EventLoop(index: 0))
    let core = try ClientCore(loop: loop, options: .init())
    var table = SocketTable<ClientCore>(epoll: epoll)
    var isQuiet = table.hasSeenNoInput(on: socket)
    #expect(!isQuiet)
    func look(completely: Bool = true) {
      table.beginLook()
      var event = pollfd(fd: epoll, events: Int16(POLLIN), revents: 0)
      if poll(&event, 1, 0) == 1 { #expect(table.owner(ofReady: socket) == nil) }
      if completely { table.endLook() }
      isQuiet = table.hasSeenNoInput(on: socket)
    }
    table.opened(socket)
    table.want(UInt32(POLLIN), on: socket, for: .passUnretained(core))
    look()
    // It becomes idle after the look.
    table.want(0, on: socket, for: .passUnretained(core))
    isQuiet = table.hasSeenNoInput(on: socket)
    #expect(!isQuiet)
    look(completely: false)
    #expect(!isQuiet)
    look()
    #expect(isQuiet)
    #expect(write(pair[1], "x", 1) == 1)
    look()
    #expect(!isQuiet)
    look()
    #expect(!isQuiet)
    table.closed(socket)
    isQuiet = table.hasSeenNoInput(on: socket)
    #expect(!isQuiet)
  }
}
