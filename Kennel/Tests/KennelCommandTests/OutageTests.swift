import Foundation
import KennelTestSupport
import PostgresTestSupport
import Retriever
import Synchronization
import TestSupport
import Testing

/// Servers whose database or store goes away for a while. How long does not matter: the tests wait for what is answered, not for
/// time to pass.
@Suite(.enabled(if: PostgresServer.isAvailable), .timeLimit(.minutes(5))) struct OutageTests {
  @Test
  func `while the database is away, requests are 503 with a time to wait, and then everything goes on`()
    async throws
  {
    let database = try PostgresServer()
    var kennel = try Kennel()
    kennel.environment["KENNEL_DATABASE"] = try await database.makeDatabase()
    let added = try await kennel.run("user", "add", "Ada", "--password-stdin", input: "tennis ball\n")
    #expect(added.status == 0, "\(added.errors)")
    try kennel.writePhotos(1)
    #expect(try await kennel.run("import", kennel.directory.path("photos")).status == 0)
    let servers = [
      try await kennel.start("serve", "--port", "0"), try await kennel.start("serve", "--port", "0"),
    ]
    let followers = try servers.map { try EventFollower($0) }
    for follower in followers { #expect(await eventually { follower.isListening }) }
    let client = OutageClient()
    #expect(try await client.ask(servers[0], "PUT", "/posts/1/favourite").status == 200)
    let page = try await client.ask(servers[0], "GET", "/", accept: "text/html")
    let style = try #require(page.body.firstMatch(of: /\/assets\/[^"]+\.css/)?.output)

    database.stop()
    for server in servers {
      // The first requests find that their connections are lost.
      #expect(try await eventually { try await client.ask(server, "GET", "/health").status == 503 })
      for (method, path, accept, type) in [
        ("GET", "/", "text/html", "text/html"), ("GET", "/posts", "application/json", "application/problem"),
        ("PUT", "/posts/1/favourite", "application/json", "application/problem"),
        ("GET", "/health", "application/json", "application/problem"),
      ] {
        let answer = try await client.ask(server, method, path, accept: accept)
        #expect(answer.status == 503 && answer.retryAfter == "5", "\(method) \(path): \(answer)")
        #expect(answer.type.hasPrefix(type) && answer.body.contains("cannot be reached"), "\(answer)")
        // Neither the path of the socket nor the server's message.
        #expect(!answer.body.contains("kennel-postgres"), "\(answer)")
      }
      #expect(try await client.ask(server, "GET", "/health/live").status == 200)
      #expect(try await client.ask(server, "GET", String(style)).status == 200)
    }

    try database.start()
    for server in servers {
      #expect(try await eventually { try await client.ask(server, "GET", "/health").status == 200 })
    }
    // The last change is not repeated by the server, so it is asked for until it is answered.
    for (server, method) in [(servers[1], "DELETE"), (servers[0], "PUT"), (servers[1], "DELETE")] {
      #expect(
        try await eventually { try await client.ask(server, method, "/posts/1/favourite").status == 200 })
    }
    let last = try #require(followers.map(\.last).max())
    #expect(last > 0)
    for follower in followers {
      #expect(await eventually { follower.ids.count >= 4 }, "\(follower.ids)")
      let ids = follower.ids
      #expect(ids == Array(follower.start + 1..<follower.start + 1 + Int64(ids.count)), "\(ids)")
      #expect(!follower.hasEnded)
    }
    for follower in followers { follower.stop() }
    for server in servers { #expect(try await server.end() == 0) }
  }

  @Test(.enabled(if: StoreServer.isAvailable))
  func `while the store is away, only what needs it is 503`() async throws {
    let store = try StoreServer.shared.get()
    let bucket = "dogs-outage-\(UInt64.random(in: 0 ... .max))"
    _ = try await store.store(bucket)
    let relay = try GatedRelay(to: store.port)
    var kennel = try await Kennel.withOwner()
    kennel.environment["AWS_ACCESS_KEY_ID"] = store.credentials.accessKey
    kennel.environment["AWS_SECRET_ACCESS_KEY"] = store.credentials.secretKey
    let location = try store.location(bucket, port: relay.port).description
    let server = try await kennel.start("serve", "--port", "0", "--photos", location)
    let client = OutageClient()
    let picture = try SmallPicture()
    let first = try await client.ask(
      server, "POST", "/posts", accept: "application/json", photo: picture.file(1))
    #expect(first.status == 201, "\(first)")
    // Without its local copy, the photo is read from the store.
    try FileManager.default.removeItem(atPath: kennel.data + "/photo-cache")
    try FileManager.default.createDirectory(
      atPath: kennel.data + "/photo-cache", withIntermediateDirectories: false)

    relay.isOpen = false
    for (method, path, photo) in [
      ("GET", "/posts/1/photo", nil), ("POST", "/posts", picture.file(2)),
    ] {
      let answer = try await client.ask(server, method, path, accept: "application/json", photo: photo)
      #expect(answer.status == 503 && answer.retryAfter == "30", "\(method) \(path): \(answer)")
      #expect(answer.type.hasPrefix("application/problem"))
    }
    #expect(try await client.ask(server, "GET", "/", accept: "text/html").status == 200)
    #expect(try await client.ask(server, "PUT", "/posts/1/favourite").status == 200)
    let health = try await client.ask(server, "GET", "/health")
    #expect(health.status == 200 && health.body.contains(#""photos":"unreachable""#), "\(health)")

    relay.isOpen = true
    #expect(
      try await eventually {
        try await client.ask(server, "GET", "/health").body.contains(#""photos":"ok""#)
      })
    #expect(try await client.ask(server, "GET", "/posts/1/photo").status == 200)
    let second = try await client.ask(
      server, "POST", "/posts", accept: "application/json", photo: picture.file(2))
    #expect(second.status == 201, "\(second)")
    #expect(try await server.end() == 0)
  }
}

/// Sends requests as Ada.
private struct OutageClient: Sendable {
  struct Answer: Sendable {
    var status: Int
    var retryAfter: String?
    var type: String
    var body: String
  }

  let session = URLSession(configuration: .ephemeral)

  func ask(
    _ server: Kennel.Server, _ method: String, _ path: String, accept: String = "*/*", photo: Data? = nil
  ) async throws -> Answer {
    var request = URLRequest(url: try server.url(path))
    request.httpMethod = method
    request.setValue(accept, forHTTPHeaderField: "Accept")
    request.setValue(
      "Basic " + Data("Ada:tennis ball".utf8).base64EncodedString(), forHTTPHeaderField: "Authorization")
    if let photo {
      request.setValue("image/jpeg", forHTTPHeaderField: "Content-Type")
      request.httpBody = photo
    }
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
    return Answer(
      status: response.statusCode, retryAfter: response.value(forHTTPHeaderField: "Retry-After"),
      type: response.value(forHTTPHeaderField: "Content-Type") ?? "",
      body: String(decoding: data, as: UTF8.self))
  }
}

/// Listens to the events of a server, and remembers their ids.
private final class EventFollower: Sendable {
  private struct State: Sendable {
    var start: Int64?
    var ids: [Int64] = []
    var hasEnded = false
  }

  private struct Event: Decodable {
    var id: Int64?
    var kind: String
  }

  private let heard: Heard
  private let task: Task<Void, Never>

  private final class Heard: Sendable {
    let state = Mutex(State())
  }

  init(_ server: Kennel.Server) throws {
    let heard = Heard()
    self.heard = heard
    var request = URLRequest(url: try server.url("/events"))
    request.timeoutInterval = 300
    task = Task { [request] in
      do {
        let (bytes, _) = try await URLSession(configuration: .ephemeral).bytes(for: request)
        for try await line in bytes.lines {
          let event = try JSONDecoder().decode(Event.self, from: Data(line.utf8))
          guard event.kind != "heartbeat", let id = event.id else { continue }
          heard.state.withLock { if event.kind == "hello" { $0.start = id } else { $0.ids.append(id) } }
        }
      } catch {
        // What counts is that the stream has ended.
      }
      if !Task.isCancelled { heard.state.withLock { $0.hasEnded = true } }
    }
  }

  func stop() { task.cancel() }

  var isListening: Bool { heard.state.withLock { $0.start != nil } }
  /// The last event before those that are heard.
  var start: Int64 { heard.state.withLock { $0.start ?? 0 } }
  var ids: [Int64] { heard.state.withLock { $0.ids } }
  var last: Int64 { ids.last ?? start }
  var hasEnded: Bool { heard.state.withLock { $0.hasEnded } }
}

/// A way to a server on this machine, which can be closed, with all its connections, and opened again.
private final class GatedRelay: Sendable {
  private final class Core: Sendable {
    /// The part that is stopped. The other part keeps its port.
    let passage = Mutex<ScriptedServer?>(nil)
  }

  private let target: UInt16
  private let core = Core()
  private let entrance: ScriptedServer

  var port: UInt16 { entrance.port }

  init(to target: UInt16) throws {
    self.target = target
    entrance = try ScriptedServer(recordsRequests: false) { [core] connection in
      guard let port = core.passage.withLock({ $0?.port }) else { return }
      try connection.relay(to: port)
    }
    isOpen = true
  }

  var isOpen: Bool {
    get { core.passage.withLock { $0 != nil } }
    set {
      let target = target
      let passage =
        newValue ? try? ScriptedServer(recordsRequests: false) { try $0.relay(to: target) } : nil
      let earlier = core.passage.withLock { current in
        defer { current = passage }
        return current
      }
      earlier?.stop()
    }
  }
}
