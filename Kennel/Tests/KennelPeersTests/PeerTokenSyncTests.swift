import Foundation
import KennelTestSupport
import Retriever
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelPeers
@testable import KennelStorage

/// A sync with a kennel that is only for people.
@Suite(.timeLimit(.minutes(5))) struct PeerTokenSyncTests {
  private func sync(
    _ web: SiteFixture, into store: KennelStore, as user: User, token: PeerToken?
  ) throws -> PeerSync {
    PeerSync(
      from: try PeerAddress("http://127.0.0.1:\(web.port)"), as: user.id, into: store,
      session: PeerSync.makeSession(allowsPrivateAddresses: true), token: token)
  }

  @Test func `a closed kennel shares its posts with a token, without metadata`() async throws {
    try await withSite {
      $0.isOpenToEveryone = false
    } _: { web in
      let bob = try await web.store.addUser("Bob", role: .owner)
      let original = try CameraPhoto.jpeg(1)
      for place in [false, true] {
        let file = try await web.store.photos.stage(original)
        let photo = try await NewPhoto.examining(file, in: web.store.photos, sharesMetadata: place)
        _ = try await web.store.posts.add(photo, caption: "", author: bob.id)
      }
      try await withStore { here in
        let ada = try await here.addUser("Ada", role: .owner)
        let error = await #expect(throws: KennelError.self) {
          try await sync(web, into: here, as: ada, token: nil).run()
        }
        #expect(error?.code == .notAllowed)
        #expect(error?.description.contains("--token-file") == true)
        let token = try await web.store.accounts.addPeer("Ada")
        let report = try await sync(web, into: here, as: ada, token: token).run()
        #expect(report.taken == 2 && report.refusedCount == 0)
        let posts = try await here.posts.persistentPosts()
        // The author of the second one shares the metadata there. Here, it goes through the same door as an upload.
        #expect(posts.map(\.metadata) == [.absent, .removed])
        for post in posts {
          let file = try await here.blobs.file(post.photo, byteCount: post.byteCount)
          let bytes = try Data(contentsOf: URL(fileURLWithPath: file.path))
          #expect(!CameraPhoto.isLeaking(bytes))
        }
        #expect(try await sync(web, into: here, as: ada, token: token).run().taken == 0)
        #expect(try await here.checkedProblems() == [])
        _ = try await web.store.accounts.removePeer("Ada")
        #expect(
          await code { _ = try await sync(web, into: here, as: ada, token: token).run() } == .notAllowed)
      }
    }
  }
}
