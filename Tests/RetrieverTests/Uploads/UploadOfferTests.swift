#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// Which requests offer resumption, and what they say.
@Suite(.timeLimit(.minutes(5))) struct UploadOfferTests {
  private static let names = [
    "Upload-Draft-Interop-Version", "Upload-Complete", "Upload-Incomplete", "Upload-Offset", "Upload-Length",
  ]

  /// The fields of the protocol in the only request that a load sends.
  private func fields(_ load: (URLSession, URLRequest) async throws -> Void) async throws -> [String: String]
  {
    let server = try ScriptedServer.http { _ in Reply(text: "ok") }
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    try await load(.forTest(), request)
    let sent = try #require(server.requests.first)
    #expect(server.requests.count == 1)
    return Dictionary(uniqueKeysWithValues: Self.names.compactMap { name in sent[name].map { (name, $0) } })
  }

  private let offer = ["Upload-Draft-Interop-Version": "6", "Upload-Complete": "?1"]
  private let body = Data("body".utf8)

  @Test func `uploads from memory, from a file and from a stream offer resumption`() async throws {
    #expect(try await fields { _ = try await $0.upload(for: $1, from: body) } == offer)
    let directory = try TemporaryDirectory()
    let file = try directory.write(body, to: "body")
    #expect(try await fields { _ = try await $0.upload(for: $1, fromFile: file) } == offer)
    let server = try ScriptedServer.http { Reply(body: $0.body) }
    let delegate = HandlerDelegate(.init(newStream: { [body] in InputStream(data: body) }))
    URLSession.forTest(delegate: delegate).uploadTask(withStreamedRequest: URLRequest(url: server.url()))
      .resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.current.body == body)
    #expect(server.requests.first?["Upload-Complete"] == "?1")
  }

  @Test func `other loads do not offer resumption`() async throws {
    #expect(try await fields { _ = try await $0.data(for: $1) }.isEmpty)
    #expect(
      try await fields { session, request in
        var request = request
        request.httpBody = body
        _ = try await session.data(for: request)
      }.isEmpty)
    #expect(try await fields { _ = try await $0.upload(for: $1, from: Data()) }.isEmpty)
    #expect(
      try await fields { _ = try await $0.upload(for: $1, fromFile: URL(fileURLWithPath: "/proc/version")) }
        .isEmpty)
    let (chunks, continuation) = AsyncStream<Data>.makeStream()
    continuation.yield(body)
    continuation.finish()
    #expect(try await fields { _ = try await $0.upload(for: $1, from: chunks) }.isEmpty)
  }

  @Test func `a request chooses its version of the draft`() async throws {
    for (version, expected) in [
      ("3", ["Upload-Incomplete": "?0"]), ("4", ["Upload-Complete": "?1"]), ("8", ["Upload-Complete": "?1"]),
    ] {
      let sent = try await fields { session, request in
        var request = request
        request.setValue(version, forHTTPHeaderField: "Upload-Draft-Interop-Version")
        _ = try await session.upload(for: request, from: body)
      }
      #expect(sent == expected.merging(["Upload-Draft-Interop-Version": version]) { $1 })
    }
  }

  @Test func `a program that speaks the protocol itself is left alone`() async throws {
    for (name, value) in [
      ("Upload-Draft-Interop-Version", "99"), ("Upload-Draft-Interop-Version", "x"),
      ("upload-complete", "?0"),
      ("Upload-Offset", "5"), ("Upload-Length", "100"), ("Upload-Incomplete", "?1"),
    ] {
      let sent = try await fields { session, request in
        var request = request
        request.setValue(value, forHTTPHeaderField: name)
        _ = try await session.upload(for: request, from: body)
      }
      #expect(sent.count == 1 && sent.first?.value == value)
    }
  }

  @Test(arguments: [3, 4, 5, 6, 8])
  func `an upload is resumed in each version of the draft`(version: Int) async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.version = version
    behavior.receptions = [.cut(after: 3)]
    let server = try ResumableUploadServer(behavior)
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.setValue("\(version)", forHTTPHeaderField: "Upload-Draft-Interop-Version")
    request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
    let (text, _) = try await URLSession.forTest().upload(for: request, from: Data("0123456789".utf8))
    #expect(text == Data("10".utf8))
    #expect(server.uploads.map(\.bytes) == [Data("0123456789".utf8)])
    let patch = try #require(server.requests.last)
    #expect(patch["Upload-Offset"] == "3")
    #expect(patch["Upload-Complete"] == (version == 3 ? nil : "?1"))
    #expect(patch["Upload-Incomplete"] == (version == 3 ? "?0" : nil))
    #expect(patch["Content-Type"] == (version >= 6 ? "application/partial-upload" : "text/plain"))
    #expect(server.requests.allSatisfy { $0["Upload-Draft-Interop-Version"] == "\(version)" })
  }

  @Test func `the program's request stays as it was given`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "ok") }
    let done = Gate()
    let task = URLSession.forTest().uploadTask(with: URLRequest(url: server.url()), from: body) { _, _, _ in
      done.open()
    }
    task.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(task.originalRequest?.allHTTPHeaderFields?.isEmpty != false)
    #expect(task.currentRequest?.allHTTPHeaderFields?.isEmpty != false)
  }

  @Test func `a server may report its progress in thousands of interim responses`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.interims = { correct in
      let progress = "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 6\r\n"
      return [correct] + (0..<2000).map { _ in progress + "Upload-Offset: 0\r\n\r\n" }
    }
    behavior.receptions = [.cut(after: 4)]
    let server = try ResumableUploadServer(behavior)
    let (text, _) = try await URLSession.forTest().upload(
      for: URLRequest(url: server.url()), from: Data("0123456789".utf8))
    #expect(text == Data("10".utf8))
  }

  @Test func `interim responses without end fail the upload`() async throws {
    let interim =
      "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: 6\r\nLocation: /uploads/0\r\n\r\n"
    let server = try ScriptedServer([.readRequest, .sendForever(Data(interim.utf8))])
    let session = URLSession.forTest()
    // libcurl has its own limit, which ends the connection.
    let code = await errorCode {
      _ = try await session.upload(for: URLRequest(url: server.url()), from: body)
    }
    #expect(code == .badServerResponse || code == .networkConnectionLost)
    #expect(server.connectionCount <= 1 + ResumableUploadStateMachine.maximumFruitlessAttempts)
    try await session.expectUsable()
  }
}
#endif
