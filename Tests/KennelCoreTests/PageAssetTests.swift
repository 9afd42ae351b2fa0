import Foundation
import Testing

@testable import KennelCore

@Suite struct PageAssetTests {
  @Test func theFilesWithinTheProgramAreTheOnesBesideIt() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/CKennelPage/assets").standardizedFileURL
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    #expect(Set(names) == Set(PageAssets.all.keys).subtracting(["favicon.ico"]))
    for name in names {
      let file = try Data(contentsOf: folder.appending(path: name))
      let isSame = PageRenderer.asset(named: name)?.bytes == file
      #expect(isSame, "\(name)")
    }
  }

  @Test func everyFileHasATagOfItsOwnAndTheRightType() throws {
    let assets = PageAssets.all.filter { $0.key != "favicon.ico" }
    #expect(Set(assets.values.map(\.etag)).count == assets.count)
    #expect(Set(PageAssets.styles) == Set(assets.keys.filter { $0.hasSuffix(".css") }))
    #expect(PageRenderer.asset(named: "base.css")?.contentType == "text/css; charset=utf-8")
    #expect(PageRenderer.asset(named: "app.js")?.contentType == "text/javascript; charset=utf-8")
    #expect(PageRenderer.asset(named: "icon.svg")?.contentType == "image/svg+xml")
    #expect(PageRenderer.asset(named: "icon-180.png")?.contentType == "image/png")
    #expect(PageRenderer.asset(named: "favicon.ico")?.contentType == "image/png")
    #expect(PageRenderer.asset(named: "manifest.webmanifest")?.contentType == "application/manifest+json")
  }

  @Test(arguments: ["", "..", "../page.c", "base.css/", "BASE.CSS", "nothing.js"])
  func nothingElseIsGiven(name: String) {
    #expect(PageRenderer.asset(named: name) == nil)
  }
}
