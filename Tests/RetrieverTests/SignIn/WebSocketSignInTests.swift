#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// WebSocket connections to a server that requires NTLM: the handshake is the last request of the sign-in.
@Suite(.timeLimit(.minutes(5))) struct WebSocketSignInTests {
  private func task(_ peer: NTLMPeer) throws -> URLSessionWebSocketTask {
    let text = peer.url.appendingPathComponent("talk").absoluteString
    let url = try #require(URL(string: "ws" + text.dropFirst("http".count)))
    let task = peer.session.webSocketTask(with: url)
    task.resume()
    return task
  }

  private func talk(_ task: URLSessionWebSocketTask) async throws {
    for text in ["woof", "arf"] {
      try await task.send(.string(text))
      guard case .string(let answer) = try await task.receive() else {
        Issue.record("The message is not text")
        return
      }
      #expect(answer == "DOGS\\rex sent \(text)")
    }
    task.cancel(with: .normalClosure, reason: nil)
  }

  @Test(.enabled(if: NTLMPeer.isAvailable), arguments: [false, true])
  func `a challenge is answered, and messages are exchanged`(isSecure: Bool) async throws {
    let peer = try NTLMPeer(NTLMAnswering("DOGS\\rex", "biscuit"), isSecure: isSecure)
    defer { peer.stop() }
    try await talk(task(peer))
    #expect(peer.nextRequests(3) == ["GET /talk - 0", "GET /talk NTLM 0", "GET /talk NTLM 0"])
    #expect(peer.delegate.challenges.all == ["0"])
    // A WebSocket connection is always a new one, so it signs in again, with another challenge.
    try await talk(task(peer))
    #expect(peer.nextRequests(3) == ["GET /talk - 0", "GET /talk NTLM 0", "GET /talk NTLM 0"])
    #expect(peer.delegate.challenges.all == ["0", "0"])
  }

  @Test(.enabled(if: NTLMPeer.isAvailable))
  func `a wrong password is asked for again, and then the handshake fails`() async throws {
    let peer = try NTLMPeer(NTLMAnswering("DOGS\\rex", "wrong"))
    defer { peer.stop() }
    let task = try task(peer)
    #expect(await errorCode { _ = try await task.receive() } == .badServerResponse)
    #expect((task.response as? HTTPURLResponse)?.statusCode == 401)
    #expect(peer.delegate.challenges.all == ["0", "1", "2"])
  }

  @Test(.enabled(if: NTLMPeer.isAvailable))
  func `a loaded credential signs in a WebSocket connection, and the reverse`() async throws {
    let peer = try NTLMPeer(NTLMAnswering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    #expect(try await peer.text(peer.request("last")) == "200 DOGS\\rex sent ")
    try await talk(task(peer))
    #expect(try await peer.text(peer.request("b")) == "200 DOGS\\rex sent ")
    #expect(peer.delegate.challenges.all == ["0"])
  }

  @Test(.enabled(if: NTLMPeer.isAvailable))
  func `a WebSocket connection signs in beside idle connections of the same user`() async throws {
    let peer = try NTLMPeer(NTLMAnswering("DOGS\\rex", "biscuit"))
    defer { peer.stop() }
    // libcurl would send the last request of the handshake over an idle connection, if it knew one.
    for round in 1...20 {
      #expect(try await peer.text(peer.request("load")) == "200 DOGS\\rex sent ")
      try await talk(task(peer))
      let first = round == 1 ? ["GET /load NTLM 0", "GET /load NTLM 0"] : []
      let talk = ["GET /talk NTLM 0", "GET /talk NTLM 0"]
      #expect(peer.nextRequests(3 + first.count) == ["GET /load - 0"] + first + talk)
    }
    #expect(peer.delegate.challenges.all == ["0"])
  }
}
#endif
