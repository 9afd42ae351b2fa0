#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// The `Content-Type` of a request that does not set it.
@Suite(.timeLimit(.minutes(5))) struct RequestContentTypeTests {
  private let form = "application/x-www-form-urlencoded"

  private func contentType(
    method: String = "POST", _ change: (inout URLRequest) -> Void
  ) async throws -> String? {
    let server = try ScriptedServer.http { _ in Reply() }
    var request = URLRequest(url: server.url())
    request.httpMethod = method
    change(&request)
    _ = try await URLSession.forTest().data(for: request)
    return try #require(server.requests.first)["Content-Type"]
  }

  @Test func `a POST with data is a form`() async throws {
    #expect(try await contentType { $0.httpBody = Data("a=1".utf8) } == form)
  }

  @Test func `a POST with empty data has no type`() async throws {
    #expect(try await contentType { $0.httpBody = Data() } == nil)
  }

  @Test func `a POST from a stream is a form`() async throws {
    #expect(try await contentType { $0.httpBodyStream = InputStream(data: Data("a=1".utf8)) } == form)
  }

  @Test func `a type that the request names is sent`() async throws {
    let type = try await contentType {
      $0.httpBodyStream = InputStream(data: Data("a".utf8))
      $0.setValue("text/plain", forHTTPHeaderField: "Content-Type")
    }
    #expect(type == "text/plain")
  }

  @Test func `a type that the configuration names is the only one`() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    request.httpBody = Data("{}".utf8)
    let session = URLSession.forTest { $0.httpAdditionalHeaders = ["content-type": "application/json"] }
    _ = try await session.data(for: request)
    let fields = try #require(server.requests.first).fields
    let types = fields.filter { $0.name.lowercased() == "content-type" }.map(\.value)
    #expect(types == ["application/json"])
  }

  @Test func `a body of another method has no type`() async throws {
    #expect(try await contentType(method: "PUT") { $0.httpBody = Data("a".utf8) } == nil)
    let stream = try await contentType(method: "PUT") {
      $0.httpBodyStream = InputStream(data: Data("a".utf8))
    }
    #expect(stream == nil)
  }

  @Test func `an upload has no type of its own`() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    _ = try await URLSession.forTest().upload(for: request, from: Data("a".utf8))
    #expect(try #require(server.requests.first)["Content-Type"] == nil)
  }
}
#endif
