#if !canImport(Darwin)
import Foundation
import Retriever
import TestSupport
import Testing

/// Exchanges messages with the server of PyPI's `websockets`, with its own compression.
@Suite(.timeLimit(.minutes(1))) struct WebSocketPythonTests {
  private static let isAvailable: Bool = {
    guard let python = PythonInterpreter.prepared else { return false }
    return (try? ChildProcess.run([python, "-c", "import websockets.sync.server"])) != nil
  }()

  private static let program = #"""
    import ssl, sys
    from websockets.sync.server import serve

    def echo(connection):
        for message in connection:
            if message == "close":
                connection.close(4000, "as you wish")
                return
            connection.send(message)

    context = None
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    with serve(echo, "127.0.0.1", 0, ssl=context, subprotocols=["echo"], max_size=None) as server:
        print(server.socket.getsockname()[1], flush=True)
        server.serve_forever()
    """#

  @Test(.enabled(if: isAvailable), arguments: [false, true], [false, true])
  func `messages of all sizes come back`(isSecure: Bool, compresses: Bool) async throws {
    let authority = try TestAuthority.shared()
    let files = [authority.certificateFile(.valid).path, authority.keyFile(.valid).path]
    let server = try ChildProcess(
      [try #require(PythonInterpreter.prepared), "-c", Self.program] + (isSecure ? files : []),
      isConversing: true)
    defer { server.stop() }
    let port = try #require(server.readLine(within: .seconds(30)))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.trustedCertificates = .file(authority.authorityFile)
    configuration.compressesWebSocketMessages = compresses
    let session = URLSession(configuration: configuration)
    let url = try #require(URL(string: isSecure ? "wss://localhost:\(port)/" : "ws://127.0.0.1:\(port)/"))
    let task = session.webSocketTask(with: url, protocols: ["other", "echo"])
    task.maximumMessageSize = 8 << 20
    task.resume()
    for size in [0, 1, 31, 32, 125, 126, 65_535, 65_536, 70_000, 1 << 20, 5_000_000] {
      let data = Data.pattern(count: size)
      try await task.send(.data(data))
      #expect(try await task.receive().data == data)
      let text = String(repeating: "häuser", count: size / 7)
      try await task.send(.string(text))
      #expect(try await task.receive().text == text)
    }
    try await task.sendPing()
    try await task.send(.string("close"))
    await #expect(throws: URLError.self) { _ = try await task.receive() }
    #expect(task.closeCode.rawValue == 4000)
    #expect(task.closeReason == Data("as you wish".utf8))
    session.invalidateAndCancel()
  }
}
#endif
