import HTTPService

// The code of the documentation, as it stands there, so that it is known to compile; Retriever's `DocumentationTests`
// compares the two.
enum ServiceDocumentationExamples {
  static func serve() async throws {
    let server = try HTTPServer(configuration: HTTPServerConfiguration(address: .loopback(port: 8080)))
    try await server.run { request in
      .text("You asked for \(request.path)\n")
    }
  }
}
