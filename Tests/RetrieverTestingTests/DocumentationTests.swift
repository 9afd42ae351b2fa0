import Foundation
import Retriever
import RetrieverTesting
import TestSupport
import Testing

/// The documentation's examples work as documented.
@Suite(.timeLimit(.minutes(5))) struct DocumentationTests {
  private let examples = DocumentationExamples()

  private func status(
    _ session: URLSession, _ method: String, _ path: String, body: String = "",
    headers: [String: String] = [:]
  ) async throws -> Int? {
    var request = URLRequest(url: try .test(path))
    request.httpMethod = method
    if !body.isEmpty { request.httpBody = Data(body.utf8) }
    request.allHTTPHeaderFields = headers
    return (try await session.data(for: request).1 as? HTTPURLResponse)?.statusCode
  }

  @Test func `requests are chosen by URL, header fields, body and condition`() async throws {
    let stubs = HTTPStubs()
    try examples.choose(stubs)
    let session = stubs.session()
    #expect(try await status(session, "GET", "/dogs/7?page=2") == 404)
    #expect(try await status(session, "GET", "/dogs", headers: ["Accept": "application/json"]) == 200)
    #expect(try await status(session, "POST", "/dogs", body: #"{ "name": "Rex" }"#) == 201)
    #expect(try await status(session, "PUT", "/x", body: String(repeating: "x", count: 1_000_001)) == 413)
    try stubs.verifyAll()
    #expect(examples.patterns().map(\.description).first == "GET /dogs")
    #expect(examples.answers().count == 2)
  }

  @Test func `the answers of the documentation arrive`() async throws {
    let stubs = HTTPStubs()
    examples.answer(stubs)
    let session = stubs.session()
    #expect(try await status(session, "GET", "/dogs") == 503)
    #expect(try await session.text("/old") == "[]")
    #expect(try await session.text("/dogs/7") == "Dog 7")
    #expect(try await status(session, "GET", "/private") == 401)
    #expect(await urlError { _ = try await session.text("/offline") }?.code == .notConnectedToInternet)
    #expect(await urlError { _ = try await session.text("/cut") }?.code == .networkConnectionLost)
  }

  @Test func `a client gets its dogs, with and without a delay`() async throws {
    let (stubs, client) = examples.makeClient()
    #expect(try await client.dogs() == [.init(name: "Rex")])
    #expect(stubs.requests.count == 1)
    try await examples.controlTime()
  }

  @Test func `requests are checked`() async throws {
    let stubs = HTTPStubs()
    stubs.when("POST /dogs", answer: .status(201))
    _ = try await status(stubs.session(), "POST", "/dogs", body: #"{"name":"Rex"}"#)
    try await examples.check(stubs)
  }

  @Test func `a recording is replayed without the server`() async throws {
    let folder = try TemporaryDirectory()
    let server = try ScriptedServer.http { _ in Reply(text: "woof") }
    let url = server.url("/dogs")
    try await examples.record(url, to: folder.file("dogs.har"))
    server.stop()
    #expect(try await examples.replay(url, from: folder.file("dogs.har")) == Data("woof".utf8))
  }
}
