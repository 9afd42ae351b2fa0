#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct UploadTests {
  private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

  private func request(_ url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    return request
  }

  @Test func didSendBodyDataRisesAndEndsAtTheTotal() async throws {
    let server = try ScriptedServer.http { Reply(text: "\($0.body.count)") }
    let directory = try TemporaryDirectory()
    let (file, _) = try directory.file(ofSize: 3_000_000)
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    let task = session.uploadTask(with: request(server.url()), fromFile: file)
    task.resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    let sent = delegate.log.current.sent
    #expect(sent.map(\.0).reduce(0, +) == 3_000_000)
    #expect(sent.map(\.1) == sent.map(\.1).sorted())
    #expect(sent.last?.1 == 3_000_000)
    #expect(sent.allSatisfy { $0.0 > 0 && $0.2 == 3_000_000 })
    #expect(task.countOfBytesSent == 3_000_000)
    #expect(task.countOfBytesExpectedToSend == 3_000_000)
    #expect(delegate.log.current.body == Data("3000000".utf8))
  }

  @Test func aStreamInTheRequestIsSentInChunks() async throws {
    let server = try ScriptedServer.http { Reply(text: "\($0["Transfer-Encoding"] ?? "") \($0.text)") }
    var request = request(server.url())
    request.httpBodyStream = InputStream(data: Data("streamed".utf8))
    #expect(text(try await URLSession.forTest().data(for: request).0) == "chunked streamed")
  }

  @Test func aStreamedTaskAsksItsDelegateForTheStream() async throws {
    let server = try ScriptedServer.http { Reply(body: $0.body) }
    let body = Data.pattern(count: 500_000)
    let delegate = HandlerDelegate(.init(newStream: { InputStream(data: body) }))
    let session = URLSession.forTest(delegate: delegate)
    session.uploadTask(withStreamedRequest: request(server.url())).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.current.error == nil)
    #expect(difference(delegate.log.current.body, body) == nil)
    #expect(delegate.log.order.starts(with: ["created", "stream", "sent"]))
    #expect(delegate.log.current.sent.last?.1 == 500_000)
  }

  /// A first response that requires the body to be sent again.
  enum Repetition: CaseIterable {
    case challenge, redirect

    func reply(to request: ScriptedRequest) -> Reply {
      switch self {
      case .challenge where request["Authorization"] == nil:
        Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"r\"")])
      case .redirect where request.path == "/": .redirect(to: "/again", status: 307)
      default: Reply(text: request.text)
      }
    }
  }

  @Test(arguments: Repetition.allCases, [false, true])
  func `a new stream is requested when the body is sent again`(
    _ repetition: Repetition, fromRequest: Bool
  ) async throws {
    let server = try ScriptedServer.http { repetition.reply(to: $0) }
    for isAsync in [false, true] {
      let answers = DelegateLog.Answers(
        challenge: { _ in (.useCredential, URLCredential(user: "u", password: "p", persistence: .none)) },
        newStream: { InputStream(data: Data("stream".utf8)) })
      let delegate: any URLSessionDataDelegate & LoggingDelegate =
        isAsync ? AsyncDelegate(answers) : HandlerDelegate(answers)
      let session = URLSession.forTest(delegate: delegate)
      var request = request(server.url())
      let task: URLSessionTask
      if fromRequest {
        request.httpBodyStream = InputStream(data: Data("stream".utf8))
        task = session.dataTask(with: request)
      } else {
        task = session.uploadTask(withStreamedRequest: request)
      }
      task.resume()
      #expect(await delegate.log.completed.wait(within: .seconds(90)))
      #expect(delegate.log.current.error == nil)
      #expect(delegate.log.events.count { $0 == "stream" } == (fromRequest ? 1 : 2))
      #expect(server.requests.suffix(2).map(\.text) == ["stream", "stream"])
    }
  }

  @Test func `a body that cannot be sent again fails the task`() async throws {
    let server = try ScriptedServer.http { Repetition.redirect.reply(to: $0) }
    var request = request(server.url())
    request.httpBodyStream = InputStream(data: Data("once".utf8))
    let session = URLSession.forTest()
    #expect(await errorCode { _ = try await session.data(for: request) } == .requestBodyStreamExhausted)
    try await session.expectUsable()
  }

  @Test func aDelegateWithoutAStreamFailsTheTask() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.text) }
    let delegate = HandlerDelegate()
    let session = URLSession.forTest(delegate: delegate)
    session.uploadTask(withStreamedRequest: request(server.url())).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect((delegate.log.current.error as? URLError)?.code == .requestBodyStreamExhausted)
  }

  @Test func aStreamThatCannotBeReadFailsTheTask() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.text) }
    let directory = try TemporaryDirectory()
    var request = request(server.url())
    request.httpBodyStream = InputStream(fileAtPath: directory.path("missing"))
    let session = URLSession.forTest()
    #expect(await errorCode { _ = try await session.data(for: request) } == .requestBodyStreamExhausted)
    try await session.expectUsable()
  }

  @Test func `an upload pauses while the server does not read`() async throws {
    let (reached, resume) = (Gate(), Gate())
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      reached.open()
      try connection.wait(for: resume)
      var left = 64 << 20
      while left > 0 { left -= try connection.read().count }
      try connection.send(Reply(text: "all"))
    }
    let directory = try TemporaryDirectory()
    let file = directory.file("big")
    try Data().write(to: file)
    #expect(truncate(file.path, 64 << 20) == 0)
    let done = Gate()
    let session = URLSession.forTest()
    let task = session.uploadTask(with: request(server.url()), fromFile: file) { data, _, _ in
      if data == Data("all".utf8) { done.open() }
    }
    task.resume()
    #expect(await reached.wait(within: .seconds(90)))
    #expect(
      await eventually {
        task.countOfBytesSent == 64 << 20 || ConnectionTable.hasStalledSender(port: server.port)
      })
    #expect(task.countOfBytesSent < 32 << 20)
    resume.open()
    #expect(await done.wait(within: .seconds(90)))
    #expect(task.countOfBytesSent == 64 << 20)
  }

  @Test func `a response before the end of the upload is accepted`() async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      try connection.send(Reply(413, headers: [("Connection", "close")], text: "too long"))
      connection.finishSending()
      try connection.readUntilClosed()
    }
    let session = URLSession.forTest()
    let (data, response) = try await session.upload(
      for: request(server.url()), from: Data(count: 16 << 20))
    #expect((response as? HTTPURLResponse)?.statusCode == 413)
    #expect(text(data) == "too long")
    try await session.expectUsable()
  }
}
#endif
