import Foundation
import HTTPService

func serveGreetings(on address: HTTPServerConfiguration.Address) async throws {
  let server = try HTTPServer(configuration: HTTPServerConfiguration(address: address))
  try await server.run { request in
    .text("Hello, \(request.query("name") ?? "world")!\n")
  }
}

/// The code examples of the documentation, copied exactly so that the compiler checks them. `DocumentationTests` runs
/// them. Retriever's `DocumentationTests` checks that they are identical to the documentation.
struct ServiceDocumentationExamples {
  func serve() async throws {
    let server = try HTTPServer(configuration: HTTPServerConfiguration(address: .loopback(port: 8080)))
    try await server.run { request in
      .text("You asked for \(request.path)\n")
    }
  }

  func answer(_ request: HTTPRequest) async throws -> HTTPResponse {
    switch (request.method, request.pathSegments) {
    case (.get, []), (.head, []):
      return .text("Hello, \(request.query("name") ?? "world")!\n")
    case (.post, ["dogs"]):
      return try await addDog(request)
    case (_, []):
      return .methodNotAllowed(allowing: [.get, .head])
    case (_, ["dogs"]):
      return .methodNotAllowed(allowing: [.post])
    default:
      return .text("Nothing here.\n", status: .notFound)
    }
  }

  struct Dog: Codable {
    var name: String
    var age: Int
  }

  func addDog(_ request: HTTPRequest) async throws -> HTTPResponse {
    let body = try await request.body.collectedBody(upTo: 64 * 1024)
    guard let dog = try? JSONDecoder().decode(Dog.self, from: body) else {
      return .text("The body is not a dog.\n", status: .badRequest)
    }
    return .text("\(dog.name) is \(dog.age) years old.\n", status: .created)
  }

  func countLines(_ request: HTTPRequest) async throws -> HTTPResponse {
    var count = 0
    for try await piece in request.body {
      count += piece.count { $0 == UInt8(ascii: "\n") }
    }
    return .text("\(count)\n")
  }

  func redirectToDogs() -> HTTPResponse {
    HTTPResponse(status: .seeOther, fields: ["Location": "/dogs", "Cache-Control": "no-store"])
  }

  func countForever() -> HTTPResponse {
    HTTPResponse(
      fields: ["Content-Type": "text/event-stream"],
      body: .stream(endsWhenStopping: true) { writer in
        for number in 1... {
          try await writer.write("data: \(number)\n\n")
          try await Task.sleep(for: .seconds(1))
        }
      })
  }

  func photo(at path: String, for request: HTTPRequest) throws -> HTTPResponse {
    try .file(
      at: path, for: request, contentType: "image/jpeg", fields: ["Cache-Control": "max-age=3600"])
  }

  func list(_ dogs: [Dog], version: Int, for request: HTTPRequest) throws -> HTTPResponse {
    let data = try JSONEncoder().encode(dogs)
    let tag = EntityTag("dogs-\(version)")
    return .content(data, for: request, contentType: "application/json", entityTag: tag)
  }

  func makeConfiguration() -> HTTPServerConfiguration {
    var configuration = HTTPServerConfiguration(address: .ip("0.0.0.0", port: 8080))
    configuration.limits.maximumBodySize = 1024 * 1024
    configuration.limits.maximumIdleTime = .seconds(20)
    configuration.methods = [.get, .head, .post]
    configuration.refusalResponse = { refusal in
      .text("{\"status\":\(refusal.status)}\n", contentType: "application/json", status: refusal.status)
    }
    configuration.onAccess = { entry in
      print(entry.remoteAddress, entry.method, entry.path, entry.status?.description ?? "no response")
    }
    configuration.onError = { failure in
      print("\(failure.method) \(failure.path) failed: \(failure.error)")
    }
    return configuration
  }

  func makeSecureConfiguration(certificate: URL, key: URL) throws -> HTTPServerConfiguration {
    let tls = HTTPServerConfiguration.TLS(
      certificateChain: try String(contentsOf: certificate, encoding: .utf8),
      privateKey: try String(contentsOf: key, encoding: .utf8))
    return HTTPServerConfiguration(address: .ip("0.0.0.0", port: 8443), tls: tls)
  }

  func serve(_ server: HTTPServer, until shutdown: AsyncStream<Void>) async throws {
    try server.start(handler: answer)
    for await _ in shutdown { break }
    await server.stop(within: .seconds(5))
  }

  func postDog() async throws -> HTTPResponse {
    let body = #"{"name":"Rex","age":5}"#
    let request = try HTTPRequest(method: .post, target: "/dogs", body: Array(body.utf8))
    let response = try await answer(request)
    return response
  }
}
