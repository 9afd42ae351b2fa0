#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// A body stream whose length the request states in its own `Content-Length` field.
@Suite(.timeLimit(.minutes(5))) struct BodyStreamLengthTests {
  private func request(_ server: ScriptedServer, _ body: Data, length: String) -> URLRequest {
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    request.httpBodyStream = InputStream(data: body)
    request.setValue(length, forHTTPHeaderField: "Content-Length")
    return request
  }

  @Test(arguments: [0, 1, 65_536, 65_537, 500_000])
  func `a stream is sent with the length that the request states`(length: Int) async throws {
    let server = try ScriptedServer.http { Reply(text: "\($0.body.count)") }
    let body = Data.pattern(count: length)
    let session = URLSession.forTest()
    let (data, _) = try await session.data(for: request(server, body, length: "\(length)"))
    #expect(data == Data("\(length)".utf8))
    let received = try #require(server.requests.first)
    #expect(
      received.fields.filter { $0.name.lowercased() == "content-length" }.map(\.value) == ["\(length)"])
    #expect(received["Transfer-Encoding"] == nil)
    #expect(difference(received.body, body) == nil)
  }

  @Test(arguments: [nil, "0", "3"] as [String?])
  func `a stream is closed once it has been read`(length: String?) async throws {
    let server = try ScriptedServer.http { Reply(text: $0.text) }
    let held = SendableStream(InputStream(data: Data(length == "0" ? "".utf8 : "dog".utf8)))
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    request.httpBodyStream = held.stream
    request.setValue(length, forHTTPHeaderField: "Content-Length")
    _ = try await URLSession.forTest().data(for: request)
    #expect(await eventually { held.stream?.streamStatus == .closed })
  }

  /// `@unchecked Sendable`: the other end has another thread.
  private struct Writer: @unchecked Sendable {
    let stream: OutputStream
  }

  @Test(arguments: [false, true])
  func `a stream is closed when its task ends early`(isAnswered: Bool) async throws {
    let (asked, closed) = (Gate(), Gate())
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      asked.open()
      if isAnswered { try connection.send(Reply(413, text: "too long")) }
      try connection.readUntilClosed()
      closed.open()
    }
    var input: InputStream?
    var output: OutputStream?
    Stream.getBoundStreams(withBufferSize: 10, inputStream: &input, outputStream: &output)
    let (held, writer) = (SendableStream(input), Writer(stream: try #require(output)))
    writer.stream.open()
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    request.httpBodyStream = held.stream
    let task = URLSession.forTest().dataTask(with: request) { _, _, _ in }
    task.resume()
    #expect(await asked.wait(within: .seconds(90)))
    // Nobody writes, so the task waits for the stream.
    if !isAnswered { task.cancel() }
    #expect(await eventually { held.stream?.streamStatus == .closed && writer.stream.streamStatus == .error })
    #expect(await closed.wait(within: .seconds(90)))
  }

  @Test(arguments: [3, 70_000, 200_000])
  func `a stream that is shorter than stated fails the task`(length: Int) async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "complete") }
    let session = URLSession.forTest()
    do {
      _ = try await session.data(for: request(server, Data(count: length - 1), length: "\(length)"))
      Issue.record("The load succeeded")
    } catch let error as URLError {
      #expect(error.code == .requestBodyStreamExhausted)
      #expect(error.localizedDescription.contains("\(length)"))
    }
    #expect(server.requests.isEmpty)
    try await session.expectUsable()
  }

  @Test(arguments: [0, 3, 65_536, 70_000])
  func `a stream that is longer than stated fails the task`(length: Int) async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "complete") }
    let session = URLSession.forTest()
    do {
      _ = try await session.data(for: request(server, Data(count: length + 1), length: "\(length)"))
      Issue.record("The load succeeded")
    } catch let error as URLError {
      #expect(error.code == .requestBodyStreamExhausted)
      #expect(error.localizedDescription.contains("longer than the \(length) bytes"))
    }
    #expect(server.requests.isEmpty)
    try await session.expectUsable()
  }

  @Test(arguments: ["", "many", "-1", "3, 3", "99999999999999999999", "+3", "0x3"])
  func `a length that is not a number is not used`(text: String) async throws {
    let server = try ScriptedServer.http { Reply(text: $0["Transfer-Encoding"] ?? "none") }
    let session = URLSession.forTest()
    let (data, _) = try await session.data(for: request(server, Data("dog".utf8), length: text))
    #expect(data == Data("chunked".utf8))
    #expect(server.requests.first?["Content-Length"] == nil)
  }

  @Test func `a stream from the delegate is sent with the stated length too, and again`() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/" ? .redirect(to: "/again", status: 307) : Reply(text: request.text)
    }
    let delegate = HandlerDelegate(.init(newStream: { InputStream(data: Data("stream".utf8)) }))
    let session = URLSession.forTest(delegate: delegate)
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    request.setValue("6", forHTTPHeaderField: "Content-Length")
    let task = session.uploadTask(withStreamedRequest: request)
    #expect(task.countOfBytesExpectedToSend == 6)
    task.resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.current.body == Data("stream".utf8))
    #expect(server.requests.map { $0["Content-Length"] } == ["6", "6"])
    #expect(delegate.log.current.sent.last?.2 == 6)
  }

  @Test func `a body in memory has its own length regardless of the stated length`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.text) }
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    request.httpBody = Data("dog".utf8)
    request.setValue("7", forHTTPHeaderField: "Content-Length")
    #expect(try await URLSession.forTest().data(for: request).0 == Data("dog".utf8))
    #expect(server.requests.first?["Content-Length"] == "3")
  }
}
#endif
