import Foundation
import RetrieverImages
import Testing

@testable import KennelModel
@testable import KennelWeb

@Suite struct PageAssetTests {
  private let renderer = PageRenderer(title: "Kennel")

  @Test func `the embedded files equal the files in the assets folder`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Sources/CKennelPage/assets").standardizedFileURL
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path())
    let made = ["favicon.ico"] + Language.allCases.map(PageAssets.texts)
    #expect(Set(names) == Set(PageAssets.all.keys).subtracting(made))
    for name in names {
      let file = try Data(contentsOf: folder.appending(path: name))
      let isSame = PageAssets.all[name]?.bytes == file
      #expect(isSame, "\(name)")
    }
  }

  @Test func `every file has a unique entity tag and the right content type`() throws {
    let assets = PageAssets.all.filter { $0.key != "favicon.ico" }
    #expect(Set(assets.values.map(\.etag)).count == assets.count)
    #expect(Set(PageAssets.styles) == Set(assets.keys.filter { $0.hasSuffix(".css") }))
    #expect(renderer.asset(named: "base.css")?.contentType == "text/css; charset=utf-8")
    #expect(renderer.asset(named: "app.js")?.contentType == "text/javascript; charset=utf-8")
    #expect(renderer.asset(named: "icon.svg")?.contentType == "image/svg+xml")
    #expect(renderer.asset(named: "icon-180.png")?.contentType == "image/png")
    #expect(renderer.asset(named: "favicon.ico")?.contentType == "image/png")
    #expect(renderer.asset(named: "manifest.webmanifest")?.contentType == "application/manifest+json")
  }

  @Test(arguments: ["", "..", "../page.c", "base.css/", "BASE.CSS", "nothing.js"])
  func `other names give no asset`(name: String) {
    #expect(renderer.asset(named: name) == nil)
  }

  @Test func `the manifest has the kennel's title`() throws {
    let title = "The \"Rex\" & Co\n家"
    let asset = try #require(PageRenderer(title: title).asset(named: "manifest.webmanifest"))
    struct Manifest: Decodable {
      var name: String
      var short_name: String
      var start_url: String
      var scope: String
      var icons: [[String: String]]
      var share_target: ShareTarget
    }
    struct ShareTarget: Decodable {
      var action: String
      var method: String
      var enctype: String
    }
    let manifest = try JSONDecoder().decode(Manifest.self, from: asset.bytes)
    #expect(manifest.name == title)
    #expect(manifest.short_name == title)
    #expect(manifest.start_url == "/")
    #expect(manifest.scope == "/")
    #expect(manifest.share_target.action == "/share")
    #expect(manifest.share_target.method == "POST" && manifest.share_target.enctype == "multipart/form-data")
    #expect(manifest.icons.contains { $0["purpose"] == "maskable" })
    for icon in manifest.icons where icon["type"] == "image/png" {
      let name = try #require(icon["src"]?.split(separator: "/").last.map(String.init))
      let file = try #require(PageAssets.all[name])
      let size = try #require(UIImage(data: file.bytes)?.size)
      #expect(icon["sizes"] == "\(Int(size.width))x\(Int(size.height))", "\(name)")
    }
    #expect(Set(manifest.icons.compactMap { $0["sizes"] }) == ["any", "192x192", "512x512"])
    #expect(asset.contentType == "application/manifest+json")
    #expect(asset.etag != renderer.asset(named: "manifest.webmanifest")?.etag)
  }

  @Test func `modules have no circular imports`() {
    var imports: [String: [String]] = [:]
    for (name, asset) in PageAssets.all where name.hasSuffix(".js") {
      imports[name] = String(decoding: asset.bytes, as: UTF8.self)
        .matches(of: /import [^;]*?"\.\/([a-z-]+\.js)";/).map { String($0.1) }
    }
    #expect(imports["app.js"]?.isEmpty == false)
    // Repeatedly removes modules that import none of the remaining ones. A cycle would remain.
    while let free = imports.first(where: { $0.value.allSatisfy { imports[$0] == nil } }) {
      imports[free.key] = nil
    }
    #expect(imports.isEmpty, "\(imports.keys.sorted())")
  }
}
