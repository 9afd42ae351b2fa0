#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct WebSocketTaskTests {
  private func start(
    _ server: ScriptedServer, _ session: URLSession = .forTest(), protocols: [String] = []
  ) -> URLSessionWebSocketTask {
    let task = session.webSocketTask(with: server.webSocketURL, protocols: protocols)
    task.resume()
    return task
  }

  private func code(of error: (any Error)?) -> URLError.Code? { (error as? URLError)?.code }

  @Test func `text and data go both ways`() async throws {
    let server = try ScriptedServer.webSocket { try $0.echoFrames() }
    let task = start(server)
    try await task.send(.string("woof 🐕"))
    #expect(try await task.receive().text == "woof 🐕")
    let data = Data.pattern(count: 900_000)
    try await task.send(.data(data))
    #expect(try await task.receive().data == data)
    try await task.sendPing()
    #expect(task.closeCode == .invalid)
    task.cancel(with: .normalClosure, reason: Data("done".utf8))
    #expect(await eventually { task.state == .completed })
    #expect(task.error == nil)
    #expect(task.closeCode == .normalClosure)
    let request = try #require(server.requests.first)
    #expect(request.method == "GET")
    #expect(request.target == "/chat")
    #expect(request["Sec-WebSocket-Version"] == "13")
    #expect(request["Sec-WebSocket-Extensions"] == "permessage-deflate; client_max_window_bits")
    #expect(server.failures.isEmpty)
  }

  @Test func `messages go through TLS`() async throws {
    let server = try ScriptedServer.webSocket { try $0.echoFrames() }
    let port = try TLSRelay.shared().forward(to: server.port)
    let authority = try TestAuthority.shared().authorityFile
    let session = URLSession.forTest { $0.trustedCertificates = .file(authority) }
    let task = session.webSocketTask(with: try #require(URL(string: "wss://localhost:\(port)/")))
    task.resume()
    try await task.send(.string("secret"))
    #expect(try await task.receive().text == "secret")
    task.cancel(with: .goingAway, reason: nil)
    #expect(await eventually { task.state == .completed })
    #expect(task.error == nil)
  }

  @Test func `a stored response does not answer a handshake`() async throws {
    let server = try ScriptedServer { connection in
      if connection.index == 0 {
        _ = try connection.nextRequest()
        return try connection.send(Reply(headers: [("Cache-Control", "max-age=1000")], text: "a page"))
      }
      try connection.acceptWebSocket("")
      try connection.echoFrames()
    }
    let session = URLSession.forTest { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0) }
    for _ in 0..<2 {
      #expect(try await session.data(from: server.url("/chat")).0 == Data("a page".utf8))
    }
    let task = start(server, session)
    try await task.send(.string("woof"))
    #expect(try await task.receive().text == "woof")
    task.cancel(with: .normalClosure, reason: nil)
    #expect(await eventually { task.state == .completed })
    #expect(server.requests.count == 2)
  }

  @Test func `handlers are called for messages, sends and pongs`() async throws {
    let server = try ScriptedServer.webSocket { try $0.echoFrames() }
    let task = start(server)
    let (received, sent, answered) = (Gate(), Gate(), Gate())
    task.receive { result in
      #expect((try? result.get())?.text == "a")
      received.open()
    }
    task.send(.string("a")) { error in
      #expect(error == nil)
      sent.open()
    }
    task.sendPing { error in
      #expect(error == nil)
      answered.open()
    }
    for gate in [received, sent, answered] { #expect(await gate.wait(within: .seconds(90))) }
    task.cancel()
  }

  @Test func `the subprotocol, the delegate and the Close frame of the server`() async throws {
    final class Delegate: NSObject, URLSessionWebSocketDelegate {
      let log = Log<String>()
      let completed = Gate()
      func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol name: String?
      ) {
        log.add("open \(name ?? "none")")
      }
      func urlSession(
        _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
        didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
      ) {
        log.add("close \(closeCode.rawValue) \(String(decoding: reason ?? Data(), as: UTF8.self))")
      }
      func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        log.add("complete \(error == nil)")
        completed.open()
      }
    }
    let server = try ScriptedServer.webSocket("Sec-WebSocket-Protocol: chat\r\n") { connection in
      try connection.send(TestFrame.close(4321, "enough"))
      #expect(try connection.readFrame().closeCode == 4321)
    }
    let delegate = Delegate()
    let task = start(server, .forTest(delegate: delegate), protocols: ["superchat", "chat"])
    #expect(await delegate.completed.wait(within: .seconds(90)))
    #expect(delegate.log.all == ["open chat", "close 4321 enough", "complete true"])
    #expect(task.closeCode == .other(4321))
    #expect(task.closeCode.rawValue == 4321)
    #expect(task.closeReason == Data("enough".utf8))
    #expect(server.requests.first?["Sec-WebSocket-Protocol"] == "superchat, chat")
    #expect(await errorCode { _ = try await task.receive() } == .networkConnectionLost)
    #expect(await errorCode { try await task.send(.string("late")) } == .networkConnectionLost)
  }

  @Test func `another status fails the task, and its response is available`() async throws {
    let server = try ScriptedServer.http { _ in Reply(403, text: "no") }
    let task = start(server)
    #expect(await errorCode { _ = try await task.receive() } == .badServerResponse)
    #expect((task.response as? HTTPURLResponse)?.statusCode == 403)
    #expect(await errorCode { try await task.send(.string("a")) } == .badServerResponse)
  }

  @Test func `a wrong answer to the handshake fails the task`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send(
        "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"
      )
      try connection.readUntilClosed()
    }
    let task = start(server)
    #expect(await errorCode { _ = try await task.receive() } == .badServerResponse)
    #expect(await eventually { server.openConnectionCount == 0 })
  }

  @Test func `redirects, cookies and challenges work as for other tasks`() async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        if request.path == "/chat" {
          try connection.send(
            Reply(
              307,
              headers: [("Location", "ws://\(request["Host"] ?? "")/next"), ("Set-Cookie", "a=b; Path=/")]))
        } else if request["Authorization"] == nil {
          try connection.send(Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"dogs\"")]))
        } else {
          let accept = WebSocketHandshake.accept(for: request["Sec-WebSocket-Key"] ?? "")
          try connection.send(
            "HTTP/1.1 101 Ok\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n"
          )
          return try connection.echoFrames()
        }
      }
    }
    let answers = DelegateLog.Answers(challenge: { _ in
      (.useCredential, URLCredential(user: "dog", password: "biscuit", persistence: .none))
    })
    let task = start(server, .forTest(delegate: HandlerDelegate(answers)))
    try await task.send(.string("a"))
    #expect(try await task.receive().text == "a")
    #expect(server.requests.map(\.path) == ["/chat", "/next", "/next"])
    #expect(server.requests.last?["Cookie"] == "a=b")
    #expect(Set(server.requests.map { $0["Sec-WebSocket-Key"] }).count == 3)
    task.cancel()
  }

  @Test func `the end of the connection without a Close frame is an error`() async throws {
    let server = try ScriptedServer.webSocket { try $0.send(TestFrame.text("last")) }
    let task = start(server)
    #expect(try await task.receive().text == "last")
    #expect(await errorCode { _ = try await task.receive() } == .networkConnectionLost)
    #expect(await eventually { task.state == .completed })
    #expect(code(of: task.error) == .networkConnectionLost)
    #expect(task.closeCode == .abnormalClosure)
  }

  @Test func `a message that is too big closes the connection with 1009`() async throws {
    let closeCode = Mutex<Int?>(nil)
    let server = try ScriptedServer.webSocket { connection in
      try connection.send(TestFrame(2, Data(count: 1001)))
      let frame = try connection.readFrame()
      closeCode.withLock { $0 = frame.closeCode }
    }
    let session = URLSession.forTest()
    let task = session.webSocketTask(with: server.webSocketURL)
    task.maximumMessageSize = 1000
    task.resume()
    #expect(await errorCode { _ = try await task.receive() } == .dataLengthExceedsMaximum)
    #expect(await eventually { task.state == .completed })
    #expect(closeCode.withLock { $0 } == 1009)
    #expect(task.closeCode == .messageTooBig)
    #expect(code(of: task.error) == .dataLengthExceedsMaximum)
  }

  @Test func `cancelling a Swift task that receives loses no message`() async throws {
    let proceed = Gate()
    let server = try ScriptedServer.webSocket { connection in
      try connection.wait(for: proceed)
      try connection.send(TestFrame.text("kept"))
      try connection.echoFrames()
    }
    let task = start(server)
    let receiving = Task { try await task.receive() }
    receiving.cancel()
    #expect(await errorCode { _ = try await receiving.value } == .cancelled)
    proceed.open()
    #expect(try await task.receive().text == "kept")
    #expect(task.state == .running)
    task.cancel()
  }

  @Test func `nothing is read beyond a small buffer while nobody receives`() async throws {
    let sent = Atomic<Int>(0)
    let server = try ScriptedServer.webSocket { connection in
      for number in 0..<400 {
        try connection.send(TestFrame(2, Data(repeating: UInt8(number & 255), count: 256 << 10)))
        sent.add(1, ordering: .relaxed)
      }
      try connection.send(TestFrame.close(1000))
    }
    let task = start(server)
    #expect(
      await eventually {
        ConnectionTable.hasStalledSender(port: server.port) || sent.load(ordering: .relaxed) == 400
      })
    #expect(sent.load(ordering: .relaxed) < 100)
    var count = 0
    for try await message in task.messages {
      #expect(message.data?.first == UInt8(count & 255))
      count += 1
    }
    #expect(count == 400)
    #expect(await eventually { task.state == .completed })
    #expect(task.error == nil)
  }

  @Test func `a Close frame that is read at the end of the connection is reported`() throws {
    let connection = try WebSocketConnection.opened()
    let codes = Log<String>()
    connection.setEvents(
      .init(wantsMore: {}, disconnect: {}, didClose: { codes.add("\($0.code ?? 0)") }))
    // Nobody receives, so the message fills the buffer.
    let frames = [TestFrame(2, Data(count: 300 << 10)), TestFrame.close(4000, "bye")]
    #expect(frames.flatMap(\.bytes).withUnsafeBytes { connection.received($0) })
    connection.finish(nil, url: nil) { codes.add("end \($0?.code.rawValue ?? 0)") }
    #expect(codes.all == ["4000", "end 0"])
  }

  @Test func `sends wait while the server does not read`() async throws {
    let proceed = Gate()
    let server = try ScriptedServer.webSocket { connection in
      try connection.wait(for: proceed)
      for _ in 0..<200 { _ = try connection.readFrame() }
      try connection.send(TestFrame.text("done"))
      try connection.hold()
    }
    let task = start(server)
    let sent = Atomic<Int>(0)
    let sending = Task {
      for _ in 0..<200 {
        try await task.send(.data(Data(count: 256 << 10)))
        sent.add(1, ordering: .relaxed)
      }
    }
    #expect(await eventually { sent.load(ordering: .relaxed) > 0 })
    #expect(sent.load(ordering: .relaxed) < 200)
    proceed.open()
    try await sending.value
    #expect(try await task.receive().text == "done")
    task.cancel()
    #expect(await errorCode { _ = try await task.receive() } == .cancelled)
  }

  @Test func `a server that ignores the Close frame is cut off`() async throws {
    let server = try ScriptedServer.webSocket { try $0.readUntilClosed() }
    let task = start(server)
    task.connection.closingTimeout = .milliseconds(50)
    try await task.send(.string("hello"))
    task.cancel(with: .goingAway, reason: nil)
    #expect(await eventually { task.state == .completed })
    #expect(code(of: task.error) == .timedOut)
    #expect(await eventually { server.openConnectionCount == 0 })
  }

  @Test func `a task that is cancelled before it is open fails with cancelled`() async throws {
    let server = try ScriptedServer { try $0.hold() }
    let session = URLSession.forTest()
    let task = session.webSocketTask(with: server.webSocketURL)
    task.resume()
    task.cancel(with: .goingAway, reason: nil)
    #expect(await errorCode { _ = try await task.receive() } == .cancelled)
    #expect(task.state == .completed)
    session.invalidateAndCancel()
  }

  @Test func `invalidating the session ends its connections`() async throws {
    let server = try ScriptedServer.webSocket { try $0.readUntilClosed() }
    let session = URLSession.forTest()
    let task = start(server, session)
    try await task.send(.string("a"))
    session.invalidateAndCancel()
    #expect(await errorCode { _ = try await task.receive() } == .cancelled)
    #expect(await eventually { server.openConnectionCount == 0 })
  }

  @Test func `compression can be turned off`() async throws {
    let server = try ScriptedServer.webSocket { try $0.echoFrames() }
    let task = start(server, .forTest { $0.compressesWebSocketMessages = false })
    try await task.send(.string("a"))
    #expect(server.requests.first?["Sec-WebSocket-Extensions"] == nil)
    task.cancel()
  }

  @Test func `fields of the handshake cannot be set, others can`() async throws {
    let server = try ScriptedServer.webSocket("Sec-WebSocket-Protocol: b\r\n") { try $0.echoFrames() }
    var request = URLRequest(url: server.webSocketURL)
    for name in ["Sec-WebSocket-Key", "Connection", "Upgrade", "Sec-WebSocket-Extensions", "X-Dog"] {
      request.setValue("mine", forHTTPHeaderField: name)
    }
    request.setValue("a, b", forHTTPHeaderField: "Sec-WebSocket-Protocol")
    let session = URLSession.forTest()
    let task = session.webSocketTask(with: request)
    task.resume()
    try await task.send(.string("a"))
    let seen = try #require(server.requests.first)
    #expect(seen["X-Dog"] == "mine")
    #expect(seen["Sec-WebSocket-Protocol"] == "a, b")
    #expect(seen["Upgrade"] == "websocket")
    #expect(seen["Sec-WebSocket-Key"] != "mine")
    task.cancel()
  }

  @Test func `a code keeps its number`() {
    for number in [0, 1000, 1001, 1005, 1015, 3000, 4999] {
      #expect(URLSessionWebSocketTask.CloseCode(rawValue: number)?.rawValue == number)
    }
    #expect(URLSessionWebSocketTask.CloseCode(rawValue: 1000) == .normalClosure)
  }

  @Test func `the configuration's header fields are sent with the handshake`() async throws {
    let server = try ScriptedServer.webSocket { try $0.echoFrames() }
    let session = URLSession.forTest {
      $0.httpAdditionalHeaders = ["Authorization": "Bearer secret", "X-Mark": "woof"]
    }
    let task = start(server, session)
    try await task.send(.string("woof"))
    #expect(try await task.receive().text == "woof")
    task.cancel()
    let request = try #require(server.requests.first)
    #expect(request["Authorization"] == "Bearer secret")
    #expect(request["X-Mark"] == "woof")
  }
}
#endif
