import Foundation
import Retriever
import RetrieverTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StubRequestsTests {
  private let stubs = HTTPStubs()

  @Test func `a request without a stub fails with a sentence that lists the stubs, the nearest first`()
    async throws
  {
    stubs.when("POST /dogs", answer: .status(201))
    stubs.when("GET /cats/:id", answer: .status(200))
    let session = stubs.session()
    let error = try #require(await urlError { _ = try await session.text("/dogs?token=geheim") })
    #expect(error.code == .resourceUnavailable)
    #expect(
      error.localizedDescription
        == "No stub answers GET https://api.test/dogs?token=REDACTED. The other stubs are: "
        + "GET /cats/:id (the path is /dogs, not /cats/:id), POST /dogs (the method is GET, not POST).")
    #expect(stubs.unexpectedRequests.map(\.path) == ["/dogs"])
    #expect(stubsError { try stubs.verifyAll() }?.code == .unexpectedRequest)
    let empty = await urlError { _ = try await HTTPStubs().session().text("/dogs") }
    #expect(empty?.localizedDescription == "No stub answers GET https://api.test/dogs. There are no stubs.")
  }

  @Test func `verification passes, or says what came and what the nearest request lacks`() async throws {
    stubs.when(.any, answer: .status(200))
    let session = stubs.session()
    #expect(
      stubsError { try stubs.verify("GET /dogs") }?.description
        == "Expected 1 request for GET /dogs, but there was none. No request was received.")
    _ = try await session.text("/cats")
    _ = try await session.text("/dogs/7?page=3")
    try stubs.verify("GET /dogs/:id")
    try stubs.verify("GET /**", count: 2)
    try stubs.verify(.any, atLeast: 1)
    try stubs.verify("POST /**", count: 0)
    try stubs.verifyAll()
    let error = stubsError { try stubs.verify("GET /dogs/:id?page=2", count: 2) }
    #expect(error?.code == .unexpectedCount)
    #expect(
      error?.description
        == "Expected 2 requests for GET /dogs/:id?page=2, but there was none. The requests were: "
        + "GET https://api.test/cats, GET https://api.test/dogs/7?page=3. "
        + "The nearest is GET https://api.test/dogs/7?page=3: the query item page is 3, not 2.")
    let many = stubsError { try stubs.verify("GET /cats", atLeast: 2) }
    #expect(
      many?.description.hasPrefix("Expected at least 2 requests for GET /cats, but there were 1.") == true)
  }

  @Test func `a stub that answered nothing fails the verification of all`() async throws {
    let stub = stubs.when("GET /dogs", answer: .status(200))
    #expect(
      stubsError { try stubs.verifyAll() }?.description
        == "No request came for GET /dogs. No request was received.")
    _ = try await stubs.session().text("/dogs")
    try stubs.verifyAll()
    #expect(stub.requestCount == 1)
    stub.remove()
    #expect(await urlError { _ = try await stubs.session().text("/dogs") }?.code == .resourceUnavailable)
  }

  @Test func `a test waits for the nth request that matches`() async throws {
    stubs.when(.any, answer: .status(200))
    let session = stubs.session()
    let third = Task { try await stubs.request(3, matching: "/dogs/*") }
    for number in 1...3 {
      _ = try await session.text("/cats")
      _ = try await session.text("/dogs/\(number)")
    }
    #expect(try await third.value.path == "/dogs/3")
    #expect(try await stubs.request(1, matching: "/dogs/*").path == "/dogs/1")
    #expect(try await stubs.request(2).path == "/dogs/1")
    #expect(stubs.requests(matching: "/cats").count == 3)
  }

  @Test func `waiting for a request ends when its task is cancelled`() async throws {
    let waiting = Task { try await stubs.request() }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
  }

  @Test func `the kept requests and bodies are limited`() async throws {
    let stubs = HTTPStubs(limits: .init(requests: 3, bodyBytes: 10, totalBodyBytes: 25))
    stubs.when(RequestPattern.any.body(String(repeating: "x", count: 10)), answer: .text("exactly"))
    stubs.when(RequestPattern.any.matching("a long body") { $0.bodyLength > 10 }, answer: .text("long"))
    let session = stubs.session()
    var request = URLRequest(url: try .test("/"))
    request.httpMethod = "PUT"
    for (count, text) in [(10, "exactly"), (11, "long"), (30, "long"), (10, "exactly")] {
      request.httpBody = Data(repeating: UInt8(ascii: "x"), count: count)
      #expect(try await session.data(for: request).0 == Data(text.utf8))
    }
    #expect(stubs.requests.map(\.number) == [3, 4])
    #expect(stubs.requests.map(\.body.count) == [10, 10] && stubs.requests.map(\.bodyLength) == [30, 10])
    do {
      _ = try await stubs.request(1)
      Issue.record("the first request is no longer kept")
    } catch let error as StubsError {
      #expect(error.code == .forgottenRequest)
    }
  }

  @Test func `the values of a request are easy to read`() async throws {
    stubs.when(.any, answer: .status(200))
    var request = URLRequest(url: try .test("/dogs/a%20b?page=2&sort=name&page=3"))
    request.setValue("text/html", forHTTPHeaderField: "Accept")
    _ = try await stubs.session().data(for: request)
    let received = try await stubs.request()
    #expect(received.method == "GET" && received.path == "/dogs/a b" && received.number == 1)
    #expect(received.query.map(\.name) == ["page", "sort", "page"] && received.queryValue("page") == "2")
    #expect(received.value(forHTTPHeaderField: "ACCEPT") == "text/html")
    #expect(received.body.isEmpty && received.text.isEmpty)
  }
}
