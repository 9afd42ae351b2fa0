#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// The async methods of a session.
@Suite(.timeLimit(.minutes(5))) struct SessionAsyncTests {
  private let session = URLSession.forTest()

  private static func echo() throws -> ScriptedServer {
    try ScriptedServer.http { Reply(headers: [("X-Method", $0.method)], body: $0.body) }
  }

  @Test func `data returns the complete body and the response`() async throws {
    let server = try ScriptedServer.http { _ in Reply(404, headers: [("X-A", "b")], text: "not here") }
    let (data, response) = try await session.data(from: server.url("/a"))
    #expect(String(decoding: data, as: UTF8.self) == "not here")
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.statusCode == 404)
    #expect(http.value(forHTTPHeaderField: "x-a") == "b")
    #expect(http.url == server.url("/a"))
  }

  @Test func `data sends the request unchanged`() async throws {
    let server = try Self.echo()
    var request = URLRequest(url: server.url("/a?b=c#fragment"))
    request.httpMethod = "PATCH"
    request.httpBody = Data("body".utf8)
    request.setValue("v", forHTTPHeaderField: "X-Mark")
    let (data, _) = try await session.data(for: request)
    #expect(data == Data("body".utf8))
    let received = try #require(server.requests.first)
    #expect(received.method == "PATCH")
    #expect(received.target == "/a?b=c")
    #expect(received["X-Mark"] == "v")
    #expect(received["Content-Length"] == "4")
  }

  @Test func additionalHeadersAreAddedWhereTheRequestHasNone() async throws {
    let server = try Self.echo()
    let session = URLSession.forTest { $0.httpAdditionalHeaders = ["X-A": "session", "X-B": "session"] }
    var request = URLRequest(url: server.url())
    request.setValue("request", forHTTPHeaderField: "x-a")
    _ = try await session.data(for: request)
    let received = try #require(server.requests.first)
    #expect(received["X-A"] == "request")
    #expect(received["X-B"] == "session")
  }

  @Test(arguments: [0, 1, 1000, 65_536, 65_537, 1_000_000]) func uploadSendsData(size: Int) async throws {
    let server = try Self.echo()
    let body = Data.pattern(count: size)
    let (data, response) = try await session.upload(for: URLRequest(url: server.url()), from: body)
    #expect(difference(data, body) == nil)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Method") == "POST")
  }

  @Test(arguments: [0, 1, 100_000, 1_000_000]) func uploadSendsAFile(size: Int) async throws {
    let server = try Self.echo()
    let directory = try TemporaryDirectory()
    let (file, body) = try directory.file(ofSize: size)
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    let (data, response) = try await session.upload(for: request, fromFile: file)
    #expect(difference(data, body) == nil)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "X-Method") == "PUT")
    #expect(server.requests.first?["Content-Length"] == "\(size)")
  }

  @Test func `download returns a file that is kept`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "file") }
    let (file, response) = try await session.download(from: server.url("/name.txt"))
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(try Data(contentsOf: file) == Data("file".utf8))
    #expect(response.suggestedFilename == "name.txt")
  }

  @Test func `bytes returns before the body has arrived`() async throws {
    let gate = Gate()
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"), .waitFor(gate), .send("late"),
    ])
    let (bytes, response) = try await session.bytes(from: server.url())
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(bytes.task.state == .running)
    gate.open()
    var received: [UInt8] = []
    for try await byte in bytes { received.append(byte) }
    #expect(received == Array("late".utf8))
    #expect(bytes.task.response === response)
  }

  @Test func bytesThatAreCutOffThrow() async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"),
    ])
    let (bytes, _) = try await session.bytes(from: server.url())
    var received: [UInt8] = []
    let code = await errorCode { for try await byte in bytes { received.append(byte) } }
    #expect(code == .networkConnectionLost)
    #expect(received == Array("abc".utf8))
  }

  @Test func leavingTheLoopEndsTheTransfer() async throws {
    let closed = Gate()
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\n\r\nendless"), .readUntilClosed, .open(closed),
    ])
    do {
      let (bytes, _) = try await session.bytes(from: server.url())
      for try await _ in bytes { break }
    }
    #expect(await closed.wait(within: .seconds(90)))
  }

  @Test func `releasing unread bytes ends the transfer`() async throws {
    let closed = Gate()
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\n\r\nendless"), .readUntilClosed, .open(closed),
    ])
    _ = try await session.bytes(from: server.url())
    #expect(await closed.wait(within: .seconds(90)))
  }

  @Test func `receiving pauses while the reader lags behind`() async throws {
    let sent = Log<Int>()
    let piece = Data(count: 1 << 20)
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(100 << 20)\r\n\r\n")
      for _ in 0..<100 {
        try connection.send(piece)
        sent.add(piece.count)
      }
    }
    let (bytes, _) = try await session.bytes(from: server.url())
    var iterator = bytes.chunks.makeAsyncIterator()
    let first = try #require(try await iterator.next())
    // The server stops when both socket buffers and the session's own buffer are full.
    #expect(
      await eventually { sent.all.count == 100 || ConnectionTable.hasStalledSender(port: server.port) })
    #expect(sent.all.count < 40)
    var total = first.count
    while let chunk = try await iterator.next() { total += chunk.count }
    #expect(total == 100 << 20)
  }

  enum Load: CaseIterable {
    case data, upload, uploadFile, download, bytes

    func run(_ session: URLSession, _ url: URL, file: URL) async throws {
      let request = URLRequest(url: url)
      switch self {
      case .data: _ = try await session.data(for: request)
      case .upload: _ = try await session.upload(for: request, from: Data("body".utf8))
      case .uploadFile: _ = try await session.upload(for: request, fromFile: file)
      case .download: _ = try await session.download(for: request)
      case .bytes: for try await _ in try await session.bytes(for: request).0 {}
      }
    }
  }

  @Test(arguments: Load.allCases, [false, true])
  func cancellingTheTaskEndsTheLoadAndItsConnection(load: Load, insideBody: Bool) async throws {
    let (reached, closed) = (Gate(), Gate())
    let server = try ScriptedServer([
      .readRequest, .send(insideBody ? "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf" : ""),
      .open(reached), .readUntilClosed, .open(closed),
    ])
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("body".utf8), to: "body")
    let task = Task { try await load.run(session, server.url(), file: file) }
    #expect(await reached.wait(within: .seconds(90)))
    task.cancel()
    #expect(await errorCode { try await task.value } == .cancelled)
    #expect(await closed.wait(within: .seconds(90)))
    // A reader receives the error immediately, before the task has ended.
    #expect(await eventually { await session.allTasks.isEmpty })
    try await session.expectUsable()
  }

  @Test(arguments: Load.allCases)
  func `a load in a cancelled task does not reach the server`(load: Load) async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "never") }
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("body".utf8), to: "body")
    let start = Gate()
    let task = Task {
      await start.wait()
      try await load.run(session, server.url(), file: file)
    }
    task.cancel()
    start.open()
    #expect(await errorCode { try await task.value } == .cancelled)
    #expect(server.connectionCount == 0)
    try await session.expectUsable()
  }

  @Test func aCancelledReaderThrows() async throws {
    let server = try ScriptedServer([.readRequest, .send("HTTP/1.1 200 OK\r\n\r\na"), .hold])
    let read = Gate()
    let (bytes, _) = try await session.bytes(from: server.url())
    let task = Task {
      for try await _ in bytes { read.open() }
    }
    #expect(await read.wait(within: .seconds(90)))
    task.cancel()
    #expect(await errorCode { try await task.value } == .cancelled)
  }

  @Test func `concurrent loads receive their own responses`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.target) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<300 {
        group.addTask {
          let (data, _) = try await session.data(from: server.url("/\(number)"))
          #expect(String(decoding: data, as: UTF8.self) == "/\(number)")
        }
      }
      try await group.waitForAll()
    }
    #expect(server.connectionCount <= 6)
  }

  @Test func `a Unix-domain socket replaces the host`() async throws {
    let directory = try TemporaryDirectory()
    let server = try ScriptedServer.http(on: .unixSocket(directory.path("s"))) { Reply(text: $0.target) }
    let session = URLSession.forTest { $0.unixSocketPath = directory.path("s") }
    let url = try #require(URL(string: "http://anything.invalid/here"))
    #expect(try await session.data(from: url).0 == Data("/here".utf8))
    #expect(server.requests.first?["Host"] == "anything.invalid")
  }

  @Test func `received cookies are sent with later requests`() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/set"
        ? Reply(headers: [("Set-Cookie", "a=1; Path=/"), ("Set-Cookie", "b=2; Path=/only")])
        : Reply(text: request["Cookie"] ?? "none")
    }
    func cookies(_ path: String, _ session: URLSession) async throws -> String {
      String(decoding: try await session.data(from: server.url(path)).0, as: UTF8.self)
    }
    #expect(try await cookies("/", session) == "none")
    _ = try await session.data(from: server.url("/set"))
    #expect(try await cookies("/", session) == "a=1")
    #expect(try await cookies("/only/here", session) == "b=2; a=1")
    let other = URLSession.forTest()
    #expect(try await cookies("/", other) == "none")
    let never = URLSession.forTest { $0.httpCookieAcceptPolicy = .never }
    _ = try await never.data(from: server.url("/set"))
    #expect(try await cookies("/", never) == "none")
    await session.reset()
    #expect(try await cookies("/", session) == "none")
  }

  @Test func `the session's cookie policy is applied to cookies of other sites`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [("Set-Cookie", "a=1; Path=/")]) }
    var request = URLRequest(url: server.url())
    request.mainDocumentURL = URL(string: "http://example.com/")
    for (policy, count) in [
      (.onlyFromMainDocumentDomain, 0), (.never, 0), (.always, 1),
    ] as [(HTTPCookie.AcceptPolicy, Int)] {
      let storage = HTTPCookieStorage()
      let session = URLSession.forTest {
        $0.httpCookieStorage = storage
        $0.httpCookieAcceptPolicy = policy
      }
      _ = try await session.data(for: request)
      #expect(storage.cookies?.count == count)
    }
  }

  @Test func `cookies in the additional fields replace stored cookies`() async throws {
    let server = try ScriptedServer.http { request in
      let cookies = request.fields.filter { $0.name.lowercased() == "cookie" }
      return Reply(
        headers: [("Set-Cookie", "stored=1; Path=/")],
        text: cookies.map(\.value).joined(separator: " | "))
    }
    let session = URLSession.forTest { $0.httpAdditionalHeaders = ["cookie": "own=1"] }
    for _ in 0..<2 {
      #expect(try await session.data(from: server.url()).0 == Data("own=1".utf8))
    }
  }

  @Test func `a request that does not handle cookies sends and stores none`() async throws {
    let server = try ScriptedServer.http { request in
      Reply(headers: [("Set-Cookie", "a=1; Path=/")], text: request["Cookie"] ?? "none")
    }
    var request = URLRequest(url: server.url())
    request.httpShouldHandleCookies = false
    for _ in 0..<2 {
      #expect(try await session.data(for: request).0 == Data("none".utf8))
    }
    #expect(try await session.data(from: server.url()).0 == Data("none".utf8))
    #expect(try await session.data(for: request).0 == Data("none".utf8))
    #expect(try await session.data(from: server.url()).0 == Data("a=1".utf8))
  }
}
#endif
