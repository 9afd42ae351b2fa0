import Foundation
import HTTPService
import Retriever
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
  @Test func aSessionKeepsItsConnection() async throws {
    // The test counts sockets, so it needs its own process.
    await #expect(processExitsWith: .success) {
      try await withServer(handler: { .text("\($0.path) \($0.query("q") ?? "-")") }) { server in
        let session = Retriever.URLSession(configuration: .ephemeral)
        let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/a%20b?q=1+2"))
        let before = ResourceSnapshot.take()
        for _ in 0..<20 {
          let (data, response) = try await session.data(from: url)
          #expect((response as? HTTPURLResponse)?.statusCode == 200)
          #expect(String(decoding: data, as: UTF8.self) == "/a b 1 2")
        }
        // Both ends of a connection are in this process.
        #expect(ResourceSnapshot.take().since(before).sockets <= 4)
      }
    }
  }

  @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
    try await withServer(handler: { .text($0.path) }) { server in
      let client = try RawClient(port: server.port)
      let texts = try await client.blocking { client in
        try client.send((0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
        return try (0..<50).map { _ in try client.readResponse().text }
      }
      #expect(texts == (0..<50).map { "/\($0)" })
    }
  }

  @Test func `whitespace around a field value is removed`() async throws {
    try await withServer(handler: { .text("[\($0.fields["Host"] ?? "-")][\($0.fields["X-Empty"] ?? "-")]") })
    { server in
      let client = try RawClient(port: server.port)
      let text = try await client.blocking { client in
        try client.send("GET / HTTP/1.1\r\nHost: \t a b \t \r\nX-Empty:  \r\n\r\n")
        return try client.readResponse().text
      }
      #expect(text == "[a b][]")
    }
  }

  @Test func `a client without keep-alive gets a response and the end of the connection`() async throws {
    try await withServer(handler: { _ in .text("old") }) { server in
      let client = try RawClient(port: server.port)
      let text = try await client.blocking { client in
        try client.send("GET / HTTP/1.0\r\n\r\n")
        return String(decoding: try client.readToEnd(), as: UTF8.self)
      }
      #expect(text.hasSuffix("\r\n\r\nold"))
    }
  }

  @Test func aUnixSocketServes() async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("server.sock")
    let server = try HTTPServer(configuration: .init(address: .unixSocket(path: path)))
    #expect(server.port == 0)
    try server.start { .text($0.remoteAddress) }
    let output = try await runOnThread {
      try ChildProcess.run(["curl", "-s", "-m", "30", "--unix-socket", path, "http://local/"])
    }
    #expect(output == "unix")
    await server.stop(within: .zero)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `listening on a port in use is an error`() async throws {
    let first = try HTTPServer(configuration: .patient)
    let error = #expect(throws: HTTPServerError.self) {
      try HTTPServer(configuration: .init(address: .loopback(port: first.port)))
    }
    #expect(error?.code == .cannotListen)
  }
}
