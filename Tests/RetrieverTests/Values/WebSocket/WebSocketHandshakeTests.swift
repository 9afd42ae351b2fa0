#if !canImport(Darwin)
import Foundation
import Testing

@testable import Retriever

@Suite struct WebSocketHandshakeTests {
  private let handshake = WebSocketHandshake(
    key: "dGhlIHNhbXBsZSBub25jZQ==", subprotocols: ["chat", "superchat"], offersCompression: true)

  private func agree(
    _ changes: [(String, String?)] = [], status: Int = 101, version: String = "HTTP/1.1",
    _ handshake: WebSocketHandshake? = nil
  ) -> Result<WebSocketHandshake.Agreement, WebSocketFailure> {
    var fields = HeaderFields()
    fields.add("websocket", for: "Upgrade")
    fields.add("Upgrade", for: "Connection")
    fields.add("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", for: "Sec-WebSocket-Accept")
    for (name, value) in changes {
      if let value { fields.add(value, for: name) } else { fields.remove(name) }
    }
    return Result { () throws(WebSocketFailure) in
      try (handshake ?? self.handshake).agreement(status: status, version: version, fields: fields)
    }
  }

  private func isRefused(_ changes: [(String, String?)], status: Int = 101, version: String = "HTTP/1.1")
    -> Bool
  {
    if case .failure = agree(changes, status: status, version: version) { true } else { false }
  }

  @Test func `SHA-1 agrees with published examples`() {
    func digest(_ text: String) -> String {
      SHA1.digest(Array(text.utf8)).map { String(format: "%02x", $0) }.joined()
    }
    #expect(digest("") == "da39a3ee5e6b4b0d3255bfef95601890afd80709")
    #expect(digest("abc") == "a9993e364706816aba3e25717850c26c9cd0d89d")
    let two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
    #expect(digest(two) == "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
    #expect(digest(String(repeating: "a", count: 1000)) == "291e9a6c66994949b57ba5e650361e98fc36b1ba")
  }

  @Test func `the example of RFC 6455 is accepted`() throws {
    #expect(WebSocketHandshake.accept(for: handshake.key) == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    #expect(try agree().get() == .init())
    #expect(try agree([("Sec-WebSocket-Protocol", "chat")]).get().subprotocol == "chat")
    #expect(
      try agree([
        ("Connection", nil), ("Connection", "keep-alive, upgrade"), ("Upgrade", nil),
        ("Upgrade", "WebSocket"),
      ]).get() == .init())
  }

  @Test func `each request has its own key of 16 bytes`() {
    let keys = (0..<100).map { _ in WebSocketHandshake(subprotocols: [], offersCompression: false).key }
    #expect(Set(keys).count == 100)
    #expect(keys.allSatisfy { Data(base64Encoded: $0)?.count == 16 })
    let fields = WebSocketHandshake(subprotocols: [], offersCompression: false).fields.map(\.name)
    #expect(fields == ["Connection", "Upgrade", "Sec-WebSocket-Version", "Sec-WebSocket-Key"])
  }

  @Test func `a response that is not a valid answer is refused`() {
    #expect(isRefused([], status: 200))
    #expect(isRefused([], version: "HTTP/1.0"))
    #expect(isRefused([("Upgrade", nil)]))
    #expect(isRefused([("Upgrade", "websocket")]))
    #expect(isRefused([("Upgrade", nil), ("Upgrade", "h2c")]))
    #expect(isRefused([("Connection", nil), ("Connection", "close")]))
    #expect(isRefused([("Sec-WebSocket-Accept", nil)]))
    #expect(
      isRefused([("Sec-WebSocket-Accept", nil), ("Sec-WebSocket-Accept", "S3PPLMBITXAQ9KYGZZHZRBK+XOO=")]))
    #expect(isRefused([("Sec-WebSocket-Accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")]))
    #expect(isRefused([("Sec-WebSocket-Protocol", "other")]))
    #expect(isRefused([("Sec-WebSocket-Protocol", "chat"), ("Sec-WebSocket-Protocol", "superchat")]))
  }

  @Test func `the answer about compression is read`() throws {
    func compression(_ value: String) -> PermessageDeflate? {
      (try? agree([("Sec-WebSocket-Extensions", value)]).get())?.compression
    }
    #expect(compression("permessage-deflate") == PermessageDeflate())
    let all = compression(
      "Permessage-Deflate; server_no_context_takeover; client_no_context_takeover; "
        + "server_max_window_bits=10; client_max_window_bits=\"9\"")
    #expect(all?.serverHasNoContext == true)
    #expect(all?.clientHasNoContext == true)
    #expect(all?.clientWindowBits == 9)
  }

  @Test(arguments: [
    "x-webkit-deflate-frame", "permessage-deflate, permessage-deflate", "permessage-deflate; unknown",
    "permessage-deflate; client_max_window_bits", "permessage-deflate; client_max_window_bits=7",
    "permessage-deflate; client_max_window_bits=16", "permessage-deflate; client_max_window_bits=010",
    "permessage-deflate; server_max_window_bits", "permessage-deflate; server_no_context_takeover=1",
    "permessage-deflate; server_no_context_takeover; server_no_context_takeover", "permessage-deflate;", ";",
  ])
  func `an answer about extensions that is not valid is refused`(value: String) {
    #expect(isRefused([("Sec-WebSocket-Extensions", value)]))
  }

  @Test func `an extension that was not offered is refused`() {
    let plain = WebSocketHandshake(key: handshake.key, subprotocols: [], offersCompression: false)
    let result = agree([("Sec-WebSocket-Extensions", "permessage-deflate")], plain)
    #expect((try? result.get()) == nil)
  }
}
#endif
