import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct PeerTokenTests {
  @Test(arguments: RecordsKind.available) func `a kennel with a token is known until the token is withdrawn`(
    _ kind: RecordsKind
  ) async throws {
    let time = ManualKennelClock()
    try await withStore(kind, clock: time.clock) { store in
      let token = try await store.accounts.addPeer("Hounds")
      #expect(token.text.hasPrefix("kennel-") && !"\(token)".contains(token.text))
      let again = try #require(PeerToken(token.text))
      #expect(try await store.accounts.peers().first?.lastUse == nil)
      #expect(try await store.accounts.peer(again)?.name == "Hounds")
      #expect(
        try await eventually { try await store.accounts.peers().first?.lastUse == time.clock.now() })
      #expect(await code { _ = try await store.accounts.addPeer("Hounds") } == .nameTaken)
      #expect(await code { _ = try await store.accounts.addPeer("") } == .badName)
      let other = try await store.accounts.addPeer("Cats")
      #expect(try await store.accounts.peers().map(\.name) == ["Cats", "Hounds"])
      #expect(try await store.accounts.removePeer("Hounds"))
      #expect(try await !store.accounts.removePeer("Hounds"))
      #expect(try await store.accounts.peer(again) == nil)
      #expect(try await store.accounts.peer(other) != nil)
    }
  }

  @Test(arguments: ["", "kennel-", "kennel-short", "Kennel-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
  func `a text that is not a token is refused`(text: String) {
    #expect(PeerToken(text) == nil)
  }
}
