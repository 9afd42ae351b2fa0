import Foundation
import HTTPService
import Retriever
import TestSupport
import Testing

/// The documentation's examples work as documented.
@Suite(.timeLimit(.minutes(5))) struct DocumentationTests {
  private let examples = ServiceDocumentationExamples()

  @Test func `the example server answers requests until its task is cancelled`() async throws {
    let folder = try TemporaryDirectory()
    let path = folder.path("greetings")
    let serving = Task { try await serveGreetings(on: .unixSocket(path: path)) }
    let configuration = Retriever.URLSessionConfiguration.ephemeral
    configuration.unixSocketPath = path
    let session = Retriever.URLSession(configuration: configuration)
    let url = try #require(URL(string: "http://localhost/?name=Rex"))
    #expect(await eventually { (try? await session.data(from: url)) != nil })
    let (data, _) = try await session.data(from: url)
    #expect(String(decoding: data, as: UTF8.self) == "Hello, Rex!\n")
    session.invalidateAndCancel()
    serving.cancel()
    try await serving.value
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `the example handler distinguishes methods and paths`() async throws {
    func status(_ method: HTTPMethod, _ target: String) async throws -> HTTPStatus {
      try await examples.answer(HTTPRequest(method: method, target: target)).status
    }
    #expect(try await examples.postDog().status == .created)
    #expect(try await status(.get, "/") == .ok)
    #expect(try await status(.post, "/dogs") == .badRequest)
    #expect(try await status(.delete, "/") == .methodNotAllowed)
    #expect(try await status(.get, "/dogs") == .methodNotAllowed)
    #expect(try await status(.get, "/cats") == .notFound)
    #expect(examples.redirectToDogs().fields["location"] == "/dogs")
  }

  @Test func `a request body is read in pieces`() async throws {
    try await withServer(handler: examples.countLines) { server in
      let text = try await exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\na\nb\n", server)
      #expect(text == "2\n")
    }
  }

  @Test func `the example that waits for a shutdown stops its server`() async throws {
    let server = try HTTPServer()
    let (shutdown, continuation) = AsyncStream.makeStream(of: Void.self)
    let serving = Task { try await examples.serve(server, until: shutdown) }
    #expect(try await exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n", server) == "Hello, world!\n")
    continuation.yield()
    try await serving.value
    #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
  }

  @Test func `stopping the server ends the example stream`() async throws {
    try await withServer(handler: { _ in examples.countForever() }) { server in
      let client = try RawClient(port: server.port)
      let first = try await client.blocking { client in
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.readHead()
        return try client.readChunk()
      }
      #expect(String(decoding: first, as: UTF8.self) == "data: 1\n\n")
      await server.stop(within: .seconds(30))
      let end = try await client.blocking { try $0.readToEnd() }
      #expect(String(decoding: end, as: UTF8.self).hasSuffix("0\r\n\r\n"))
    }
  }

  @Test func `a client with the current version gets 304`() async throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write(Data("a photo".utf8), to: "photo.jpg")
    let complete = try examples.photo(at: file.path, for: HTTPRequest(target: "/"))
    #expect(complete.status == .ok && complete.fields["Cache-Control"] == "max-age=3600")
    let tag = try #require(complete.fields["ETag"])
    let known = try HTTPRequest(target: "/", fields: ["If-None-Match": tag])
    #expect(try examples.photo(at: file.path, for: known).status == .notModified)

    let dogs = [ServiceDocumentationExamples.Dog(name: "Rex", age: 5)]
    let second = try HTTPRequest(target: "/", fields: ["If-None-Match": "\"dogs-2\""])
    #expect(try examples.list(dogs, version: 2, for: second).status == .notModified)
    #expect(try examples.list(dogs, version: 3, for: second).status == .ok)
  }

  @Test func `the example configuration answers refused requests with JSON`() async throws {
    try await withServer(
      {
        $0 = examples.makeConfiguration()
        $0.address = .loopback()
        $0.onAccess = nil
      }, handler: examples.answer
    ) { server in
      let text = try await exchange("DELETE / HTTP/1.1\r\nHost: a\r\n\r\n", server)
      #expect(text == "{\"status\":501}\n")
    }
  }

  @Test func `the example reads the certificate and the key from files`() throws {
    let folder = try TemporaryDirectory()
    let certificate = try folder.write(Data("certificate".utf8), to: "cert.pem")
    let key = try folder.write(Data("key".utf8), to: "key.pem")
    let tls = try examples.makeSecureConfiguration(certificate: certificate, key: key).tls
    #expect(tls?.certificateChain == "certificate" && tls?.privateKey == "key")
  }

  /// Sends a request and returns the body of the response.
  private func exchange(_ request: String, _ server: HTTPServer) async throws -> String {
    try await RawClient(port: server.port).blocking { client in
      try client.send(request)
      return try client.readResponse().text
    }
  }
}
