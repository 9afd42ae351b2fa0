import Foundation
import Retriever
import RetrieverTesting
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StubAnswerTests {
  struct Dog: Codable, Equatable {
    var name: String
  }

  @Test func `a response has its status, header fields and body`() async throws {
    let stubs = HTTPStubs()
    stubs.when("/text", answer: .text("woof", status: 201, headers: ["X-Dog": "Rex"]).header("X-Dog", "Momo"))
    try stubs.when("/json", answer: .json([Dog(name: "Rex")]))
    let session = stubs.session()
    let (data, response) = try await session.data(from: .test("/text"))
    let http = try #require(response as? HTTPURLResponse)
    #expect(data == Data("woof".utf8) && http.statusCode == 201)
    #expect(http.value(forHTTPHeaderField: "x-dog") == "Rex, Momo")
    #expect(http.mimeType == "text/plain" && http.textEncodingName == "utf-8")
    #expect(http.expectedContentLength == 4)
    let json = try await session.data(from: .test("/json"))
    #expect(try JSONDecoder().decode([Dog].self, from: json.0) == [Dog(name: "Rex")])
    #expect(json.1.mimeType == "application/json")
  }

  @Test func `a file is delivered completely, with the type of its name`() async throws {
    let folder = try TemporaryDirectory()
    let content = Data.pattern(count: 300_000)
    let stubs = HTTPStubs()
    stubs.when("/file", answer: .file(try folder.write(content, to: "dog.jpeg")))
    stubs.when("/missing", answer: .file(folder.file("none")))
    let session = stubs.session()
    let (data, response) = try await session.data(from: .test("/file"))
    #expect(difference(data, content) == nil)
    #expect(response.mimeType == "image/jpeg" && response.expectedContentLength == 300_000)
    let error = await urlError { _ = try await session.data(from: .test("/missing")) }
    #expect(error?.code == .cannotOpenFile)
  }

  @Test func `answers follow each other, and the last one is repeated or not`() async throws {
    let stubs = HTTPStubs()
    let session = stubs.session()
    stubs.when("/once", answer: .text("first"))
    stubs.when("/once", answer: .text("second"), times: 2)
    stubs.when("/list", answers: [.status(503), .status(200)])
    stubs.when("/end", answers: [.status(204)], repeatsLast: false)
    #expect(try await session.text("/once") == "second")
    #expect(try await session.text("/once") == "second")
    #expect(try await session.text("/once") == "first")
    for status in [503, 200, 200] { #expect(try await session.status("/list") == status) }
    #expect(try await session.status("/end") == 204)
    let error = await urlError { _ = try await session.status("/end") }
    #expect(error?.localizedDescription.contains("All answers of ANY /end have been used.") == true)
  }

  @Test func `a closure answers with the request, and its error is the error of the load`() async throws {
    struct Refused: Error {}
    let stubs = HTTPStubs()
    stubs.when("POST /dogs/:id") { request in
      let dog: Dog = try request.decode()
      return .text("\(request.parameters["id"] ?? "none") \(dog.name) \(request.number)")
    }
    stubs.when("/refused") { _ in throw Refused() }
    let session = stubs.session()
    var request = URLRequest(url: try .test("/dogs/7"))
    request.httpMethod = "POST"
    request.httpBody = try JSONEncoder().encode(Dog(name: "Rex"))
    #expect(try await session.data(for: request).0 == Data("7 Rex 1".utf8))
    #expect(stubs.requests.map(\.parameters) == [["id": "7"]])
    #expect(stubs.requests(matching: "POST /:kind/**").map(\.parameters) == [["kind": "dogs"]])
    #expect(try await stubs.request(matching: "/dogs/:number").parameters == ["number": "7"])
    #expect(stubs.requests(matching: .any.matching("no name") { !$0.parameters.isEmpty }).isEmpty)
    await #expect(throws: Refused.self) { try await session.data(from: .test("/refused")) }
  }

  @Test func `a redirect leads to another stub`() async throws {
    let stubs = HTTPStubs()
    stubs.when("/old", answer: .redirect(to: "/new"))
    stubs.when("POST /form", answer: .redirect(to: "https://other.test/done", status: 303))
    stubs.when("POST /kept", answer: .redirect(to: "/target", status: 307))
    stubs.when("POST /target") { .text("target \($0.text)") }
    stubs.when("GET /new", answer: .text("new"))
    stubs.when("GET https://other.test/done", answer: .text("done"))
    let session = stubs.session()
    let (data, response) = try await session.data(from: .test("/old"))
    #expect(data == Data("new".utf8) && response.url?.path == "/new")
    for (path, text) in [("/form", "done"), ("/kept", "target woof")] {
      var request = URLRequest(url: try .test(path))
      request.httpMethod = "POST"
      request.httpBody = Data("woof".utf8)
      #expect(try await session.data(for: request).0 == Data(text.utf8))
    }
    #expect(stubs.requests.map(\.path) == ["/old", "/new", "/form", "/done", "/kept", "/target"])
  }

  @Test func `a delegate refuses a redirect and gets its response`() async throws {
    final class Refusing: NSObject, URLSessionTaskDelegate {
      func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest
      ) async -> URLRequest? { nil }
    }
    let stubs = HTTPStubs()
    stubs.when("/old", answer: .redirect(to: "/new"))
    let (_, response) = try await stubs.session().data(from: .test("/old"), delegate: Refusing())
    #expect((response as? HTTPURLResponse)?.statusCode == 302)
    #expect(stubs.requests.count == 1)
  }

  @Test func `faults arrive as URLError with the URL`() async throws {
    let stubs = HTTPStubs()
    stubs.when("/offline", answer: .failure(.notConnectedToInternet))
    stubs.when("/lost", answer: .data(Data(count: 1000)).losingConnection(afterBytes: 600))
    let session = stubs.session()
    let offline = await urlError { _ = try await session.text("/offline") }
    #expect(offline?.code == .notConnectedToInternet)
    #expect(try offline?.failingURL == .test("/offline"))
    let lost = await urlError { _ = try await session.text("/lost") }
    #expect(lost?.code == .networkConnectionLost)
    let (bytes, response) = try await session.bytes(from: .test("/lost"))
    #expect(response.expectedContentLength == 1000)
    var count = 0
    let error = await urlError { for try await _ in bytes { count += 1 } }
    #expect(count == 600 && error?.code == .networkConnectionLost)
  }

  @Test func `a HEAD request gets no body, but its length`() async throws {
    let stubs = HTTPStubs()
    stubs.when("HEAD /dogs", answer: .text("woof"))
    var request = URLRequest(url: try .test("/dogs"))
    request.httpMethod = "HEAD"
    let (data, response) = try await stubs.session().data(for: request)
    #expect(data.isEmpty)
    #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Length") == "4")
  }

  @Test func `cookies of answers are stored, and sent with the next request`() async throws {
    let stubs = HTTPStubs()
    stubs.when(
      "/sign-in", answer: .status(200).header("Set-Cookie", "a=1").header("Set-Cookie", "b=2; Path=/"))
    stubs.when("/dogs") { .text($0.value(forHTTPHeaderField: "cookie") ?? "none") }
    let session = stubs.session()
    #expect(try await session.text("/dogs") == "none")
    _ = try await session.text("/sign-in")
    #expect(try await session.text("/dogs").split(separator: "; ").sorted() == ["a=1", "b=2"])
  }

  @Test func `a request has the additional header fields of the session`() async throws {
    let stubs = HTTPStubs()
    stubs.when(RequestPattern.get("/dogs").header("Authorization", "Bearer x"), answer: .text("woof"))
    let configuration = stubs.configuration()
    configuration.httpAdditionalHeaders = ["Authorization": "Bearer x"]
    #expect(try await URLSession(configuration: configuration).text("/dogs") == "woof")
  }
}
