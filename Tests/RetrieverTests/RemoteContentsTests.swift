#if !canImport(Darwin)
import Foundation
import Retriever
import TestSupport
import Testing

/// The initializers of Foundation that wait for the content of a URL.
@Suite struct RemoteContentsTests {
  /// Calls a blocking initializer on a thread of its own.
  private static func load<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws
    -> Value
  {
    try await runOnThread { try body() }
  }

  @Test func `data and a string are loaded from an http URL`() async throws {
    let server = try ScriptedServer.http { Reply(text: "woof \($0.target)") }
    let url = server.url("/a")
    #expect(try await Self.load { try Data(contentsOf: url) } == Data("woof /a".utf8))
    #expect(try await Self.load { try String(contentsOf: url, encoding: .utf8) } == "woof /a")
  }

  @Test func `a status that is not a success is an error that names the status`() async throws {
    let server = try ScriptedServer.http { _ in Reply(404, text: "no") }
    let url = server.url("/missing")
    let error = await #expect(throws: CocoaError.self) { try await Self.load { try Data(contentsOf: url) } }
    #expect(error?.code == .fileReadUnknown && error?.url == url)
    let underlying = error?.underlying as? URLError
    #expect(underlying?.code == .badServerResponse)
    #expect(underlying?.localizedDescription.contains("status 404") == true)
  }

  @Test func `a server that cannot be reached is an error with its cause`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "") }
    let url = server.url()
    server.stop()
    let error = await #expect(throws: CocoaError.self) { try await Self.load { try Data(contentsOf: url) } }
    #expect((error?.underlying as? URLError)?.code == .cannotConnectToHost)
  }

  @Test func `content is loaded on the delegate queue of another session`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.target) }
    let session = URLSession(configuration: .ephemeral)
    let inner = server.url("/inner")
    let text: String? = await withCheckedContinuation { continuation in
      session.dataTask(with: server.url("/outer")) { _, _, _ in
        continuation.resume(returning: try? String(contentsOf: inner, encoding: .utf8))
      }.resume()
    }
    #expect(text == "/inner")
    session.invalidateAndCancel()
  }

  @Test func `more tasks than processors may wait for content`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.target) }
    let url = server.url("/x")
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<32 { group.addTask { try String(contentsOf: url, encoding: .utf8) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(texts.count == 32 && texts.allSatisfy { $0 == "/x" })
  }
}
#endif
