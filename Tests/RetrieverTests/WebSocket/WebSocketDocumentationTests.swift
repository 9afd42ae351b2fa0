#if !canImport(Darwin)
import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

/// The examples of the article about WebSocket work as documented.
@Suite(.timeLimit(.minutes(5))) struct WebSocketDocumentationTests {
  private let examples = DocumentationExamples()

  @Test func `words are sent and answered`() async throws {
    let server = try ScriptedServer.webSocket { try $0.echoFrames() }
    #expect(try await examples.shout(["sit", "stay"], at: server.webSocketURL) == ["sit", "stay"])
  }

  @Test func `text is followed until the server closes the connection`() async throws {
    let server = try ScriptedServer.webSocket("Sec-WebSocket-Protocol: dogs.v1\r\n") { connection in
      for word in ["one", "two"] { try connection.send(TestFrame.text(word)) }
      try connection.send(TestFrame.close(1000))
      try connection.readUntilClosed()
    }
    let seen = Mutex<[String]>([])
    try await examples.follow(server.webSocketURL) { text in seen.withLock { $0.append(text) } }
    #expect(seen.withLock { $0 } == ["one", "two"])
  }

  @Test func `a ping shows whether the server is alive`() async throws {
    let server = try ScriptedServer.webSocket { try $0.echoFrames() }
    let session = URLSession(configuration: .ephemeral)
    let task = session.webSocketTask(with: server.webSocketURL)
    task.resume()
    #expect(await examples.isAlive(task))
    task.cancel()
    #expect(await examples.isAlive(task) == false)
  }
}
#endif
