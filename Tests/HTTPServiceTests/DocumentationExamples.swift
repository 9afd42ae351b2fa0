import HTTPService

// The code examples of the documentation, to check that they compile. Retriever's `DocumentationTests` checks that they
// are identical to the documentation.
enum ServiceDocumentationExamples {
  static func serve() async throws {
    let server = try HTTPServer(configuration: HTTPServerConfiguration(address: .loopback(port: 8080)))
    try await server.run { request in
      .text("You asked for \(request.path)\n")
    }
  }
}
