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
}
