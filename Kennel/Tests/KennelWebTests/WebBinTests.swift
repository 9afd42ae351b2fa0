import Foundation
import KennelTestSupport
import Retriever
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebBinTests {
  @Test func `a deleted post can be seen and restored by its author only`() async throws {
    try await withSite { web in
      let user = try await web.store.addUser("Ada")
      _ = try await web.store.addUser("Ben")
      try await web.addPicture(1, by: user, caption: "<Rex>", width: 400, height: 300)
      let (ada, ben) = (try await web.cookie("Ada"), try await web.cookie("Ben"))
      let before = try await web.get("/posts/1", ada).json
      #expect(try await web.ask("DELETE", "/posts/1", ada).status == 204)
      for path in ["/posts/1", "/posts/1/photo", "/posts/1/thumbnail", "/posts/1/comments", "/photos/1"] {
        for fields in [[:], ada, ben] { #expect(try await web.get(path, fields).status == 404, "\(path)") }
      }
      let bin = try await web.get("/bin", ada).json["posts"]
      #expect(bin?.count == 1 && bin?[0]?["post"] == before)
      #expect(bin?[0]?["end"]?.string != nil)
      let page = try await web.get("/deleted", ada)
      #expect(
        page.status == 200 && page.text.contains("&lt;Rex&gt;") && page.text.contains("data-restore=\"1\""))
      #expect(page.field("Cache-Control") == "no-store")
      let thumbnail = try await web.get("/bin/1/thumbnail?size=320", ada)
      #expect(thumbnail.status == 200 && thumbnail.field("Cache-Control") == "no-store")
      #expect(thumbnail.field("Content-Type") == "image/jpeg")
      // Nothing of it is kept.
      let folder = web.directory.path("data/thumbnails")
      #expect(try await eventually { try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty })

      #expect(try await web.get("/bin", ben).text == #"{"posts":[]}"#)
      #expect(try await web.get("/deleted", ben).text.contains("The bin is empty"))
      #expect(try await web.get("/bin/1/thumbnail", ben).status == 404)
      #expect(try await web.ask("POST", "/bin/1/restore", ben).status == 404)
      #expect(try await web.ask("DELETE", "/bin/1", ben).status == 404)
      #expect(try await web.get("/bin").status == 401)

      let restored = try await web.ask("POST", "/bin/1/restore", ada)
      #expect(try restored.status == 200 && restored.json == before)
      #expect(try await web.get("/posts/1/thumbnail").status == 200)
      #expect(try await web.ask("DELETE", "/bin/1", ada).status == 404)
      #expect(try await web.ask("DELETE", "/posts/1", ada).status == 204)
      #expect(try await web.ask("DELETE", "/bin/1", ada).status == 204)
      #expect(try await web.get("/bin", ada).text == #"{"posts":[]}"#)
      #expect(try await eventually { try !TestWorld.hasFiles || web.store.photoFiles().isEmpty })
    }
  }
}
