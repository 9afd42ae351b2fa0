import Foundation
import KennelTestSupport
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelPeers
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct HostilePeerTests {
  private static let photo = Data.pattern(count: 5000)
  private static let hash = PhotoHash(bytes: Sodium.sha256(Array(photo)))?.description ?? ""

  /// A valid post with the given changes.
  private static func post(_ more: [String: Any] = [:], id: Int = 1, photo changes: [String: Any] = [:])
    -> [String: Any]
  {
    let photo: [String: Any] = [
      "hash": hash, "width": 40, "height": 30, "format": "jpeg", "bytes": Self.photo.count,
    ].merging(changes) { $1 }
    let post: [String: Any] = [
      "id": id, "author": "Eve", "caption": "Dog", "created": "2026-11-20T10:00:00Z", "photo": photo,
    ]
    return post.merging(more) { $1 }
  }

  private static func page(_ posts: [[String: Any]], next: Int? = nil) throws -> Reply {
    let page: [String: Any] = ["posts": posts, "next": next.map { $0 as Any } ?? NSNull()]
    return Reply(body: try JSONSerialization.data(withJSONObject: page))
  }

  /// Syncs from a server with the given responses.
  private func sync(
    _ answer: @escaping @Sendable (ScriptedRequest) throws -> Reply,
    clock: any Clock<Duration> = ContinuousClock(), looksAtPhotos: Bool = false,
    _ check: (Result<SyncReport, KennelError>, KennelStore, ScriptedServer) async throws -> Void
  ) async throws {
    let server = try ScriptedServer.http(answer)
    defer { server.stop() }
    try await withStore { store in
      let owner = try await store.addUser()
      var limits = PeerSync.Limits()
      limits.firstPause = .milliseconds(1)
      let session = PeerSync.makeSession(allowsPrivateAddresses: true)
      let peer = try PeerAddress(server.address())
      let sync =
        looksAtPhotos
        ? PeerSync(from: peer, as: owner.id, into: store, session: session, limits: limits, clock: clock)
        : PeerSync(
          from: peer, as: owner.id, into: store, session: session, limits: limits, clock: clock,
          examine: { photo, _ in NewPhoto(unchanged: photo, facts: .small) })
      let result: Result<SyncReport, KennelError>
      do throws(KennelError) { result = .success(try await sync.run()) } catch { result = .failure(error) }
      try await check(result, store, server)
      #expect(try await store.checkedProblems() == [])
      #expect(try await eventually { try store.incomingFiles().isEmpty })
      #expect(try partialFiles(store).count <= 2)
    }
  }

  private func expectRefusal(
    of post: [String: Any], photo: Reply? = nil, looksAtPhotos: Bool = false, saying words: String
  ) async throws {
    let page = try Self.page([post, Self.post(id: 2)])
    let bad = photo ?? Reply(body: Self.photo)
    try await sync(
      { request in
        switch request.path {
        case "/peer/posts": page
        case "/posts/1/photo": bad
        default: Reply(body: Self.photo)
        }
      }, looksAtPhotos: looksAtPhotos
    ) { result, store, _ in
      let report = try result.get()
      #expect(report.refusals.map(\.id) == (looksAtPhotos ? [1, 2] : [1]))
      #expect(report.refusals.first?.reason.contains(words) == true, "\(report.refusals)")
      // The next post is not affected.
      #expect(report.taken == (looksAtPhotos ? 0 : 1))
    }
  }

  @Test func `an invalid post is refused and the next one is taken`() async throws {
    let long = String(repeating: "x", count: 2001)
    try await expectRefusal(of: Self.post(["caption": long]), saying: "too long")
    try await expectRefusal(of: Self.post(["author": "a:b"]), saying: "name")
    try await expectRefusal(of: Self.post(["author": ""]), saying: "name")
    try await expectRefusal(of: Self.post(["author": "\u{202e}eve"]), saying: "name")
    try await expectRefusal(of: Self.post(["created": "yesterday"]), saying: "date")
    try await expectRefusal(of: Self.post(photo: ["hash": "../../etc"]), saying: "not valid")
    try await expectRefusal(of: Self.post(photo: ["bytes": 0]), saying: "not valid")
    try await expectRefusal(of: Self.post(photo: ["width": -1]), saying: "not valid")
    try await expectRefusal(of: Self.post(photo: ["bytes": 26 << 20]), saying: "too large")
    try await expectRefusal(of: Self.post(photo: ["width": Int.max, "height": Int.max]), saying: "too large")
  }

  @Test func `a photo with a different hash is refused`() async throws {
    try await expectRefusal(
      of: Self.post(), photo: Reply(body: Data(Self.photo.reversed())), saying: "does not match")
    try await expectRefusal(of: Self.post(), photo: Reply(body: Self.photo + [0]), saying: "more bytes")
    try await expectRefusal(of: Self.post(), photo: Reply(body: Self.photo.dropLast()), saying: "fewer bytes")
    try await expectRefusal(of: Self.post(), photo: Reply(404), saying: "deleted")
  }

  @Test func `a file that is not a photo is refused`() async throws {
    try await expectRefusal(of: Self.post(), looksAtPhotos: true, saying: "not supported")
  }

  @Test(arguments: [
    "", "[]", "<html>", "{\"posts\":{}}", "{\"posts\":[{\"id\":\"1\"}],\"next\":null}",
    String(repeating: "[", count: 100_000),
  ])
  func `an invalid page is an error`(text: String) async throws {
    try await sync { _ in
      Reply(text: text)
    } _: { result, _, _ in
      #expect(throws: KennelError.self) { try result.get() }
    }
  }

  @Test func `a kennel that does not accept the host name gives a specific error`() async throws {
    try await sync { _ in
      Reply(421)
    } _: { result, _, _ in
      let error = #expect(throws: KennelError.self) { try result.get() }
      #expect(error?.code == .notAllowed)
      #expect(
        error?.description.contains("does not accept the name “127.0.0.1”") == true, "\(result)")
    }
  }

  @Test func `pages that are not consecutive end the sync`() async throws {
    for (posts, next) in [
      ([Self.post(id: 2), Self.post(id: 1)], nil), ([Self.post(id: 1)], 0), ([Self.post(id: 1)], 9), ([], 0),
    ] {
      let page = try Self.page(posts, next: next)
      try await sync({ $0.path == "/peer/posts" ? page : Reply(body: Self.photo) }) { result, _, _ in
        let error = #expect(throws: KennelError.self) { try result.get() }
        #expect(error?.code == .badPeer)
      }
    }
  }

  @Test func `an endless page ends the sync`() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"),
      .sendForever(Data(repeating: 32, count: 65536)),
    ])
    defer { server.stop() }
    try await withStore { store in
      let owner = try await store.addUser()
      let error = await #expect(throws: KennelError.self) {
        try await KennelPeersTests.sync(PeerAddress(server.address()), store, owner).run()
      }
      #expect(error?.description.contains("too large") == true)
    }
  }

  @Test func aRedirectIsNotFollowed() async throws {
    try await sync { _ in
      .redirect(to: "http://127.0.0.1:1/")
    } _: { result, _, server in
      let error = #expect(throws: KennelError.self) { try result.get() }
      #expect(error?.description.contains("has moved") == true)
      #expect(server.requests.count == 1)
    }
  }

  @Test func `a request is repeated after the pause that the peer asks for`() async throws {
    let clock = ManualClock()
    let asked = Atomic(0)
    let page = try Self.page([])
    async let done: Void = sync(
      { _ in
        asked.add(1, ordering: .relaxed).newValue < 3 ? Reply(503, headers: [("Retry-After", "7")]) : page
      }, clock: clock
    ) { result, _, server async throws in
      #expect(try result.get() == SyncReport())
      #expect(server.requests.count == 3)
    }
    for attempt in 1...2 {
      await clock.waitForSleepers()
      #expect(asked.load(ordering: .relaxed) == attempt)
      clock.advance(by: .seconds(6))
      #expect(clock.sleeperCount == 1)
      clock.advance(by: .seconds(1))
    }
    try await done
  }

  @Test func `a peer that asks for a very long pause is given up`() async throws {
    try await sync { _ in
      Reply(429, headers: [("Retry-After", "999999999999999999")])
    } _: { result, _, server in
      let error = #expect(throws: KennelError.self) { try result.get() }
      #expect(error?.code == .unreachable)
      #expect(server.requests.count == 1)
    }
  }

  @Test func `pauses grow until the policy gives up`() {
    let lost = PeerFailure.temporary(.closed)
    let later = PeerFailure.temporary(.closed, retryAfter: .seconds(30))
    var retryPolicy = RetryPolicy(firstPause: .seconds(1), limit: 4)
    #expect(retryPolicy.pause(after: lost, hadProgress: false) == .seconds(1))
    #expect(retryPolicy.pause(after: lost, hadProgress: false) == .seconds(2))
    #expect(retryPolicy.pause(after: lost, hadProgress: true) == .seconds(1))
    #expect(retryPolicy.pause(after: .unreachable(.closed), hadProgress: false) == .seconds(2))
    #expect(retryPolicy.pause(after: later, hadProgress: false) == .seconds(30))
    #expect(retryPolicy.pause(after: lost, hadProgress: false) == nil)
    var endless = RetryPolicy(firstPause: .seconds(1), limit: .max)
    for _ in 0..<20 { _ = endless.pause(after: lost, hadProgress: false) }
    #expect(endless.pause(after: lost, hadProgress: false) == .seconds(60))
    #expect(endless.pause(after: .permanent(.closed), hadProgress: false) == nil)
    var teased = RetryPolicy()
    let count = (0..<1000).count { _ in teased.pause(after: lost, hadProgress: true) != nil }
    #expect(count == 499)
  }

  @Test func `links that break soon are retried after growing pauses and never given up`() {
    let lost = PeerFailure.temporary(.closed)
    var retryPolicy = RetryPolicy(limit: .max, hasAnswered: false)
    for seconds in [1, 2, 4] {
      #expect(retryPolicy.pause(afterLink: lost, worked: .seconds(3)) == .seconds(seconds))
    }
    // A link that lasted resets the pauses.
    #expect(retryPolicy.pause(afterLink: lost, worked: .seconds(600)) == .seconds(1))
    let asked = PeerFailure.temporary(.closed, retryAfter: .seconds(3600))
    #expect(retryPolicy.pause(afterLink: asked, worked: nil) == .seconds(3600))
    let never = PeerFailure.temporary(.closed, retryAfter: .seconds(1 << 40))
    #expect(retryPolicy.pause(afterLink: never, worked: nil) == .seconds(86_400))
    for _ in 0..<1000 { _ = retryPolicy.pause(afterLink: lost, worked: nil) }
    #expect(retryPolicy.pause(afterLink: lost, worked: nil) == .seconds(60))
    #expect(retryPolicy.pause(afterLink: .permanent(.closed), worked: nil) == nil)
    var nobody = RetryPolicy(limit: .max, hasAnswered: false)
    #expect(nobody.pause(afterLink: .unreachable(.closed), worked: nil) == .seconds(1))
    #expect(nobody.pause(afterLink: .unreachable(.closed), worked: nil) == nil)
  }

  @Test func `a server that never answered is given up soon`() {
    let nobody = PeerFailure.unreachable(.closed)
    var retryPolicy = RetryPolicy(hasAnswered: false)
    #expect(retryPolicy.pause(after: nobody, hadProgress: false) == .seconds(1))
    #expect(retryPolicy.pause(after: nobody, hadProgress: false) == nil)
    // A server that answers exists, even if it answers with an error.
    var busy = RetryPolicy(hasAnswered: false)
    #expect(busy.pause(after: .temporary(.closed), hadProgress: false) == .seconds(1))
    #expect(busy.pause(after: nobody, hadProgress: false) == .seconds(2))
    #expect(busy.pause(after: nobody, hadProgress: false) == .seconds(4))
  }

  @Test func `only valid peer addresses are accepted`() throws {
    #expect(try PeerAddress("Dogs.Example").url.absoluteString == "https://dogs.example")
    #expect(try PeerAddress("https://dogs.example:443/").name == "dogs.example")
    #expect(try PeerAddress("http://dogs.example:8080//kennel/").name == "dogs.example:8080/kennel")
    for text in [
      "", "ftp://dogs.example", "https://a:b@dogs.example", "https://dogs.example/?a", "https://", "a b",
    ] {
      #expect(throws: KennelError.self, "\(text)") { try PeerAddress(text) }
    }
  }
}
