import Foundation
import TestSupport
import Testing

@testable import HTTPService

@Suite(.timeLimit(.minutes(5))) struct RepresentationTests {
  private let directory: TemporaryDirectory
  private let contents = Data.pattern(count: 200_000)

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(contents, to: "file")
    try directory.write(Data(), to: "empty")
  }

  private func ask(_ requests: [String], for file: String = "file") async throws -> [RawClient.Response] {
    let path = directory.path(file)
    return try await withServer(handler: { try .file(at: path, for: $0, contentType: "image/png") }) {
      server in
      let client = try RawClient(port: server.port)
      return try await client.blocking { client in
        try requests.map { request in
          try client.send("\(request)\r\nHost: a\r\n\r\n")
          return try client.readResponse(hasBody: !request.hasPrefix("HEAD"))
        }
      }
    }
  }

  @Test func `a file is sent completely and in ranges`() async throws {
    let get = "GET / HTTP/1.1"
    let answers = try await ask([
      get, get + "\r\nRange: bytes=100-199", get + "\r\nRange: bytes=-50", get + "\r\nRange: bytes=199990-",
      get + "\r\nRange: bytes=200000-", get + "\r\nRange: bytes=0-1,5-6", get + "\r\nRange: lines=1-2",
    ])
    #expect(answers.map(\.status) == [200, 206, 206, 206, 416, 200, 200])
    let bytes = Array(contents)
    let parts = [bytes, Array(bytes[100..<200]), Array(bytes.suffix(50)), Array(bytes.suffix(10))]
    let areSame = zip(answers, parts).allSatisfy { $0.body == $1 }
    #expect(areSame)
    #expect(answers[1].field("Content-Range") == "bytes 100-199/200000")
    #expect(answers[4].field("Content-Range") == "bytes */200000")
    #expect(answers[0].field("Accept-Ranges") == "bytes")
  }

  @Test func `conditional requests respect tags and dates`() async throws {
    let first = try await ask(["GET / HTTP/1.1"])[0]
    let tag = try #require(first.field("ETag"))
    let date = try #require(first.field("Last-Modified"))
    let get = "GET / HTTP/1.1\r\n"
    let answers = try await ask([
      get + "If-None-Match: \(tag)", get + "If-None-Match: \"x\", W/\(tag)", get + "If-None-Match: \"x\"",
      get + "If-Modified-Since: \(date)", get + "If-Modified-Since: Sat, 01 Jan 2000 00:00:00 GMT",
      get + "If-Match: \"x\"", get + "Range: bytes=0-9\r\nIf-Range: \(tag)",
      get + "Range: bytes=0-9\r\nIf-Range: \"x\"", get + "Range: bytes=0-9\r\nIf-Range: \(date)",
      get + "If-Unmodified-Since: Sat, 01 Jan 2000 00:00:00 GMT",
    ])
    #expect(answers.map(\.status) == [304, 304, 200, 304, 200, 412, 206, 200, 206, 412])
    // RFC 9110, 8.6: the length must be that of the body that is not sent.
    #expect(answers[0].field("Content-Length") == first.field("Content-Length"))
    #expect(answers[0].field("Transfer-Encoding") == nil)
  }

  @Test func `HEAD returns the same header fields as GET`() async throws {
    let answers = try await ask(["HEAD / HTTP/1.1", "GET / HTTP/1.1"])
    #expect(answers[0].status == 200)
    for name in ["Content-Length", "ETag", "Content-Type"] {
      #expect(answers[0].field(name) == answers[1].field(name))
    }
  }

  @Test func anEmptyFileIsEmpty() async throws {
    let answer = try await ask(["GET / HTTP/1.1"], for: "empty")[0]
    #expect(answer.status == 200 && answer.body.isEmpty)
  }

  @Test func `a HEAD request does not start a stream`() async throws {
    let started = Gate()
    try await withServer(handler: { _ in HTTPResponse(body: .stream { _ in started.open() }) }) { server in
      let client = try RawClient(port: server.port)
      let response = try await client.blocking { client in
        try client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
        return try client.readResponse(hasBody: false)
      }
      #expect(response.field("Transfer-Encoding") == "chunked")
      #expect(response.field("Content-Length") == nil)
      #expect(!started.isOpen)
    }
  }

  @Test func aFieldWithALineBreakIsNeverSent() async throws {
    let errors = Notes<String>()
    try await withServer(
      { $0.onError = { errors.add("\($0.error)") } },
      handler: { _ in
        HTTPResponse(fields: ["X-Name": "a\r\nSet-Cookie: b"])
      }
    ) { server in
      let client = try RawClient(port: server.port)
      let response = try await client.blocking { client in
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        return try client.readResponse()
      }
      #expect(response.status == 500 && response.field("Set-Cookie") == nil)
      #expect(errors.all.count == 1)
    }
  }

  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
    ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199),
  ]) func `dates are parsed in all three formats`(text: String, seconds: Int64) {
    #expect(HTTPDate(text)?.secondsSince1970 == seconds)
    #expect(HTTPDate(HTTPDate(secondsSince1970: seconds).description)?.secondsSince1970 == seconds)
  }

  @Test func `a 304 can be made from the client's tags alone`() throws {
    func answer(_ fields: HTTPFields, method: HTTPMethod = .get) throws -> HTTPResponse? {
      HTTPResponse.notModified(
        for: try HTTPRequest(method: method, target: "/", fields: fields), fields: ["Vary": "Cookie"]
      ) { $0.opaque == "now" ? 7 : nil }
    }
    let known = try #require(try answer(["If-None-Match": "\"old\", W/\"now\""]))
    #expect(known.status == .notModified && known.unmodifiedLength == 7)
    #expect(known.fields["ETag"] == "\"now\"" && known.fields["Vary"] == "Cookie")
    #expect(try answer(["If-None-Match": "\"now\""], method: .head)?.status == .notModified)
    // All others need the representation.
    #expect(try answer(["If-None-Match": "\"now\""], method: .post) == nil)
    #expect(try answer(["If-None-Match": "\"old\""]) == nil)
    #expect(try answer(["If-None-Match": "*"]) == nil)
    #expect(try answer(["If-None-Match": "now"]) == nil)
    #expect(try answer([:]) == nil)
    #expect(try answer(["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"]) == nil)
    #expect(try answer(["If-None-Match": "\"now\"", "If-Match": "\"old\""]) == nil)
  }
}
