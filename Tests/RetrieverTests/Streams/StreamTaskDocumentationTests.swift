#if !canImport(Darwin)
import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

/// The examples of the articles about stream tasks and uploads work as documented.
@Suite(.timeLimit(.minutes(5))) struct StreamTaskDocumentationTests {
  private let examples = DocumentationExamples()

  @Test func `a question is answered`() async throws {
    let server = try ScriptedServer { connection in
      let question = try connection.read(exactly: 6)
      try connection.send("You said ")
      try connection.send(question)
    }
    let answer = try await examples.ask("woof", host: "127.0.0.1", port: Int(server.port))
    #expect(answer == "You said woof\r\n")
  }

  @Test(arguments: [("220 go\r\n", true), ("500 no\r\n", false)])
  func `TLS starts if the server agrees`(_ reply: (String, Bool)) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.read(exactly: 10)
      try connection.send(reply.0)
      try connection.readUntilClosed()
    }
    let session = URLSession(configuration: .ephemeral)
    let task = session.streamTask(withHostName: "127.0.0.1", port: Int(server.port))
    task.resume()
    #expect(try await examples.secure(task, command: "STARTTLS") == reply.1)
    task.cancel()
  }

  @Test func `lines are sent as they come`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "ok") }
    let (lines, continuation) = AsyncStream<String>.makeStream()
    for line in ["one", "two"] { continuation.yield(line) }
    continuation.finish()
    try await examples.send(lines, to: server.url())
    #expect(server.requests.map { Data($0.body) } == [Data("one\ntwo\n".utf8)])
  }
}
#endif
