import Foundation
import Retriever
import RetrieverTesting
import Testing

// The documentation's examples, copied exactly so that the compiler checks them. A test compares the two.

struct DogClient: Sendable {
  struct Dog: Codable, Equatable {
    var name: String
  }

  var session = URLSession.shared

  func dogs() async throws -> [Dog] {
    let url = URL(string: "https://api.example.com/dogs")!
    let (data, response) = try await session.data(from: url)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
    return try JSONDecoder().decode([Dog].self, from: data)
  }
}

struct DocumentationExamples {
  typealias Dog = DogClient.Dog

  @Test func `a list of dogs is loaded`() async throws {
    let stubs = HTTPStubs()
    stubs.when("GET /dogs", answer: .json(text: #"[{"name": "Rex"}]"#))
    let client = DogClient(session: stubs.session())
    #expect(try await client.dogs().map(\.name) == ["Rex"])
    try stubs.verify("GET /dogs")
  }

  func choose(_ stubs: HTTPStubs) throws {
    stubs.when("GET /dogs/:id?page=2", answer: .status(404))
    stubs.when(RequestPattern.get("/dogs").header("Accept", "application/*"), answer: .json(text: "[]"))
    try stubs.when(RequestPattern.post("/dogs").jsonBody(Dog(name: "Rex")), answer: .status(201))
    stubs.when(
      RequestPattern.any.matching("a large body") { $0.bodyLength > 1_000_000 }, answer: .status(413))
  }

  func answer(_ stubs: HTTPStubs) {
    // One answer after the other. The last one is repeated.
    stubs.when("GET /dogs", answers: [.status(503), .json(text: "[]")])
    // A function of the request.
    stubs.when("GET /dogs/:id") { request in
      .text("Dog \(request.parameters["id"] ?? "")")
    }
    stubs.when("GET /old", answer: .redirect(to: "/dogs"))
    stubs.when("GET /private", answer: .text("woof").requiringBasic(user: "ada", password: "biscuit"))
    // Faults.
    stubs.when("GET /offline", answer: .failure(.notConnectedToInternet))
    stubs.when("GET /cut", answer: .data(Data(count: 1000)).losingConnection(afterBytes: 600))
  }

  func patterns() -> [RequestPattern] {
    let dogs: RequestPattern = "GET /dogs"
    let dog: RequestPattern = "https://api.example.com/dogs/:id"
    let page: RequestPattern = "GET https://*.example.com/**?page=2"
    return [dogs, dog, page]
  }

  func answers() -> [StubAnswer] {
    let slow = StubAnswer.text("woof").after(.seconds(2))
    let interrupted = StubAnswer.data(Data(count: 1000)).losingConnection(afterBytes: 600)
    return [slow, interrupted]
  }

  func makeClient() -> (HTTPStubs, DogClient) {
    let stubs = HTTPStubs()
    stubs.when("GET /dogs", answer: .json(text: #"[{"name": "Rex"}]"#))
    let client = DogClient(session: stubs.session())
    return (stubs, client)
  }

  func controlTime() async throws {
    let clock = ManualClock()
    let stubs = HTTPStubs(clock: clock)
    stubs.when("GET /dogs", answer: .json(text: "[]").after(.seconds(30)))
    let client = DogClient(session: stubs.session())
    async let dogs = client.dogs()
    _ = try await stubs.request()
    clock.advance(by: .seconds(30))
    #expect(try await dogs.isEmpty)
  }

  func check(_ stubs: HTTPStubs) async throws {
    let request = try await stubs.request(1, matching: "POST /dogs")
    #expect(try request.decode(Dog.self) == Dog(name: "Rex"))
    try stubs.verify("POST /dogs")
    try stubs.verify("DELETE /**", count: 0)
    try stubs.verifyAll()
  }

  func record(_ url: URL, to file: URL) async throws {
    let stubs = HTTPStubs()
    let recording = stubs.record("GET http://127.0.0.1:*/**")
    _ = try await stubs.session().data(from: url)
    try recording.write(to: file)
  }

  func replay(_ url: URL, from file: URL) async throws -> Data {
    let stubs = HTTPStubs()
    try stubs.replay(file, order: .strict)
    let (data, _) = try await stubs.session().data(from: url)
    try stubs.verifyAll()
    return data
  }
}
