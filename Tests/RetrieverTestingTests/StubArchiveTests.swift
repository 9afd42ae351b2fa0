import Foundation
import Retriever
@testable import RetrieverTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StubArchiveTests {
  private struct Entry {
    var method = "GET"
    var url: String
    var postText: String?
    var status = 200
    var headers: [(String, String)] = [("Content-Type", "text/plain")]
    var content: [String: Any] = [:]
  }

  private func archive(_ entries: [Entry]) throws -> Data {
    let list = entries.map { entry -> [String: Any] in
      var request: [String: Any] = ["method": entry.method, "url": entry.url, "headers": [Any]()]
      if let text = entry.postText { request["postData"] = ["mimeType": "text/plain", "text": text] }
      let headers = entry.headers.map { ["name": $0.0, "value": $0.1] }
      let response: [String: Any] = [
        "status": entry.status, "headers": headers, "content": entry.content,
      ]
      return ["request": request, "response": response, "time": 1]
    }
    return try JSONSerialization.data(withJSONObject: ["log": ["version": "1.2", "entries": list]])
  }

  private func entry(_ path: String, _ text: String) -> Entry {
    Entry(
      url: "https://api.test\(path)",
      content: ["size": text.utf8.count, "mimeType": "text/plain", "text": text])
  }

  @Test func `requests get the responses of an archive in any order, the last one again`() async throws {
    let stubs = HTTPStubs()
    try stubs.replay(
      archive([entry("/a", "one"), entry("/b", "b"), entry("/a", "two")]), order: .loose)
    let session = stubs.session()
    #expect(try await session.text("/b") == "b")
    for text in ["one", "two", "two"] { #expect(try await session.text("/a") == text) }
    let error = await urlError { _ = try await session.text("/c") }
    #expect(error?.localizedDescription.contains("the archive has no entry for it") == true)
  }

  @Test func `in strict order, another request fails and names the next entry`() async throws {
    let stubs = HTTPStubs()
    try stubs.replay(archive([entry("/a", "one"), entry("/b", "b")]), order: .strict, name: "dogs.har")
    let session = stubs.session()
    let early = await urlError { _ = try await session.text("/b") }
    #expect(
      early?.localizedDescription.contains("the next entry of dogs.har is GET https://api.test/a") == true)
    #expect(try await session.text("/a") == "one")
    #expect(try await session.text("/b") == "b")
    let late = await urlError { _ = try await session.text("/b") }
    #expect(late?.localizedDescription.contains("all 2 entries of dogs.har were used") == true)
  }

  @Test func `entries that were not used fail the verification`() async throws {
    let stubs = HTTPStubs()
    try stubs.replay(archive([entry("/a", "one"), entry("/b", "b")]), name: "dogs.har")
    _ = try await stubs.session().text("/a")
    #expect(
      stubsError { try stubs.verifyAll() }?.description
        == "1 requests of dogs.har did not come. The first is GET https://api.test/b.")
  }

  @Test func `bodies in base64 and decoded bodies of a browser's archive are delivered`() async throws {
    let bytes = Data([0, 1, 255, 254])
    let stubs = HTTPStubs()
    try stubs.replay(
      archive([
        Entry(
          url: "https://api.test/photo", headers: [(":status", "200"), ("content-type", "image/png")],
          content: [
            "size": 4, "mimeType": "image/png", "text": bytes.base64EncodedString(), "encoding": "base64",
          ]),
        Entry(
          url: "https://api.test/page",
          headers: [
            ("Content-Encoding", "gzip"), ("Content-Length", "23"), ("Transfer-Encoding", "chunked"),
          ],
          content: ["size": 9, "compression": -14, "mimeType": "text/html", "text": "<p>woof</"]),
        Entry(url: "https://api.test/cut", content: ["size": 9, "mimeType": "text/html"]),
        Entry(url: "https://api.test/failed", status: 0, headers: [], content: ["size": 0]),
      ]))
    let session = stubs.session()
    let (photo, response) = try await session.data(from: .test("/photo"))
    #expect(photo == bytes && response.mimeType == "image/png")
    let (page, head) = try await session.data(from: .test("/page"))
    let http = try #require(head as? HTTPURLResponse)
    #expect(page == Data("<p>woof</".utf8) && http.mimeType == "text/html")
    #expect(http.value(forHTTPHeaderField: "Content-Encoding") == nil && http.expectedContentLength == 9)
    let cut = await urlError { _ = try await session.text("/cut") }
    #expect(cut?.code == .cannotDecodeContentData)
    #expect(await urlError { _ = try await session.text("/failed") }?.code == .networkConnectionLost)
  }

  @Test(arguments: ["1234", nil])
  func `a response to HEAD has the length that the archive states, or none`(length: String?) async throws {
    let stubs = HTTPStubs()
    let fields = [("Content-Type", "text/plain")] + (length.map { [("Content-Length", $0)] } ?? [])
    try stubs.replay(
      archive([Entry(method: "HEAD", url: "https://api.test/a", headers: fields, content: ["size": 0])]))
    var request = URLRequest(url: try .test("/a"))
    request.httpMethod = "HEAD"
    let (data, response) = try await stubs.session().data(for: request)
    #expect(data.isEmpty)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Length") == length)
    #expect(response.expectedContentLength == length.flatMap { Int64($0) } ?? -1)
  }

  @Test func `an entry with the same body comes first`() async throws {
    var (first, second) = (entry("/search", "dogs found"), entry("/search", "cats found"))
    (first.method, first.postText) = ("POST", "dogs")
    (second.method, second.postText) = ("POST", "cats")
    let stubs = HTTPStubs()
    try stubs.replay(archive([first, second]))
    var request = URLRequest(url: try .test("/search"))
    request.httpMethod = "POST"
    for body in ["cats", "dogs"] {
      request.httpBody = Data(body.utf8)
      #expect(try await stubs.session().data(for: request).0 == Data("\(body) found".utf8))
    }
  }

  @Test func `a recording has the order in which requests began`() async throws {
    let arrived = Gate()
    let answered = Gate()
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        if request.path == "/slow" {
          arrived.open()
          try connection.wait(for: answered)
        }
        try connection.send(Reply(text: request.path))
      }
    }
    let recording = HTTPStubs()
    let record = recording.record("http://127.0.0.1:*/**")
    let session = recording.session()
    async let slow = session.data(from: server.url("/slow"))
    #expect(await arrived.wait(within: .seconds(90)))
    _ = try await session.data(from: server.url("/fast"))
    answered.open()
    _ = try await slow
    let folder = try TemporaryDirectory()
    try record.write(to: folder.file("dogs.har"))
    let stubs = HTTPStubs()
    try stubs.replay(folder.file("dogs.har"), order: .strict)
    for path in ["/slow", "/fast"] {
      #expect(try await stubs.session().data(from: server.url(path)).0 == Data(path.utf8))
    }
  }

  @Test func `a recording that has lost exchanges is not written`() throws {
    let url = try #require(URL(string: "http://a.test/"))
    let record = StubRecording(limits: TrafficArchive.Limits(entries: 2))
    let folder = try TemporaryDirectory()
    for number in 1...3 {
      let request = ReceivedRequest(
        number: number, request: URLRequest(url: url), url: url, headers: [:], body: Data(), bodyLength: 0)
      record.add(NetworkExchange(request: request, start: Date()))
      if number == 2 { try record.write(to: folder.file("two.har")) }
    }
    let error = stubsError { try record.write(to: folder.file("three.har")) }
    #expect(error?.code == .incompleteRecording)
    #expect(error?.description.contains("of 3 exchanges, only the last 2 were kept") == true)
  }

  @Test func `a file that is not an archive is an error`() throws {
    let error = stubsError { try HTTPStubs().replay(Data("{}".utf8), name: "dogs.har") }
    #expect(error?.code == .invalidArchive && error?.description.contains("dogs.har") == true)
  }

  @Test func `recorded exchanges contain no secrets, and can be replayed with and without them`() async throws
  {
    let image = Data.pattern(count: 100_000)
    let server = try ScriptedServer.http { request in
      switch request.path {
      case "/photo": Reply(headers: [("Content-Type", "image/png")], body: image)
      case "/sign-in":
        Reply(
          headers: [("Content-Type", "application/json"), ("Set-Cookie", "session=geheim-1")],
          text: #"{"access_token":"geheim-2","name":"Rex"}"#)
      default: Reply(302, headers: [("Location", "/photo")])
      }
    }
    func use(_ session: URLSession) async throws -> (Data, Data, Data) {
      var request = URLRequest(url: server.url("/sign-in?api_key=geheim-3"))
      request.httpMethod = "POST"
      request.setValue("Bearer geheim-4", forHTTPHeaderField: "Authorization")
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
      request.httpBody = Data(#"{"password":"geheim-5"}"#.utf8)
      let body = try await session.data(for: request).0
      let photo = try await session.data(from: server.url("/old")).0
      let file = try await session.download(from: server.url("/photo")).0
      defer { try? FileManager.default.removeItem(at: file) }
      return (body, photo, try Data(contentsOf: file))
    }
    let folder = try TemporaryDirectory()
    let file = folder.file("dogs.har")
    let recording = HTTPStubs()
    let record = recording.record("http://127.0.0.1:*/**")
    let first = try await use(recording.session())
    #expect(first.1 == image && first.2 == image && first.0.count > 10)
    #expect(record.count == 4)
    try record.write(to: file)
    server.stop()
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    #expect(!text.contains("geheim") && text.contains("Rex"))

    for order in [ReplayOrder.strict, .loose] {
      let stubs = HTTPStubs()
      try stubs.replay(file, order: order)
      let second = try await use(stubs.session())
      #expect(second.0 == Data(#"{"access_token":"REDACTED","name":"Rex"}"#.utf8))
      #expect(second.1 == image && second.2 == image)
      try stubs.verifyAll()
    }
  }
}
