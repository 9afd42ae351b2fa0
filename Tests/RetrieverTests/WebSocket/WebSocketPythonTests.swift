#if !canImport(Darwin)
import Foundation
import Retriever
import TestSupport
import Testing

/// Exchanges messages with the server of PyPI's `websockets`, with its own compression and its own closing handshake.
@Suite(.timeLimit(.minutes(5))) struct WebSocketPythonTests {
  private static let isAvailable = PythonInterpreter.has("websockets.sync.server")

  // The server's own pings are off: it would give up on a client that gets no processor time.
  private static let program = #"""
    import socket, ssl, struct, sys
    from websockets.sync.server import serve

    def echo(connection):
        for message in connection:
            if message == "close":
                return connection.close(4000, "as you wish")
            if message == "end":
                return connection.socket.shutdown(socket.SHUT_RDWR)
            if message == "reset":
                connection.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return connection.socket.close()
            if isinstance(message, str) and message.startswith("send "):
                connection.send(b"x" * int(message[5:]))
            else:
                connection.send(message)

    context = None
    if len(sys.argv) > 1:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
    with serve(
        echo, "127.0.0.1", 0, ssl=context, subprotocols=["echo"], max_size=None, ping_interval=None
    ) as server:
        print(server.socket.getsockname()[1], flush=True)
        server.serve_forever()
    """#

  private struct Peer {
    let server: ChildProcess
    let session: URLSession
    let url: URL

    init(isSecure: Bool, compresses: Bool) throws {
      let authority = try TestAuthority.shared()
      let files = [authority.certificateFile(.valid).path, authority.keyFile(.valid).path]
      let (server, port) = try PythonInterpreter.startServer(program, isSecure ? files : [])
      self.server = server
      let configuration = URLSessionConfiguration.ephemeral
      configuration.trustedCertificates = .file(authority.authorityFile)
      configuration.compressesWebSocketMessages = compresses
      session = URLSession(configuration: configuration)
      url = try #require(URL(string: isSecure ? "wss://localhost:\(port)/" : "ws://127.0.0.1:\(port)/"))
    }

    func connect() -> URLSessionWebSocketTask {
      let task = session.webSocketTask(with: url, protocols: ["other", "echo"])
      task.maximumMessageSize = 8 << 20
      task.resume()
      return task
    }

    func stop() {
      session.invalidateAndCancel()
      server.stop()
    }
  }

  @Test(.enabled(if: isAvailable), arguments: [false, true], [false, true])
  func `messages of all sizes come back`(isSecure: Bool, compresses: Bool) async throws {
    let peer = try Peer(isSecure: isSecure, compresses: compresses)
    defer { peer.stop() }
    let task = peer.connect()
    for size in [0, 1, 31, 32, 125, 126, 65_535, 65_536, 70_000, 1_100_000] {
      let data = Data.pattern(count: size)
      try await task.send(.data(data))
      #expect(try await task.receive().data == data)
      let text = String(repeating: "häuser", count: size / 7)
      try await task.send(.string(text))
      #expect(try await task.receive().text?.utf8.elementsEqual(text.utf8) == true)
    }
    try await task.sendPing()
    try await task.send(.string("close"))
    await #expect(throws: URLError.self) { _ = try await task.receive() }
    #expect(task.closeCode.rawValue == 4000)
    #expect(task.closeReason == Data("as you wish".utf8))
  }

  private enum Ending: CaseIterable {
    case server, client, both, end, reset, cancel, unread, afterUnread
  }

  /// Ends a connection in one of several ways. Returns when the task is complete.
  private func end(_ task: URLSessionWebSocketTask, _ ending: Ending) async throws {
    switch ending {
    case .server: try await task.send(.string("close"))
    case .client: task.cancel(with: .normalClosure, reason: Data("done".utf8))
    case .both:
      try await task.send(.string("close"))
      task.cancel(with: .normalClosure, reason: nil)
    case .end: try await task.send(.string("end"))
    case .reset: try await task.send(.string("reset"))
    case .cancel: task.cancel()
    case .unread:
      for _ in 0..<5 { try await task.send(.string("send 300000")) }
      task.cancel(with: .normalClosure, reason: nil)
    case .afterUnread:
      for _ in 0..<5 { try await task.send(.string("send 300000")) }
      try await task.send(.string("close"))
      for _ in 0..<5 { #expect(try await task.receive().data?.count == 300_000) }
    }
    if [.server, .end, .reset, .afterUnread].contains(ending) {
      await #expect(throws: URLError.self) { _ = try await task.receive() }
    }
    #expect(await eventually { task.state == .completed }, "\(ending)")
  }

  @Test(.enabled(if: isAvailable), arguments: [false, true])
  func `connections end in every way, again and again`(isSecure: Bool) async throws {
    let peer = try Peer(isSecure: isSecure, compresses: true)
    defer { peer.stop() }
    for _ in 0..<5 {
      for ending in Ending.allCases {
        let task = peer.connect()
        try await task.send(.string("woof"))
        #expect(try await task.receive().text == "woof")
        try await task.sendPing()
        try await end(task, ending)
        switch ending {
        case .server, .afterUnread:
          #expect(task.closeCode.rawValue == 4000 && task.error == nil, "\(ending)")
        case .end, .reset: #expect((task.error as? URLError)?.code == .networkConnectionLost, "\(ending)")
        case .cancel: #expect((task.error as? URLError)?.code == .cancelled)
        case .client, .both, .unread: break
        }
      }
    }
  }
}
#endif
