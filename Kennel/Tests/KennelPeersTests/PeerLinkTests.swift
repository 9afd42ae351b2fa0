import Foundation
import KennelTestSupport
import Retriever
import RetrieverBridges
import Synchronization
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelPeers
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct PeerLinkTests {
  private static let head =
    "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nConnection: close\r\n\r\n"
  private static let hello = "{\"id\":0,\"kind\":\"hello\"}\n"

  private func makeLink(_ server: ScriptedServer, _ delegate: some PeerLinkDelegate) throws -> PeerLink {
    PeerLink(
      to: try PeerAddress(server.address()), session: PeerSync.makeSession(allowsPrivateAddresses: true),
      delegate: delegate)
  }

  /// Returns everything that a listener receives, and how it ended.
  private func hear(_ script: Script) async throws -> ([PeerEvent], (any Error)?) {
    let server = try ScriptedServer(script)
    defer { server.stop() }
    let listener = PeerLinkContinuation()
    let events = listener.all
    let link = try makeLink(server, listener)
    defer { link.close() }
    link.open()
    var heard: [PeerEvent] = []
    do {
      for try await event in events { heard.append(event) }
      return (heard, nil)
    } catch {
      return (heard, error)
    }
  }

  @Test func `events arrive in order and the end is reported once`() async throws {
    let (heard, error) = try await hear([
      .readRequest, .send(Self.head), .sendSlowly(Self.hello + "{\"kind\":\"post\",\"post\":7}\r\n\n"),
      .send("{\"kind\":\"heartbeat\"}\n{\"kind\":\"later\"}\n{\"kind\":\"lost\"}\n"),
    ])
    #expect(heard == [.opened, .posted(7), .lost])
    let ending = try #require(error as? PeerFailure)
    #expect(ending.isRetryable && ending.error.code == .unreachable)
  }

  @Test func `a connection reset is a retryable failure`() async throws {
    let (heard, error) = try await hear([.readRequest, .send(Self.head), .send(Self.hello), .reset])
    #expect(heard.count <= 1)
    #expect((error as? PeerFailure)?.isRetryable == true)
  }

  @Test func `a server that is not a kennel is a permanent failure`() async throws {
    for answer in [
      "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", Self.head + "<html>\n",
      "HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n",
    ] {
      let (heard, error) = try await hear([.readRequest, .send(answer), .readUntilClosed])
      #expect(heard.isEmpty)
      #expect((error as? PeerFailure)?.isRetryable == false, "\(answer)")
    }
    let (_, error) = try await hear([
      .readRequest, .send(Self.head), .sendForever(Data(repeating: 97, count: 65536)),
    ])
    #expect((error as? PeerFailure)?.error.description.contains("line that is too long") == true)
  }

  @Test func `a waiting caller is resumed once`() async throws {
    let server = try ScriptedServer([.readRequest, .send(Self.head), .send(Self.hello), .hold])
    defer { server.stop() }
    let listener = PeerLinkContinuation()
    let link = try makeLink(server, listener)
    defer { link.close() }
    #expect(try await listener.next { link.open() } == .opened)
  }

  @Test func `a cancelled waiting caller is resumed with CancellationError`() async throws {
    let asked = Gate()
    let server = try ScriptedServer([.readRequest, .open(asked), .hold])
    defer { server.stop() }
    let listener = PeerLinkContinuation()
    let link = try makeLink(server, listener)
    let task = Task { try await listener.next { link.open() } }
    await asked.wait()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    link.close()
    // A task that is cancelled before it waits is resumed as well, and no link is opened.
    let late = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await listener.next { Issue.record("The link was opened") }
    }
    await #expect(throws: CancellationError.self) { try await late.value }
  }

  @Test func `a waiting caller is resumed when the link breaks`() async throws {
    let server = try ScriptedServer([.readRequest, .reset])
    defer { server.stop() }
    let listener = PeerLinkContinuation()
    let link = try makeLink(server, listener)
    await #expect(throws: PeerFailure.self) { try await listener.next { link.open() } }
    // The same applies to a later caller.
    await #expect(throws: PeerFailure.self) { try await listener.next() }
  }

  @Test func `releasing a link closes its connection without a delegate call`() async throws {
    let asked = Gate()
    let closed = Gate()
    let server = try ScriptedServer([.readRequest, .open(asked), .readUntilClosed, .open(closed), .close])
    defer { server.stop() }
    let counter = CountingDelegate()
    do {
      let link = try makeLink(server, counter)
      link.open()
      await asked.wait()
      withExtendedLifetime(link) {}
    }
    #expect(await closed.wait(within: .seconds(90)))
    #expect(counter.endings == 0)
  }

  @Test func `a link does not retain its delegate`() async throws {
    let server = try ScriptedServer([.readRequest, .send(Self.head), .send(Self.hello), .hold])
    defer { server.stop() }
    var counter: CountingDelegate? = CountingDelegate()
    weak let gone = counter
    let link = try makeLink(server, counter ?? CountingDelegate())
    counter = nil
    #expect(gone == nil)
    link.open()
    #expect(await eventually { server.requests.count == 1 })
    link.close()
  }

  @Test func `a link opens only once, and never after it was closed`() async throws {
    let server = try ScriptedServer([.readRequest, .send(Self.head), .send(Self.hello), .hold])
    defer { server.stop() }
    let listener = PeerLinkContinuation()
    let link = try makeLink(server, listener)
    #expect(
      try await listener.next {
        link.open()
        link.open()
      } == .opened)
    link.close()
    link.open()
    #expect(server.requests.count == 1)
  }

  @Test func `following takes each new post and reconnects a broken link`() async throws {
    try await withStore { there in
      let other = try OtherKennel(there)
      let bob = try await there.addUser("Bob")
      try await there.addPost(0, by: bob)
      // Each link breaks after 300 to 3000 bytes.
      let relay = try CuttingRelay(to: other.port, seed: 5) { Int.random(in: 300..<3000, using: &$0) }
      defer { relay.stop() }
      try await withStore { here in
        let ada = try await here.addUser()
        let address = try other.address(port: relay.port)
        let following = Task { try await sync(address, here, ada).follow() }
        for number in 1..<10 {
          try await there.addPost(number, by: bob)
          #expect(
            await eventually { (try? await here.posts.page().count) == number + 1 })
        }
        following.cancel()
        #expect(await code { try await following.value } == .cancelled)
      }
      await other.stop()
    }
  }

  @Test func `following retries a kennel that was reached before`() async throws {
    try await withStore { there in
      let other = try OtherKennel(there)
      try await there.addPost(1, by: there.addUser("Bob"))
      try await withStore { here in
        let ada = try await here.addUser()
        let address = try other.address()
        try await sync(address, here, ada).run()
        await other.stop()
        let tries = Mutex(0)
        // A single sync ends soon because there is no server.
        let error = await #expect(throws: KennelError.self) {
          try await sync(address, here, ada).run(retrying: { _ in tries.withLock { $0 += 1 } })
        }
        #expect(error?.code == .unreachable && tries.withLock { $0 } == 1)
        let following = Task {
          try await sync(address, here, ada).follow(retrying: { _ in tries.withLock { $0 += 1 } })
        }
        #expect(await eventually { tries.withLock { $0 } > 8 })
        following.cancel()
        #expect(await code { try await following.value } == .cancelled)
      }
    }
  }

  @Test func `following ends when the report handler throws`() async throws {
    struct NoPaper: Error {}
    try await withStore { there in
      let other = try OtherKennel(there)
      try await withStore { here in
        let ada = try await here.addUser()
        await #expect(throws: NoPaper.self) {
          try await sync(other.address(), here, ada).follow(finished: { _ in throw NoPaper() })
        }
      }
      await other.stop()
    }
  }
}

extension PeerLinkContinuation {
  fileprivate var all: SlotEvents<PeerEvent> { slot.events(buffering: .droppingOldest(limit: 100)) }
}

/// Counts the calls of the delegate.
private final class CountingDelegate: PeerLinkDelegate {
  private let counts = Mutex((events: 0, endings: 0))
  var endings: Int { counts.withLock { $0.endings } }

  func peerLink(_ link: PeerLink, didReceive event: PeerEvent) { counts.withLock { $0.events += 1 } }
  func peerLink(_ link: PeerLink, didCloseWith failure: PeerFailure) {
    counts.withLock { $0.endings += 1 }
  }
}
